"""What is said of values: what tensors held, beside the order of ops."""

from __future__ import annotations

SENTENCES = {
    "values.no-sidecar": (
        "this is no file of values. Expected a first line like '# opdiff-values 1; sketch=count16 "
        'seed=1\', as opdiff.record writes with values="sketch"',
        "这不是数值文件。首行应形如 '# opdiff-values 1; sketch=count16 seed=1'，"
        '由 opdiff.record 以 values="sketch" 写出',
    ),
    "values.version": (
        "values of version {version}: this opdiff reads version 1",
        "数值文件的版本为 {version}：此 opdiff 只读取版本 1",
    ),
    "values.no-columns": (
        "the second line must name the columns: {columns}",
        "第二行应列出各列名称：{columns}",
    ),
    "values.damaged-row": (
        "a row that cannot be read was skipped: {excerpt}",
        "跳过了无法读取的一行：{excerpt}",
    ),
    "values.twice": (
        "an operand has two rows: the later one counts",
        "同一操作数有两行：以后一行为准",
    ),
    "values.ends-early": (
        "the file ends before the trace does: ops {op} to {ops} have no values",
        "文件比执行序先结束：第 {op} 到 {ops} 个算子没有数值",
    ),
    "values.more-problems": (
        "and {count} more rows that cannot be read",
        "另有 {count} 行无法读取",
    ),
    "values.input": ("input", "输入"),
    "values.output": ("output", "输出"),
    "values.foreign-op": (
        "these values belong to another trace: they have an op {op}, and the trace only {ops} ops "
        "(counted from 0). Record both again, or leave the values out with --no-values",
        "这些数值属于另一份执行序：其中有算子 {op}，而执行序只有 {ops} 个算子（从 0 起计）。"
        "请重新记录，或用 --no-values 忽略数值",
    ),
    "values.foreign-operand": (
        "these values belong to another trace: op {op} ({name}) has no {side} {operand} there. "
        "Record both again, or leave the values out with --no-values",
        "这些数值属于另一份执行序：算子 {op}（{name}）没有{side} {operand}。"
        "请重新记录，或用 --no-values 忽略数值",
    ),
    "values.foreign-count": (
        "these values belong to another trace: {side} {operand} of op {op} ({name}) has {expected} "
        "elements there, here {found}. Record both again, or leave the values out with --no-values",
        "这些数值属于另一份执行序：算子 {op}（{name}）的{side} {operand} 有 {expected} 个元素，"
        "此处为 {found} 个。请重新记录，或用 --no-values 忽略数值",
    ),
    "values.foreign-names": (
        "these values belong to another trace: {count} of their {names} names are no op of it, "
        "such as {examples}",
        "这些数值属于另一份执行序：{names} 个名称中有 {count} 个不是其中的算子，例如 {examples}",
    ),
    "values.strangers": (
        "values of {count} names that are no op of the trace are left out: {examples}",
        "有 {count} 个名称不是执行序中的算子，其数值未使用：{examples}",
    ),
    "values.more-runs": (
        "{count} values are of later runs of ops that the trace has less often: left out",
        "有 {count} 个数值属于算子的后续执行，执行序中没有那么多次：未使用",
    ),
    "values.no-dump": (
        "there is no value in this dump. Expected in the folder or below it tensors like "
        "'Add.Default_Add-op0.0.0.1794812542691022.input.0.DefaultFormat.Float32.npy', or a "
        "statistic.csv",
        "该 dump 中没有任何数值。目录或其子目录中应有形如 "
        "'Add.Default_Add-op0.0.0.1794812542691022.input.0.DefaultFormat.Float32.npy' 的张量文件，"
        "或 statistic.csv",
    ),
    "values.no-statistics": (
        "these are no statistics of a dump: the first line must name 'Op Name', 'Timestamp', 'IO' "
        "and 'Slot'",
        "这不是 dump 的统计信息：首行应列出 'Op Name'、'Timestamp'、'IO'、'Slot'",
    ),
    "values.bad-statistic": (
        "a row of statistics that cannot be read was skipped",
        "跳过了无法读取的一行统计信息",
    ),
    "values.bad-tensor": (
        "the tensor cannot be read: {reason}",
        "无法读取张量：{reason}",
    ),
    "values.other-operands": (
        "{count} values are of operands that the trace prints otherwise or not at all: left out",
        "有 {count} 个数值属于执行序未打印或大小不同的操作数：未使用",
    ),
    "values.bad-floor": (
        "'{option}' is no floor of errors: write the precision and a number, as bf16=0.03; there "
        "is {known}",
        "'{option}' 不是误差下限：请写精度与数值，如 bf16=0.03；精度有 {known}",
    ),
    "values.bad-floor-number": (
        "'{option}': the floor of errors is a number from 0 to 1, as bf16=0.03",
        "'{option}'：误差下限应为 0 到 1 之间的数，如 bf16=0.03",
    ),
    "values.bad-jump": (
        "'{text}' is no jump: give a number above 1, as 10: an error so many times that of what it "
        "was made from is a cause",
        "'{text}' 不是跳变倍数：请给出大于 1 的数，如 10：误差达到其来源的这么多倍即视为原因",
    ),
    "values.only-one-side": (
        "only {side} has values: they are shown and not compared",
        "只有{side}有数值：显示但不比较",
    ),
    "values.needed": (
        "{option} needs values on both sides: record both runs with values, or name the files with "
        "--left-values and --right-values",
        "{option} 需要两侧都有数值：请带数值重新记录两次运行，"
        "或用 --left-values、--right-values 指定文件",
    ),
    "values.no-hashes": (
        '--bitwise needs hashes of one sort on both sides: record both runs with values="hash"',
        '--bitwise 需要两侧都有同一种哈希：请以 values="hash" 重新记录两次运行',
    ),
    "values.noise-run-without": (
        "the run that noise is to be measured from has no values",
        "用于测量噪声的运行没有数值",
    ),
    "values.noise-measured": (
        "What is noise was measured from {run}: {floors}.",
        "噪声由 {run} 测得：{floors}。",
    ),
    "cli.one-step-only": (
        "these folders hold several steps: anchors, --left-values and --right-values are of one "
        "trace. Name the step, as step_3 in both folders",
        "这些目录包含多个步：锚点、--left-values 和 --right-values 只属于一份执行序。"
        "请指定其中一步，例如两侧的 step_3",
    ),
    "cli.first-step": (
        "Step {step} is the first that differs by more than noise; {before}. This compares it.",
        "第 {step} 步是第一个差异超过噪声的步；{before}。以下是该步的比较。",
    ),
    "cli.steps-agree": ("steps before it agree ({steps})", "之前的步一致（{steps}）"),
    "cli.no-steps-agree": ("there is none before it", "之前没有其他步"),
    "cli.no-step": (
        "None of {count} steps differs by more than noise. This compares step {last}.",
        "{count} 步的差异都不超过噪声。以下是第 {last} 步的比较。",
    ),
    "cli.steps-of-one-side": (
        "Steps that only one side has were not compared: {steps}.",
        "只有一侧有的步未比较：{steps}。",
    ),
    "values.refused": (
        "Compared without values: {place}: {reason}",
        "未使用数值进行比较：{place}：{reason}",
    ),
    "values.no-ge-file": (
        "this is no whole file of GE's in the layout that is known. CANN's msaccucmp converts such "
        "files to NumPy (convert … -t npy)",
        "这不是完整的、已知布局的 GE 文件。CANN 的 msaccucmp 可将此类文件转换为 NumPy"
        "（convert … -t npy）",
    ),
    "values.ge-layout": (
        "a tensor lies as only the device needs it (format {layout}, type {kind}), which is not "
        "read. CANN's msaccucmp converts it to NumPy (convert … -t npy)",
        "张量按设备专用的方式存放（格式 {layout}，类型 {kind}），无法读取。"
        "CANN 的 msaccucmp 可将其转换为 NumPy（convert … -t npy）",
    ),
    "values.no-torch-file": (
        "this is no plain tensor of PyTorch's ({reason}); the program in such a file is never run",
        "这不是 PyTorch 的普通张量（{reason}）；此类文件中的程序从不执行",
    ),
    "values.no-torchair-dump": (
        "there is no tensor of TorchAir here. Expected, in the folder or below it, arrays like "
        "'mm-aten.mm.default.OUTPUT.0.20240125031118787351.npy' of FX, or files of GE",
        "此处没有 TorchAir 的张量。目录或其子目录中应有 FX 的 "
        "'mm-aten.mm.default.OUTPUT.0.20240125031118787351.npy' 一类的文件，或 GE 的文件",
    ),
    "values.foreign-dump": (
        "no tensor of this dump belongs to the graph: their names are of another one, or the graph "
        "does not say which tensor of FX its ops write (_fx_tensor_name)",
        "该 dump 中没有属于此图的张量：名称属于另一张图，"
        "或图中没有说明各算子写出 FX 的哪个张量（_fx_tensor_name）",
    ),
    "values.tokens": (
        "of several tokens ({tokens}) the values of {token} are taken; name the folder of another "
        "one to choose it",
        "有多个 token（{tokens}），取用 {token} 的数值；要选别的，请指定其目录",
    ),
    "values.old-tokens": (
        "folder {token} is token {meant}: versions up to 7.1.0 number tokens one too high",
        "目录 {token} 对应 token {meant}：7.1.0 及以前的版本多编一号",
    ),
    "values.summary": (
        "Values of {compared} pairs compared: {differ} differ by more than noise, {causes}.",
        "比较了 {compared} 对算子的数值：{differ} 对的差异超过噪声，{causes}。",
    ),
    "values.no-cause": ("no cause among them", "其中没有原因"),
    "values.one-cause": ("with 1 cause", "有 1 处原因"),
    "values.causes": ("with {count} causes", "有 {count} 处原因"),
    "values.same": (
        "Values of {compared} pairs compared: none differs by more than noise.",
        "比较了 {compared} 对算子的数值：差异均不超过噪声。",
    ),
    "values.statistics": (
        "{operand}: left {left}; right {right}",
        "{operand}：左侧 {left}；右侧 {right}",
    ),
    "values.figures": (
        "cosine {cosine}, max absolute error {absolute}, max relative error {relative}, "
        "{one} within 1e-3, {five} within 5e-3",
        "余弦相似度 {cosine}，最大绝对误差 {absolute}，最大相对误差 {relative}，"
        "{one} 在 1e-3 以内，{five} 在 5e-3 以内",
    ),
    "values.curve": (
        "Error along the execution order (log scale); the band is noise, marks are causes",
        "误差沿执行序的变化（对数坐标）；色带为噪声，标记为原因",
    ),
    "note.value-problem": ("{place}: {said}", "{place}：{said}"),
    "value.bits": ("other bits", "比特不同"),
    "divergence.value-compute": (
        "the inputs of {op} agree ({inputs}), {operand} does not ({error}): the op to look at",
        "{op} 的输入一致（{inputs}），{operand} 不一致（{error}）：请检查这个算子",
    ),
    "divergence.value-compute-more": (
        "the inputs of {op} differ by {inputs}, {operand} by {error}: the op to look at",
        "{op} 的输入相差 {inputs}，{operand} 相差 {error}：请检查这个算子",
    ),
    "divergence.value-compute-alone": (
        "{operand} of {op} differs ({error}); nothing is known of its inputs",
        "{op} 的{operand} 不一致（{error}）；其输入未知",
    ),
    "divergence.value-random": (
        "{op} is random: {operand} differs ({error}), unless both runs start from the same seed",
        "{op} 是随机算子：{operand} 不一致（{error}），除非两次运行使用相同的随机种子",
    ),
    "divergence.value-wiring": (
        "{operand} of {op} reads something else: what its producers wrote agrees ({inputs}), what "
        "is read does not ({error})",
        "{op} 的{operand} 读取了别的数据：其生产者写出的数据一致（{inputs}），"
        "读到的不一致（{error}）",
    ),
    "divergence.value-structure": (
        "{operand} of {op} differs ({error}): it was made by ops without counterpart ({ops}), from "
        "data that agrees ({inputs})",
        "{op} 的{operand} 不一致（{error}）：由没有对应者的算子（{ops}）产生，"
        "而其来源一致（{inputs}）",
    ),
    "divergence.value-external": (
        "{operand} of {op}, which no op wrote, differs ({error}): another weight, constant or "
        "input",
        "{op} 的{operand} 不由任何算子写出，且不一致（{error}）：权重、常量或输入不同",
    ),
    "divergence.value-consequence": (
        "{op} differs by about {error}: this follows from a cause above",
        "{op} 相差约 {error}：由上游的原因引起",
    ),
    "group.value-compute": (
        "{op}: inputs agree, the output does not (about {error})",
        "{op}：输入一致，输出不一致（约 {error}）",
    ),
    "group.value-random": (
        "{op}: random, the output differs (about {error})",
        "{op}：随机算子，输出不一致（约 {error}）",
    ),
    "group.value-wiring": (
        "{op} reads something else (about {error})",
        "{op} 读取了别的数据（约 {error}）",
    ),
    "group.value-structure": (
        "{op} reads what ops without counterpart made (about {error})",
        "{op} 读取了由无对应算子产生的数据（约 {error}）",
    ),
    "group.value-external": (
        "{op} reads another weight, constant or input (about {error})",
        "{op} 读取了不同的权重、常量或输入（约 {error}）",
    ),
    "group.value-consequence": (
        "values further down differ",
        "下游的数值因此不同",
    ),
    "values.left": ("the left trace", "左侧"),
    "values.right": ("the right trace", "右侧"),
}
