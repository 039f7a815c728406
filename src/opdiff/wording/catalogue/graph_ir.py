"""What the reader of graph IR has to say."""

from __future__ import annotations

SENTENCES = {
    "graph-ir.node": (
        "expected a node like “%N(name) = Op(arguments)”; the line is left out",
        "此处应为“%N(名称) = 算子(参数)”形式的节点，已略过此行",
    ),
    "graph-ir.arguments": (
        "the arguments of {op} are cut off: the closing bracket is missing",
        "{op} 的参数不完整：缺少右括号",
    ),
    "graph-ir.argument": (
        "{argument} is neither a node (%N) nor a parameter (%paraN_name)",
        "{argument} 既不是节点（%N）也不是参数（%paraN_名称）",
    ),
    "graph-ir.undefined": (
        "{argument} is read here, but no node above makes it",
        "此处读取 {argument}，但上文没有节点产生它",
    ),
    "graph-ir.line": (
        "a line inside a graph that is no node, no type and no comment; it is left out",
        "图内的这一行不是节点、类型或注释，已略过",
    ),
    "graph-ir.empty": (
        "the file names a graph but holds no node; expected lines like “%0(name) = Op(arguments)”",
        "文件中有图的声明但没有节点；应有“%0(名称) = 算子(参数)”形式的行",
    ),
    "graph-ir.unclosed": (
        "the graph {graph} is not closed: the file is probably cut off here",
        "图 {graph} 没有结束：文件可能在此处被截断",
    ),
    "graph-ir.line-outside": (
        "what may be a damaged node stands outside any graph; it is left out",
        "图之外有一行可能是损坏的节点，已略过",
    ),
    "graph-ir.headless": (
        "nodes outside any graph: the line “subgraph @…” before them is missing or damaged; they "
        "are read as a graph of their own",
        "节点不在任何图中：其前的“subgraph @…”行缺失或已损坏；按单独的一个图读取",
    ),
    "graph-ir.ended": (
        "nodes after the end of their graph: a stray “}}” stands above; they are read as its "
        "continuation",
        "节点出现在图结束之后：上文有多余的“}}”；按该图的后续部分读取",
    ),
    "graph-ir.deep-type": (
        "the type of {op} is nested too deeply; the tensors in its innermost tuples are left out",
        "{op} 的类型嵌套过深；最内层元组中的张量已略过",
    ),
    "graph-ir.too-many": (
        "{op} has more tensors than are kept of one op ({most}) or of the tuples of one file; "
        "the rest are left out",
        "{op} 的张量数超过单个算子（{most}）或单个文件的元组所能保留的上限；其余已略过",
    ),
    "graph-ir.order": (
        "{side}: a compiled graph, in topological order and not in the order in which it ran",
        "{side}：编译后的静态图，按拓扑序排列，不是实际执行序",
    ),
}
