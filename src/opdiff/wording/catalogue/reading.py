"""What readers say of the files they read."""

from __future__ import annotations

SENTENCES = {
    "reading.two-failed": (
        "neither file can be opened\n{first_path}: {first}\n{second_path}: {second}",
        "两个文件都无法打开\n{first_path}：{first}\n{second_path}：{second}",
    ),
    "reading.no-ops": (
        "there is no op in this file. Expected an execution order: MindSpore's tracker_graph.ir "
        "(three lines an op, the first like "
        "'(%3) = Add(%1, %2), task_info: 5, attrs {{stream_id=0}}'), written at exit by a run with "
        "MS_ALLOC_CONF=memory_tracker:True ('opdiff capture' does that for you); what "
        "opdiff.record writes for PyTorch; or graph IR, execute_order.csv, msprobe's "
        "dump.json, FX graphs, TORCH_LOGS, exported programs, Execution Traces, DebugMode, "
        "profiles, logs of torch_npu and TorchAir",
        "文件中没有任何算子。需要执行序：MindSpore 的 tracker_graph.ir（每个算子三行，首行形如 "
        "'(%3) = Add(%1, %2), task_info: 5, attrs {{stream_id=0}}'），设置环境变量 "
        "MS_ALLOC_CONF=memory_tracker:True 运行程序，退出时会写出（'opdiff capture' 会代劳）；"
        "opdiff.record 为 PyTorch 写出的文件；或图 IR、execute_order.csv、msprobe 的 dump.json、"
        "FX 图、TORCH_LOGS、导出的程序、Execution Trace、DebugMode、profiler 结果、"
        "torch_npu 与 TorchAir 的日志",
    ),
    "reading.empty": (
        "the file is empty. Expected a MindSpore execution-order trace (tracker_graph.ir), which a "
        "run with MS_ALLOC_CONF=memory_tracker:True writes when it exits normally",
        "文件为空。需要 MindSpore 执行序文件（tracker_graph.ir），设置环境变量 "
        "MS_ALLOC_CONF=memory_tracker:True 运行程序，正常退出时会写出该文件",
    ),
    "reading.binary": (
        "this is a binary file. Expected the text of a MindSpore execution-order trace "
        "(tracker_graph.ir, plain or gzipped), which a run with "
        "MS_ALLOC_CONF=memory_tracker:True writes when it exits normally",
        "这是二进制文件。需要 MindSpore 执行序文本（tracker_graph.ir，可为 gzip 压缩），"
        "设置环境变量 MS_ALLOC_CONF=memory_tracker:True 运行程序，正常退出时会写出该文件",
    ),
    "reading.missing": (
        "there is no such file or directory",
        "没有这个文件或目录",
    ),
    "reading.not-a-file": (
        "this is neither a file nor a directory",
        "既不是文件也不是目录",
    ),
    "reading.unreadable": (
        "the file cannot be read: {reason}",
        "无法读取文件：{reason}",
    ),
    "reading.directory-without-trace": (
        "no trace in this directory: expected tracker_graph.ir, rank_N/tracker_graph.ir, "
        "msprobe's dump.json, or one file of a format that opens here",
        "目录中没有执行序文件：应有 tracker_graph.ir、rank_N/tracker_graph.ir、"
        "msprobe 的 dump.json，或一个可打开的格式的文件",
    ),
    "reading.same-rank": (
        "{one} and {other} are the same rank; name the one that is meant, or remove the other",
        "{one} 与 {other} 是同一个 rank；请直接指定其中一个，或移除另一个",
    ),
    "reading.several-ranks": (
        "the directory holds the traces of several ranks ({ranks}): choose one with --rank N, or "
        "give the path of one tracker_graph.ir",
        "目录中有多个 rank 的执行序（{ranks}）：请用 --rank N 指定，"
        "或直接给出某个 tracker_graph.ir 的路径",
    ),
    "reading.no-such-rank": (
        "no trace of rank {rank} in this directory; there is: {ranks}",
        "目录中没有 rank {rank} 的执行序；现有：{ranks}",
    ),
    "reading.rank-of-a-file": (
        "a rank was given, but this is a file: give the directory that holds rank_{rank}/",
        "指定了 rank，但给出的是文件：请给出包含 rank_{rank}/ 的目录",
    ),
    "reading.cut-archive": (
        "the compressed file is cut or damaged: what could be unpacked was read",
        "压缩文件不完整或已损坏：已读取能解压的部分",
    ),
    "reading.cut-record": (
        "the file ends in the middle of a record",
        "文件在一条记录中间结束",
    ),
    "reading.unexpected-text": (
        "text that belongs to no record was skipped: {excerpt}",
        "跳过了不属于任何记录的内容：{excerpt}",
    ),
    "reading.header-alone": (
        "a record's first line without its second, '    (…) <- (…)': skipped",
        "记录只有首行，缺少第二行 '    (…) <- (…)'：已跳过",
    ),
    "reading.no-stack-line": (
        "the record has no third line, '    # …': read without a stack",
        "记录缺少第三行 '    # …'：按无调用栈读取",
    ),
    "reading.bad-stack": (
        "part of the record's stack is not readable as frames",
        "该记录的调用栈有一部分无法识别",
    ),
    "reading.count-mismatch": (
        "the record names {ids} operands and describes {specs}: the surplus was dropped",
        "该记录列出 {ids} 个操作数，却描述了 {specs} 个：多余的已丢弃",
    ),
    "reading.too-large": (
        "a number in this record is too large: skipped",
        "该记录中有过大的数值：已跳过",
    ),
    "reading.more-problems": (
        "and {count} more unreadable stretches from here on",
        "此后还有 {count} 处无法读取的内容",
    ),
    "reading.task-csv-unreadable": (
        "task.csv beside the trace could not be read ({reason}): eager and graph ops are not "
        "told apart",
        "无法读取同目录的 task.csv（{reason}）：不区分动态图与静态图算子",
    ),
    "reading.task-csv-foreign": (
        "task.csv beside the trace belongs to another run: not used",
        "同目录的 task.csv 属于另一次运行：未使用",
    ),
}
