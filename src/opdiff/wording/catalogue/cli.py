"""What the command line says by itself."""

from __future__ import annotations

SENTENCES = {
    "cli.no-window": (
        "the window cannot be opened: {reason}. Qt needs a few system libraries (see 'make run'); "
        "'opdiff compare' works without them",
        "无法打开窗口：{reason}。Qt 需要一些系统库（见 'make run'）；"
        "'opdiff compare' 无需它们即可使用",
    ),
    "cli.no-such-command": (
        "'opdiff {command}' is not part of this installation",
        "当前安装不包含 'opdiff {command}'",
    ),
    "cli.misspelt": (
        "“{word}” is neither a command nor a file; did you mean 'opdiff {command}'?",
        "“{word}”既不是命令也不是文件；是否想用 'opdiff {command}'？",
    ),
    "cli.internal": (
        "a mistake in opdiff itself: {reason}. With OPDIFF_TRACEBACK=1 set it says where; "
        "please report it",
        "opdiff 自身出错：{reason}。设置 OPDIFF_TRACEBACK=1 可显示出错位置；请反馈该问题",
    ),
    "cli.no-value": (
        "{option} cannot be “--”; give it a value",
        "{option} 的值不能是“--”；请给出一个值",
    ),
    "cli.no-output": (
        "standard output is closed, and there is something to print; -o FILE writes it to a file",
        "标准输出已关闭，但有内容要打印；可用 -o FILE 写入文件",
    ),
    "cli.system": ("{reason}", "{reason}"),
    "cli.no-such-report": (
        "there are no reports of the form {suffix}. Name a file with one of {known}, or say "
        "--format",
        "没有 {suffix} 形式的报告。请使用 {known} 之一作为文件后缀，或用 --format 指定",
    ),
    "cli.many-graphs": (
        "--graph was given {count} times: once is for both sides, twice is left and right",
        "--graph 给了 {count} 次：一次用于两侧，两次分别用于左侧和右侧",
    ),
    "cli.no-hit": (
        "no op matches; names count as a whole, so a part needs stars, as in --op '*Concat*', and"
        " 'opdiff info' lists types and functions",
        "没有匹配的算子；名称须完整匹配，只知道一部分时请用星号，例如 --op '*Concat*'；"
        "'opdiff info' 会列出类型和函数",
    ),
    "cli.no-op-of-that-number": (
        "{count} ops match: there is none of number {number}",
        "共有 {count} 个算子匹配：没有第 {number} 个",
    ),
    "cli.problem-place": ("line {line}", "第 {line} 行"),
    "cli.problem-places": ("lines {line}–{last_line}", "第 {line}–{last_line} 行"),
    "cli.info.format": ("format", "格式"),
    "cli.info.ops": ("ops", "算子数"),
    "cli.info.order": ("order", "顺序"),
    "cli.info.not-execution-order": (
        "topological: the file prints a graph, not the order in which it ran",
        "拓扑序：文件记录的是图，而非实际执行序",
    ),
    "cli.info.parts": ("to choose from", "可选的图"),
    "cli.info.part-ops": ("{count} ops", "{count} 个算子"),
    "cli.info.part-read": ("(read)", "（已读取）"),
    "cli.info.notes": ("notes", "说明"),
    "cli.info.operands": ("with operands", "带操作数"),
    "cli.info.stacks": ("with a stack", "带调用栈"),
    "cli.info.modes": ("mode", "模式"),
    "cli.info.graphs": ("graphs", "静态图"),
    "cli.info.streams": ("streams", "流"),
    "cli.info.dtypes": ("dtypes", "数据类型"),
    "cli.info.op_types": ("op types", "算子类型"),
    "cli.info.scopes": ("scopes", "作用域"),
    "cli.info.functions": ("functions", "函数"),
    "cli.info.structure": ("structure", "结构"),
    "cli.info.repaired": ("repaired", "已修复"),
    "cli.info.repaired-ops": (
        "{count} ops whose operands were printed at a later Contiguous (first at line {line})",
        "{count} 个算子的操作数印在了之后的 Contiguous 上（首个在第 {line} 行）",
    ),
    "cli.info.problems": ("problems", "问题"),
    "cli.info.none": ("none", "无"),
    "cli.info.unknown-names": ("unknown names", "未知名称"),
    "cli.info.unknown-hint": (
        "no framework known here has ops of these names: a rules file can say what they are",
        "已知的框架中没有这些名称的算子：可在规则文件中说明它们的对应关系",
    ),
    "cli.info.more": ("… and {count} more", "……另有 {count} 项"),
}
