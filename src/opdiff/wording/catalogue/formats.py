"""What the readers of the frameworks' own files have to say."""

from __future__ import annotations

SENTENCES = {
    "reading.no-ops-of": (
        "this looks like a file of the format {format}, but there is no op in it that can be read",
        "文件看起来是 {format} 格式，但其中没有能读出的算子",
    ),
    "reading.several-runs": (
        "the directory holds several runs ({folders}): give the path of one of these folders",
        "目录中有多次运行的数据（{folders}）：请给出其中一个文件夹的路径",
    ),
    "reading.several-files": (
        "the directory holds several files that can be read ({files}): give the path of one",
        "目录中有多个可读取的文件（{files}）：请给出其中一个的路径",
    ),
    "reading.numbered": (
        "the file prints several ops on one line: their numbers stand where lines do",
        "文件在同一行印有多个算子：以算子序号代替行号",
    ),
    "reading.no-such-graph": (
        "there is no graph {graph} in this file; there is: {graphs}",
        "文件中没有图 {graph}；现有：{graphs}",
    ),
    "reading.one-graph": (
        "--graph {graph}: this file holds no graphs or levels to choose from",
        "--graph {graph}：该文件没有可供选择的图或层级",
    ),
    "reading.cut-entry": (
        "the file ends in the middle of an entry: it is left out",
        "文件在一个条目中间结束：已略过该条目",
    ),
    "reading.broken-entry": (
        "an entry that is not valid JSON was skipped: {excerpt}",
        "跳过了不是有效 JSON 的条目：{excerpt}",
    ),
    "reading.unknown-fields": (
        "fields that are not known here were not read ({fields}; first at line {line})",
        "有未识别的字段，未读取（{fields}；首次出现在第 {line} 行）",
    ),
    "reading.beside-unreadable": (
        "{file} beside the file could not be read: {reason}",
        "无法读取同目录的 {file}：{reason}",
    ),
    "reading.beside-damaged": (
        "{file} beside the file is damaged (line {line}): what could be read of it was used",
        "同目录的 {file} 已损坏（第 {line} 行）：已使用能读取的部分",
    ),
    "reading.first-graph": (
        "the file holds {count} graphs, of which the first is read ({name}): --graph chooses "
        "another, or joins some",
        "文件中有 {count} 个图，读取的是第一个（{name}）：可用 --graph 选择其他图或连接多个图",
    ),
    "reading.graph-cut": (
        "the graph {name} does not end here as it should: there is no return",
        "图 {name} 没有正常结束：缺少 return",
    ),
    "reading.graph-statement": (
        "a line of a graph that cannot be read as a statement was skipped: {excerpt}",
        "跳过了图中无法识别为语句的一行：{excerpt}",
    ),
    "reading.trace-node": (
        "a node without an id was skipped",
        "跳过了没有 id 的节点",
    ),
    "reading.trace-node-twice": (
        "there was a node {id} before: this one was skipped",
        "前面已有节点 {id}：已跳过此节点",
    ),
    "reading.log-argument": (
        "an argument of a record is cut off or cannot be read: {excerpt}",
        "记录中的一个参数不完整或无法识别：{excerpt}",
    ),
    "reading.guessed-roles": (
        "the log does not tell which arguments are written: for {count} of {total} ops the last "
        "tensor is taken for the output, which is a guess",
        "日志不区分输入和输出：{total} 个算子中有 {count} 个以最后一个张量作为输出，这是推测",
    ),
    "reading.no-addresses": (
        "the log prints no addresses: which op reads what another wrote is not known",
        "日志没有印出地址：无法得知算子之间的数据流",
    ),
    "reading.first-of-list": (
        "of lists of tensors the log prints the first only ({count} ops): their other inputs and "
        "outputs are missing",
        "日志只印出张量列表的第一个张量（{count} 个算子）：缺少其余的输入或输出",
    ),
    "reading.csv-row": (
        "a row that is cut off was skipped: {excerpt}",
        "跳过了不完整的一行：{excerpt}",
    ),
    "reading.csv-row-short": (
        "the row has fewer fields than the header names: read as far as it goes",
        "该行的字段少于表头：已读取现有的字段",
    ),
    "reading.names-only": (
        "the file lists names only, in the order of a graph and not of its run: no operands, no "
        "shapes, no streams",
        "文件只列出名称，且是图的次序而非实际执行序：没有操作数、形状和流",
    ),
    "reading.joined": (
        "shapes and source lines of {count} of {total} ops are from {files}",
        "{total} 个算子中有 {count} 个的形状和源码行来自 {files}",
    ),
    "reading.not-joined": (
        "no shapes and no source lines: graph_build_*.ir is not in the folder above, or has other "
        "ops (MS_DEV_SAVE_GRAPHS=2 saves it)",
        "没有形状和源码行：上级目录中没有 graph_build_*.ir，或其中的算子不同"
        "（MS_DEV_SAVE_GRAPHS=2 可保存该文件）",
    ),
    "reading.archive-cut": (
        "the archive ends early or is damaged ({reason}): what could be unpacked was read",
        "归档文件不完整或已损坏（{reason}）：已读取能解包的部分",
    ),
    "reading.dump-file": (
        "{file} is no array that can be read ({reason}): left out",
        "{file} 不是可读取的数组（{reason}）：已略过",
    ),
    "reading.dump-row": (
        "a row that is neither an input nor an output of an op was skipped",
        "跳过了既不是输入也不是输出的一行",
    ),
    "reading.links-by-content": (
        "the dump names no tensors: those with the same content are taken for the same, so links "
        "are guesses",
        "转储数据不标识张量：内容相同的视为同一张量，因此连接关系是推测的",
    ),
    "reading.numbered-folder": (
        "a folder of arrays has no lines: ops are numbered by their time instead",
        "数组文件夹没有行号：算子按时间编号",
    ),
    "reading.op-line": (
        "the line of an op is cut off: {excerpt}",
        "算子所在的行不完整：{excerpt}",
    ),
    "reading.links-by-hash": (
        "{count} inputs have ids that no op made: they are known by their hashes, which is a guess",
        "{count} 个输入的编号没有算子产生：按哈希识别，这是推测",
    ),
    "reading.no-ids": (
        "tensors have neither ids nor hashes here (record_ids, log_tensor_hashes): which op reads "
        "what another wrote is not known",
        "张量没有编号和哈希（record_ids、log_tensor_hashes）：无法得知算子之间的数据流",
    ),
    "reading.trace-event": (
        "an event without a name or a time was skipped",
        "跳过了没有名称或时间的事件",
    ),
    "reading.no-outputs": (
        "the trace tells neither outputs nor which tensor is which: ops are known by name, inputs "
        "and order only",
        "该文件既不记录输出，也不标识张量：只能依据名称、输入和次序识别算子",
    ),
    "reading.graph-cut-op": (
        "the file ends in the middle of an op: it is left out",
        "文件在一个算子中间结束：已略过该算子",
    ),
    "reading.source-once": (
        "a line of the user's code is printed only once: ops without one have that of the ops "
        "before them, which may be another",
        "用户代码行只印出一次：没有代码行的算子沿用前面算子的代码行，可能并不相同",
    ),
    "reading.compare-path": (
        "{key} is missing: expected the path of a dump.json, or of its folder",
        "缺少 {key}：应为 dump.json 或其所在目录的路径",
    ),
    "reading.compare-number": (
        "{key} is not a list of one number: two runs are compared at a time, so name one of them",
        "{key} 不是只含一个数的列表：每次比较两次运行，请指定其中一个",
    ),
    "reading.msprobe-entry": (
        "the entry {name} is neither a call (Kind.api.N.forward) nor a module "
        "(Module.path.Class.forward.N): skipped",
        "条目 {name} 既不是接口调用（类别.接口.N.forward）也不是模块"
        "（Module.路径.类.forward.N）：已跳过",
    ),
    "reading.links-by-statistics": (
        "the file names no tensors: operands with the same statistics are taken for the same "
        "tensor, so links are guesses",
        "文件不标识张量：统计量相同的操作数视为同一张量，因此连接关系是推测的",
    ),
}
