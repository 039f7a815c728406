"""What is said of sessions, and of ops that a line or a note once named."""

SENTENCES = {
    "session.no-op-at-line": (
        "line {line} names no op; the nearest are {nearest}",
        "第 {line} 行没有算子；最近的是 {nearest}",
    ),
    "session.no-ops": ("there is no op in this trace", "此执行序中没有算子"),
    "session.not-a-pin": (
        "{text} is no pin; give a left and a right line, as in 118:112",
        "{text} 不是固定配对；请给出左右两侧的行号，例如 118:112",
    ),
    "session.traces-or-session": (
        "give two traces, one .opdiff session, or one compare.json of msprobe",
        "请给出两个执行序文件、一个 .opdiff 会话文件，或 msprobe 的 compare.json",
    ),
    "session.one-anchor": (
        "an anchor on one side only; give both --left-anchor and --right-anchor",
        "只有一侧有锚点；请同时给出 --left-anchor 与 --right-anchor",
    ),
    "session.note-too-late": (
        "the traces have changed while this note was written, so it is about no difference: {text}",
        "写备注期间执行序已改变，备注不再对应任何差异：{text}",
    ),
    "session.title-as-said": ("{words}", "{words}"),
    "session.left": ("left", "左侧"),
    "session.right": ("right", "右侧"),
    "session.unreadable": (
        "cannot read the session ({reason}); check the path",
        "无法读取会话（{reason}）；请检查路径",
    ),
    "session.not-json": (
        "is not a session: {problem} at column {column}; open the autosaved copy or start anew",
        "不是会话文件：第 {column} 列 {problem}；请打开自动保存的副本或重新开始",
    ),
    "session.not-utf8": (
        "is not UTF-8 text and so no session; choose a .opdiff file",
        "不是 UTF-8 文本，因此不是会话文件；请选择 .opdiff 文件",
    ),
    "session.foreign": (
        "is not an opdiff session (no schema {schema}); choose a .opdiff file",
        "不是 opdiff 会话（没有 schema {schema}）；请选择 .opdiff 文件",
    ),
    "session.report": (
        "is a JSON report, not a session; open the .opdiff file it was made from",
        "是 JSON 报告而不是会话；请打开生成它的 .opdiff 文件",
    ),
    "session.newer": (
        "was written by a newer opdiff ({schema}); update opdiff to open it",
        "由更新版本的 opdiff 写成（{schema}）；请升级 opdiff 后打开",
    ),
    "session.wrong-value": (
        "the session is damaged at {where}: expected {expected}; mend it or open an older copy",
        "会话在 {where} 处损坏：应为{expected}；请修复或打开较早的副本",
    ),
    "session.an-object": ("an object", "对象"),
    "session.a-list": ("a list", "列表"),
    "session.a-text": ("a text", "文本"),
    "session.a-number": ("a whole number", "整数"),
    "session.a-flag": ("true or false", "true 或 false"),
    "session.one-of": ("one of {choices}", "{choices} 之一"),
    "session.trace-unreadable": (
        "cannot read the trace of this session ({reason}); put it back or open another session",
        "无法读取此会话的执行序（{reason}）；请放回原处或打开其他会话",
    ),
    "session.trace-changed": (
        "the {side} trace {path} has changed since the session was saved; "
        "anchors and pins were looked up by content",
        "{side}执行序 {path} 在会话保存之后已改变；锚点与固定配对按内容重新查找",
    ),
    "session.anchor-moved": (
        "the {side} anchor was at line {line} and is now at line {now}",
        "{side}锚点原在第 {line} 行，现在第 {now} 行",
    ),
    "session.op-lost": (
        "the {op} at line {line} of the {side} trace is no longer there; "
        "what was said of it is dropped",
        "{side}执行序第 {line} 行的 {op} 已不存在；与其有关的标记已丢弃",
    ),
    "session.pin-crosses": (
        "the pin {pin} crosses {other}: ops that match keep their order on both sides; "
        "remove one of the two",
        "固定配对 {pin} 与 {other} 交叉：匹配的算子在两侧顺序须一致；请移除其中之一",
    ),
    "session.pin-taken": (
        "an op of the pin {pin} is matched by {other} already; move or remove that one",
        "固定配对 {pin} 中的算子已由 {other} 匹配；请移动或移除后者",
    ),
    "session.both-sides-needed": (
        "select ops on both sides to call them equivalent",
        "请在两侧各选择算子，再标为等价",
    ),
}
