"""What is said of sessions, and of ops that a line or a note once named."""

SENTENCES = {
    "session.no-op-at-line": (
        "line {line} names no op; the nearest are {nearest}",
        "第 {line} 行没有算子；最近的是 {nearest}",
    ),
    "session.no-ops": ("there is no op in this trace", "此执行序中没有算子"),
    "session.not-a-pin": (
        "{text} is no pin; give a left and a right line, as in 118:112",
        "{text} 不是配对；请给出左右两侧的行号，例如 118:112",
    ),
    "session.traces-or-session": (
        "give two traces, or one .opdiff session",
        "请给出两个执行序文件，或一个 .opdiff 会话文件",
    ),
    "session.one-anchor": (
        "an anchor on one side only; give both --left-anchor and --right-anchor",
        "只有一侧有锚点；请同时给出 --left-anchor 与 --right-anchor",
    ),
}
