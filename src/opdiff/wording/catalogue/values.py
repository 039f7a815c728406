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
    "values.left": ("the left trace", "左侧"),
    "values.right": ("the right trace", "右侧"),
}
