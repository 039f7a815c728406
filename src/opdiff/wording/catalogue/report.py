"""What reports say around the differences themselves."""

SENTENCES = {
    "report.title": ("Where the two runs differ", "两次运行的差异"),
    "report.left": ("left", "左侧"),
    "report.right": ("right", "右侧"),
    "report.ops": ("{count} ops", "{count} 个算子"),
    "report.one-op": ("1 op", "1 个算子"),
    "report.anchor": ("anchor at line {line}: {op}", "锚点在第 {line} 行：{op}"),
    "report.no-anchor": ("no anchor", "无锚点"),
    "report.up": ("Compared upward from the anchors", "从锚点向上比较"),
    "report.down": ("Compared downward from the anchors", "从锚点向下比较"),
    "report.whole": ("Compared as a whole", "整体比较"),
    "report.ancestors": (
        "{direction}, only what the anchor depends on",
        "{direction}，仅锚点所依赖的算子",
    ),
    "report.matched": ("{count} ops match", "{count} 个算子匹配"),
    "report.one-matched": ("1 op matches", "1 个算子匹配"),
    "report.differences": ("{count} differences", "{count} 处差异"),
    "report.one-difference": ("1 difference", "1 处差异"),
    "report.groups": ("{count} groups", "{count} 组"),
    "report.one-group": ("1 group", "1 组"),
    "report.counts": (
        "{matched}; {differences} in {groups}",
        "{matched}；{differences}，共 {groups}",
    ),
    "verdict.values": ("The numbers part at {place}", "数值从此处分开：{place}"),
    "verdict.suspect": (
        "{count} of {differences} may change a value; the first: {place}",
        "{differences}中有 {count} 处可能改变数值；首处：{place}",
    ),
    "verdict.harmless": (
        "None of the differences can change a value.",
        "这些差异都不会改变数值。",
    ),
    "verdict.harmless-values": (
        "None of the differences changed a value beyond noise.",
        "这些差异对数值的影响都未超出噪声。",
    ),
    "verdict.same": (
        "No difference in what these traces record; values were not compared.",
        "两份执行序所记录的内容没有差异；数值未作比较。",
    ),
    "verdict.same-values": (
        "No difference in the order of ops; what is to be said of values stands below.",
        "算子顺序没有差异；数值情况见下文。",
    ),
    "report.no-divergence": ("{matched}; no difference", "{matched}；没有差异"),
    "report.noise": (
        "noise is not compared (parameters, workspace, bookkeeping): ops on the left {left},"
        " on the right {right}; --no-default-rules compares it too",
        "噪声不参与比较（参数、工作区、记账）：左侧 {left} 个算子，右侧 {right} 个；"
        "--no-default-rules 会一并比较",
    ),
    "report.listed-only": (
        "{listed} of {total} differences are listed here.",
        "此处列出 {total} 处差异中的 {listed} 处。",
    ),
    "report.more": (
        "… and {count} more (--all shows them)",
        "… 还有 {count} 处（--all 可全部列出）",
    ),
    "report.more-ops": ("… {count} ops", "… 共 {count} 个算子"),
    "report.rest": ("{count} more", "另外 {count} 处"),
    "report.consequences": ("follows from it:", "由此引起："),
    "report.lost": ("lost links: {places}", "丢失的连线：{places}"),
    "report.cause": (
        "follows from {kind} at {place}, which is not listed",
        "由 {place} 的 {kind} 引起（未列出）",
    ),
    "report.known": ("known", "已知"),
    "report.note": ("note: {text}", "备注：{text}"),
    "report.harmless": (
        "What follows cannot change a value: views, copies, layout, known names, order.",
        "以下差异不会改变数值：视图、拷贝、内存布局、已知等价名称、顺序。",
    ),
    "report.where": ("in {place}", "位于 {place}"),
    "report.neutral": (
        "What follows changed no value beyond noise, as the values of both runs show.",
        "以下差异对数值的影响未超出噪声：两次运行的数值已表明。",
    ),
    "report.root": ("root cause", "根因"),
    "report.nothing-here": ("nothing here", "此侧没有"),
    "report.kind": ("kind", "类别"),
    "report.difference": ("difference", "差异"),
    "report.count": ("count", "数量"),
    "report.left-lines": ("left lines", "左侧行号"),
    "report.right-lines": ("right lines", "右侧行号"),
    "report.capped": (
        "This page shows {shown} of {total} differences, the nearest of every group. "
        "The CSV and JSON reports hold all of them.",
        "本页显示 {total} 处差异中的 {shown} 处（每组中离锚点最近的若干处）。"
        "CSV 与 JSON 报告包含全部差异。",
    ),
    "report.search": ("Search ops, lines, sentences", "搜索算子、行号、说明"),
    "report.filter": ("Kinds shown", "显示的类别"),
    "report.found": ("shown", "处显示"),
    "report.rules-swallowed": (
        "Rules and requests made {count} ops vanish from this report.",
        "规则与忽略请求使 {count} 个算子未出现在报告中。",
    ),
    "report.made-by": ("made by opdiff {version}", "由 opdiff {version} 生成"),
    "report.cannot-write": (
        "cannot be written ({reason}); name a file in a folder that you may write to",
        "无法写入（{reason}）；请指定可写目录中的文件",
    ),
    "report.own-input": (
        "would overwrite what is being read ({file}); name another file to write to",
        "会覆盖正在读取的文件（{file}）；请另外指定要写入的文件",
    ),
    "report.nothing-compared": (
        "the traces have changed, and there is no comparison to write; compare again",
        "执行序已改变，没有可写出的比较结果；请重新比较",
    ),
    "report.unknown-format": (
        "there is no format {name}; choose one of {formats}",
        "没有 {name} 格式；请选择 {formats}",
    ),
}
