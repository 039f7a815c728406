"""What is wrong with a rules file."""

SENTENCES = {
    "rules.cannot-read": (
        "cannot read the rules ({reason}); give the path of a YAML file",
        "无法读取规则（{reason}）；请给出 YAML 文件的路径",
    ),
    "rules.not-utf8": (
        "is not UTF-8 text; save the rules as UTF-8",
        "不是 UTF-8 文本；请将规则保存为 UTF-8",
    ),
    "rules.too-large": (
        "holds {size} bytes; a rules file may hold {most}",
        "有 {size} 字节；规则文件最多 {most} 字节",
    ),
    "rules.not-yaml": (
        "is not YAML here: {problem}; check indentation, colons and quotes",
        "此处不是合法的 YAML：{problem}；请检查缩进、冒号与引号",
    ),
    "rules.too-deep": (
        "is nested too deeply to be a rules file",
        "嵌套过深，不是规则文件",
    ),
    "rules.not-a-mapping": (
        "a rules file is a mapping of {keys}, found {found}",
        "规则文件应为包含 {keys} 的映射，实际为{found}",
    ),
    "rules.unknown-key": (
        "unknown key {key}; expected one of {keys}",
        "未知的键 {key}；应为 {keys} 之一",
    ),
    "rules.duplicate-key": (
        "{key} is given a second time; keep one of them",
        "{key} 重复出现；请只保留一个",
    ),
    "rules.not-a-list": (
        "{key} is a list of entries that start with “- ”, found {found}",
        "{key} 应为以“- ”开头的列表，实际为{found}",
    ),
    "rules.not-names": (
        "an entry of {key} is a list of at least two op names such as [Slice, StridedSlice], "
        "found {found}",
        "{key} 的条目应为至少两个算子名的列表，例如 [Slice, StridedSlice]，实际为{found}",
    ),
    "rules.not-an-ignore": (
        "an entry of ignore is an op glob such as Contiguous, or a mapping with op or scope, "
        "found {found}",
        "ignore 的条目应为算子通配符（例如 Contiguous）或含 op、scope 的映射，实际为{found}",
    ),
    "rules.not-an-equivalent": (
        "an entry of equivalent is a mapping with left and right, found {found}",
        "equivalent 的条目应为含 left 与 right 的映射，实际为{found}",
    ),
    "rules.one-side-missing": (
        "this equivalent has no {side}; give the op names of both sides",
        "此 equivalent 缺少 {side}；请给出两侧的算子名",
    ),
    "rules.not-a-sequence": (
        "{side} is a list of op names such as [Mul, Sigmoid, Sub], found {found}",
        "{side} 应为算子名的列表，例如 [Mul, Sigmoid, Sub]，实际为{found}",
    ),
    "rules.not-kernels": (
        "kernels is a mapping of kernel names to the arguments that each writes, found {found}",
        "kernels 应为 kernel 名到其所写参数的映射，实际为{found}",
    ),
    "rules.not-a-kernel": (
        "a kernel is given the names of the arguments that it writes: a list, or a mapping with "
        "lists out and inout; found {found}",
        "kernel 的值应为其所写参数名的列表，或含 out、inout 列表的映射；实际为{found}",
    ),
    "rules.not-a-name": (
        "expected an op name, found {found}; put it in quotes if it is meant",
        "应为算子名，实际为{found}；如确为算子名请加引号",
    ),
    "rules.a-mapping": ("a mapping", "映射"),
    "rules.a-list": ("a list", "列表"),
    "rules.an-empty-list": ("an empty list", "空列表"),
    "rules.nothing": ("nothing", "空值"),
    "rules.the-text": ("the text “{text}”", "文本“{text}”"),
    "rules.the-value": ("the value {text}", "值 {text}"),
    "rules.edit-by-hand": (
        "these rules are written in a way that cannot be changed for you; edit their text",
        "这些规则的写法无法自动修改；请直接编辑文本",
    ),
}
