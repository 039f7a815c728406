"""What msprobe's own compare flagged, beside what we found."""

SENTENCES = {
    "flags.not-a-result": (
        "is no result of msprobe's compare: expected a table with the columns NPU Name, "
        "Bench Name and Result",
        "不是 msprobe 比对结果：应为含 NPU Name、Bench Name 与 Result 列的表格",
    ),
    "flags.not-a-workbook": (
        "cannot be read as an Excel workbook ({reason}); save it again, or as CSV",
        "无法作为 Excel 工作簿读取（{reason}）；请重新保存，或另存为 CSV",
    ),
    "flags.title": ("What msprobe flagged", "msprobe 标记"),
    "flags.one": (
        "msprobe: {verdict}, {operand}: {message}",
        "msprobe：{verdict}，{operand}：{message}",
    ),
    "flags.whole": ("msprobe: {verdict}: {message}", "msprobe：{verdict}：{message}"),
    "flags.error": ("error", "错误"),
    "flags.warning": ("warning", "警告"),
    "flags.unmatched": ("not matched", "未匹配"),
    "flags.counts": (
        "msprobe flagged {flags} operands ({path}); {elsewhere} of them belong to ops that do not "
        "differ here",
        "msprobe 标记了 {flags} 个操作数（{path}）；其中 {elsewhere} 个所属算子在此并无差异",
    ),
    "flags.unfound": (
        "{count} further ones are about ops that these traces do not have",
        "另有 {count} 个所属算子不在这两个执行序中",
    ),
    "flags.marked": (
        "{file}: msprobe flagged {flags} operands of {ops} ops, marked with ⚑",
        "{file}：msprobe 标记了 {ops} 个算子的 {flags} 个操作数，以 ⚑ 示出",
    ),
    "report.needs-a-file": (
        "--format {format} makes no text; say with -o which file to write",
        "--format {format} 不是文本；请用 -o 给出要写入的文件",
    ),
    "report.no-spreadsheets": (
        "Excel files need a library that is not installed here: pip install 'opdiff[xlsx]'",
        "Excel 文件所需的库尚未安装：pip install 'opdiff[xlsx]'",
    ),
}
