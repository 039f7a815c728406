"""What is said of source files that a trace names."""

from __future__ import annotations

SENTENCES = {
    "source.not-there": ("is not there", "不在此处"),
    "source.not-source": (
        "is no Python source by its name, and only those are shown",
        "从名称看不是 Python 源文件，只显示源文件",
    ),
    "source.remote": (
        "is on another machine, and only the trace names it; map it to a folder of yours",
        "位于另一台机器，且仅由执行序指定；请将它映射到您自己的文件夹",
    ),
    "source.not-text": ("holds no text", "不是文本"),
    "source.unreadable": ("cannot be read: {reason}", "无法读取：{reason}"),
    "source.no-such-line": (
        "has {count} lines, so line {line} is not in it: it is not the file that was run",
        "只有 {count} 行，没有第 {line} 行：它不是当时运行的文件",
    ),
    "source.not-a-map": (
        "--source-map {text}: expected OLD=NEW, such as /home/user/model=./model",
        "--source-map {text}：应为 OLD=NEW，例如 /home/user/model=./model",
    ),
}
