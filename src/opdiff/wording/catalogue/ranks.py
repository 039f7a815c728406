"""What is said of runs of many ranks."""

from __future__ import annotations

SENTENCES = {
    "ranks.not-a-folder": (
        "this is a file: give the folder that holds rank_0/, rank_1/ and so on",
        "这是一个文件：请给出包含 rank_0/、rank_1/ 等的文件夹",
    ),
    "ranks.none": (
        "no ranks in this folder: expected rank_0/, rank_1/ and so on, or files named by rank",
        "该文件夹中没有 rank：应有 rank_0/、rank_1/ 等，或以 rank 命名的文件",
    ),
    "ranks.empty-folder": ("the folder is empty", "文件夹为空"),
    "ranks.same-rank": (
        "several traces of rank {rank}: {names}; leave one of them",
        "rank {rank} 有多个执行序：{names}；请只保留一个",
    ),
    "ranks.not-a-range": (
        "“{text}” names no ranks; expected N, A-B, or several with commas: 0-7,16",
        "“{text}”不是 rank 范围；应为 N、A-B，或用逗号分隔多个：0-7,16",
    ),
    "ranks.not-an-anchor": (
        "“{text}” names no anchor; expected OP:N, the N-th op of a type: MatMul:12",
        "“{text}”不是锚点；应为 OP:N，即某类型的第 N 个算子：MatMul:12",
    ),
    "ranks.no-such-anchor": (
        "no anchor {op}:{number} here: the trace has {count} ops of that type",
        "此处没有锚点 {op}:{number}：该执行序中有 {count} 个该类型的算子",
    ),
    "ranks.nothing-in-range": (
        "none of the ranks asked for is here; there is: {ranks}",
        "没有所要求的 rank；现有：{ranks}",
    ),
    "ranks.not-jobs": (
        "--jobs must be a number from 1 on",
        "--jobs 应为不小于 1 的数",
    ),
    "ranks.one-or-two": (
        "give one folder, to compare its ranks with each other, or two, to compare two runs",
        "请给出一个文件夹（其中各 rank 互相比较）或两个文件夹（比较两次运行）",
    ),
    "ranks.only-two-runs": (
        "{option} needs two runs to compare",
        "{option} 需要两次运行进行比较",
    ),
    "ranks.all-failed": (
        "no rank could be compared; the first: {reason}",
        "没有任何 rank 可以比较；第一个的原因：{reason}",
    ),
    "ranks.no-memory": (
        "not enough memory to compare this rank; fewer --jobs need less",
        "内存不足，无法比较该 rank；减小 --jobs 可降低内存需求",
    ),
    "ranks.process-ended": (
        "the process that compared this rank ended {tries} times, as when memory runs out; "
        "fewer --jobs need less",
        "比较该 rank 的进程 {tries} 次意外结束（例如内存不足）；减小 --jobs 可降低内存需求",
    ),
    "ranks.worker-lost": (
        "the cluster could not compare this rank: {reason}",
        "集群无法比较该 rank：{reason}",
    ),
    "ranks.no-dask": (
        "--dask needs the package distributed: pip install 'opdiff[dask]'",
        "--dask 需要 distributed 包：pip install 'opdiff[dask]'",
    ),
    "ranks.dask-unreachable": (
        "no Dask scheduler answers there: {reason}",
        "该地址没有 Dask 调度器响应：{reason}",
    ),
    "ranks.no-values": (
        "no values beside this trace",
        "该执行序旁没有数值文件",
    ),
    "ranks.values-missing": (
        "values of rank {ranks}: {reason}",
        "rank {ranks} 的数值：{reason}",
    ),
    "ranks.values-cut": (
        "{count} operands, of which the first {shown} are in the table",
        "共 {count} 个操作数，表中只有前 {shown} 个",
    ),
    "ranks.config-yaml": (
        "this is no YAML: {problem}",
        "不是合法的 YAML：{problem}",
    ),
    "ranks.config-shape": (
        "expected a mapping with api and compare_index, as msprobe's merge_result has it",
        "应为包含 api 与 compare_index 的映射，与 msprobe 的 merge_result 配置相同",
    ),
    "ranks.config-key": (
        "unknown key “{key}”; expected api and compare_index",
        "未知的键“{key}”；应为 api 与 compare_index",
    ),
    "ranks.config-no-api": (
        "api is missing or empty: it says which calls to put together",
        "缺少 api 或其为空：它说明要汇总哪些调用",
    ),
    "ranks.config-list": (
        "{key} must be a list of names",
        "{key} 应为名称列表",
    ),
    "ranks.config-figures": (
        "statistics tell none of {names}; those known are {known}",
        "统计量无法给出 {names} 中的任何一项；可用的有 {known}",
    ),
    "ranks.config-unseen": (
        "statistics cannot tell {names}: left out",
        "统计量无法给出 {names}：已略去",
    ),
    "ranks.gap": (
        "no sign of rank {ranks}",
        "没有 rank {ranks} 的任何痕迹",
    ),
    "ranks.problems": (
        "parts of the traces of rank {ranks} could not be read; 'opdiff info' says which",
        "rank {ranks} 的执行序有部分无法读取；'opdiff info' 可说明详情",
    ),
    "ranks.left": ("left", "左侧"),
    "ranks.right": ("right", "右侧"),
    "ranks.run": ("run", "运行"),
    "ranks.total": ("{count} ranks", "{count} 个 rank"),
    "ranks.count-equal": ("{count} equal", "{count} 个相同"),
    "ranks.count-differs": ("{count} differ", "{count} 个不同"),
    "ranks.count-missing-left": ("{count} missing on the left", "{count} 个在左侧缺失"),
    "ranks.count-missing-right": ("{count} missing on the right", "{count} 个在右侧缺失"),
    "ranks.count-missing": ("{count} missing", "{count} 个缺失"),
    "ranks.count-failed": ("{count} failed", "{count} 个失败"),
    "ranks.status-equal": ("equal", "相同"),
    "ranks.status-differs": ("differs", "不同"),
    "ranks.status-missing-left": ("missing on the left", "左侧缺失"),
    "ranks.status-missing-right": ("missing on the right", "右侧缺失"),
    "ranks.status-missing": ("missing", "缺失"),
    "ranks.status-failed": ("failed", "失败"),
    "ranks.rank-is": ("rank {rank}  {status}", "rank {rank}  {status}"),
    "ranks.rank": ("rank {rank}", "rank {rank}"),
    "ranks.cluster": (
        "cluster {id}  {count} ranks ({ranks}) · {ops} ops",
        "簇 {id}  {count} 个 rank（{ranks}）· {ops} 个算子",
    ),
    "ranks.cluster-one": (
        "cluster {id}  rank {ranks} · {ops} ops",
        "簇 {id}  rank {ranks} · {ops} 个算子",
    ),
    "ranks.cluster-odd": (
        "cluster {id}  odd: rank {ranks} · {ops} ops · differs from cluster {like}",
        "簇 {id}  异常：rank {ranks} · {ops} 个算子 · 与簇 {like} 不同",
    ),
    "ranks.stage": ("stage {stage}", "第 {stage} 流水段"),
    "ranks.block-all": (
        "the same on all {count} ranks:",
        "全部 {count} 个 rank 上都有：",
    ),
    "ranks.block-some": (
        "on {count} ranks ({ranks}):",
        "{count} 个 rank（{ranks}）上：",
    ),
    "ranks.block-one": (
        "only on rank {ranks}:",
        "仅 rank {ranks} 上：",
    ),
    "ranks.more-groups": ("… and {count} more groups", "……另有 {count} 组"),
    "ranks.more-partings": ("… and {count} more", "……另有 {count} 处"),
    "ranks.more-ranks": ("… and {count} more ranks", "……另有 {count} 个 rank"),
    "ranks.harmless": ("harmless", "无害"),
    "ranks.first-at": ("(rank {rank}: {place})", "（rank {rank}：{place}）"),
    "ranks.collectives": (
        "communication parts:",
        "通信不一致：",
    ),
    "ranks.line": ("rank {rank}, line {line}", "rank {rank}，第 {line} 行"),
    "ranks.parts-many": (
        "rank {ranks} calls {found} where the {others} others call {expected} "
        "(call {index} of group {group})",
        "rank {ranks} 调用 {found}，而其余 {others} 个 rank 调用 {expected}"
        "（通信组 {group} 的第 {index} 次调用）",
    ),
    "ranks.parts-even": (
        "rank {ranks} calls {found} where rank {others} calls {expected} "
        "(call {index} of group {group})",
        "rank {ranks} 调用 {found}，而 rank {others} 调用 {expected}"
        "（通信组 {group} 的第 {index} 次调用）",
    ),
    "ranks.parts-nothing": (
        "rank {ranks} calls nothing more in group {group} after {calls} calls, where {expected} "
        "is expected (call {index} of {expected_calls})",
        "rank {ranks} 在通信组 {group} 中调用 {calls} 次后不再调用，此处应为 {expected}"
        "（第 {index} 次，共 {expected_calls} 次）",
    ),
    "ranks.parts-more": (
        "rank {ranks} calls {found} in group {group} where the others have ended "
        "(call {index}; they make {expected_calls})",
        "rank {ranks} 在通信组 {group} 中还调用 {found}，而其他 rank 已结束"
        "（第 {index} 次；它们共 {expected_calls} 次）",
    ),
    "ranks.pair": (
        "rank {receiver} receives {found} where rank {sender} sends {expected} (number {index})",
        "rank {receiver} 接收 {found}，而 rank {sender} 发送 {expected}（第 {index} 次）",
    ),
    "ranks.pair-lost": (
        "rank {sender} sends {expected} to rank {receiver} (number {index}), which receives only "
        "{calls} of {expected_calls}",
        "rank {sender} 向 rank {receiver} 发送 {expected}（第 {index} 次），"
        "后者只接收了 {expected_calls} 次中的 {calls} 次",
    ),
    "ranks.pair-unsent": (
        "rank {receiver} waits for {found} from rank {sender} (number {index}), which sends only "
        "{expected_calls} of {calls}",
        "rank {receiver} 等待 rank {sender} 的 {found}（第 {index} 次），"
        "后者只发送了 {calls} 次中的 {expected_calls} 次",
    ),
    "ranks.title": ("opdiff: many ranks", "opdiff：多 rank 比较"),
    "ranks.clusters": ("clusters", "簇"),
    "ranks.heat-map": ("ranks by groups", "rank × 差异组"),
    "ranks.column-rank": ("rank", "rank"),
    "ranks.column-status": ("status", "状态"),
    "ranks.column-count": ("differences", "差异数"),
    "ranks.column-first": ("first", "首个差异"),
    "ranks.back": ("← Ranks", "← 各 rank"),
    "ranks.too-large-a-sheet": (
        "the sheet {name} has more rows or columns than Excel takes; choose fewer ranks with "
        "--rank, or --format csv or json",
        "工作表 {name} 的行或列超出 Excel 的限制；请用 --rank 选择较少的 rank，"
        "或使用 --format csv 或 json",
    ),
    "ranks.xlsx-to-file": (
        "xlsx is no text: give a file with -o FILE.xlsx",
        "xlsx 不是文本：请用 -o FILE.xlsx 指定文件",
    ),
    "ranks.sheet": (
        "{figure}, calls by rank:",
        "{figure}，各 rank 的调用：",
    ),
    "ranks.sheet-cut": (
        "… the worst of {calls} tensors on {ranks} ranks; --all lists them all",
        "……{ranks} 个 rank 上 {calls} 个张量中最差的；--all 可全部列出",
    ),
}
