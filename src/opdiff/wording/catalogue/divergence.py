"""What is said of divergences, their groups, and requests that cannot be met."""

SENTENCES = {
    "side.left": ("left", "左侧"),
    "side.right": ("right", "右侧"),
    "operand.input": ("input {number}", "输入 {number}"),
    "operand.output": ("output {number}", "输出 {number}"),
    "operand.more": (" (and {count} more)", "（另有 {count} 处）"),
    "operand.none": ("", ""),
    "source.op": ("{op} (line {line})", "{op}（第 {line} 行）"),
    "source.outside": (
        "a parameter or input from outside (%{memory}, first read at line {line})",
        "外部的参数或输入（%{memory}，首次读取于第 {line} 行）",
    ),
    "source.none": ("memory that no op of the trace wrote", "执行序中无算子写入的内存"),
    "divergence.op-type-known": (
        "left runs {left}, right runs {right}: known to do the same job",
        "左侧执行 {left}，右侧执行 {right}：已知的等价算子",
    ),
    "divergence.op-type-other": (
        "left computes this value with {left}, right with {right}",
        "此处左侧用 {left} 计算，右侧用 {right} 计算",
    ),
    "divergence.op-type-copy-right": (
        "right copies with {right} where left takes a view with {left}",
        "左侧 {left} 取视图，右侧 {right} 做拷贝",
    ),
    "divergence.op-type-copy-left": (
        "left copies with {left} where right takes a view with {right}",
        "右侧 {right} 取视图，左侧 {left} 做拷贝",
    ),
    "divergence.op-type-inplace-left": (
        "left writes into its input with {left}, right makes a new tensor with {right}",
        "左侧 {left} 原地写入，右侧 {right} 生成新张量",
    ),
    "divergence.op-type-inplace-right": (
        "right writes into its input with {right}, left makes a new tensor with {left}",
        "右侧 {right} 原地写入，左侧 {left} 生成新张量",
    ),
    "divergence.contiguous-entry": (
        "dense copy on the {side} where eager code enters the compiled graph",
        "{side}在动态图进入静态图处多了一次连续化拷贝",
    ),
    "divergence.contiguous-exit": (
        "dense copy on the {side} where the compiled graph hands over to eager code",
        "{side}在静态图返回动态图处多了一次连续化拷贝",
    ),
    "divergence.contiguous-hidden": (
        "dense copy on the {side} that prints no operands: its reader shows no producer",
        "{side}多了一次不打印操作数的连续化拷贝：其读者没有生产者",
    ),
    "divergence.contiguous-copy": (
        "dense copy on the {side} only: the other side reads the tensor as it is",
        "仅{side}做了连续化拷贝：另一侧直接读取该张量",
    ),
    "divergence.only-left-read": (
        "{op} ran on the left only; {count} ops read its result there",
        "{op} 仅在左侧执行，其结果在左侧被 {count} 个算子读取",
    ),
    "divergence.only-left-once": (
        "{op} ran on the left only; one op reads its result there",
        "{op} 仅在左侧执行，其结果在左侧被一个算子读取",
    ),
    "divergence.only-left-unlinked": (
        "{op} ran on the left only",
        "{op} 仅在左侧执行",
    ),
    "divergence.only-left-unread": (
        "{op} ran on the left only; no op reads its result",
        "{op} 仅在左侧执行，没有算子读取其结果",
    ),
    "divergence.only-right-read": (
        "{op} ran on the right only; {count} ops read its result there",
        "{op} 仅在右侧执行，其结果在右侧被 {count} 个算子读取",
    ),
    "divergence.only-right-once": (
        "{op} ran on the right only; one op reads its result there",
        "{op} 仅在右侧执行，其结果在右侧被一个算子读取",
    ),
    "divergence.only-right-unlinked": (
        "{op} ran on the right only",
        "{op} 仅在右侧执行",
    ),
    "divergence.only-right-unread": (
        "{op} ran on the right only; no op reads its result",
        "{op} 仅在右侧执行，没有算子读取其结果",
    ),
    "divergence.cpu-fallback-lost": (
        "{op} ran on the host on the {side}: its consumers read memory that no op of that trace "
        "wrote ({lost} lost)",
        "{side} {op} 退避到CPU：其消费者有 {lost} 个输入读取了该执行序中无算子写入的内存",
    ),
    "divergence.cpu-fallback-chain": (
        "{op} ran on the host on the {side}: its device operands are gone",
        "{side} {op} 退避到CPU：其设备侧操作数消失",
    ),
    "divergence.operands-inputs": (
        "{op} reads {ins} tensors on the left, {other_ins} on the right: an input was lost, added "
        "or became a constant",
        "{op} 左侧有 {ins} 个输入张量，右侧有 {other_ins} 个：某个输入丢失、新增或变成了常量",
    ),
    "divergence.operands-outputs": (
        "{op} writes {outs} tensors on the left, {other_outs} on the right",
        "{op} 左侧有 {outs} 个输出张量，右侧有 {other_outs} 个",
    ),
    "divergence.operands-both": (
        "{op} reads {ins} and writes {outs} tensors on the left, reads {other_ins} and writes "
        "{other_outs} on the right",
        "{op} 左侧 {ins} 个输入、{outs} 个输出，右侧 {other_ins} 个输入、{other_outs} 个输出",
    ),
    "divergence.dtype": (
        "{operand} of {op} is {left} on the left, {right} on the right{more}",
        "{op} 的{operand}：左侧为 {left}，右侧为 {right}{more}",
    ),
    "divergence.shape": (
        "{operand} of {op} has shape {left} on the left, {right} on the right{more}",
        "{op} 的{operand}：左侧形状为 {left}，右侧为 {right}{more}",
    ),
    "divergence.layout": (
        "{operand} of {op} has strides and offset {left} on the left, {right} on the right{more}",
        "{op} 的{operand}：strides/offset 左侧为 {left}，右侧为 {right}{more}",
    ),
    "divergence.layout-missing-right": (
        "{operand} of {op} is a view {left} on the left, a dense tensor on the right{more}",
        "{op} 的{operand}：左侧为视图 {left}，右侧为连续张量{more}",
    ),
    "divergence.layout-missing-left": (
        "{operand} of {op} is a dense tensor on the left, a view {right} on the right{more}",
        "{op} 的{operand}：左侧为连续张量，右侧为视图 {right}{more}",
    ),
    "divergence.layout-missing-both": (
        "strides and offset are missing on the left for some operands of {op}, on the right for "
        "others: {operand} is a view {left} only on the left{more}",
        "{op} 的操作数左右两侧各有缺失 strides/offset：{operand} 仅左侧为视图 {left}{more}",
    ),
    "divergence.attrs": (
        "{op} has {key} {left} on the left, {right} on the right",
        "{op} 的属性 {key} 左侧为 {left}，右侧为 {right}",
    ),
    "divergence.attrs-several": (
        "attributes {keys} of {op} differ: {key} is {left} on the left, {right} on the right",
        "{op} 的属性 {keys} 不同：{key} 左侧为 {left}，右侧为 {right}",
    ),
    "divergence.dataflow": (
        "input {number} of {op} comes from {left} on the left, from {right} on the right",
        "{op} 的输入 {number} 左侧来自 {left}，右侧来自 {right}",
    ),
    "divergence.moved-later": (
        "{op} runs later on the right (by {count} in the order), with the same producers and "
        "consumers",
        "{op} 在右侧晚 {count} 个算子执行，生产者和消费者相同",
    ),
    "divergence.moved-later-by-name": (
        "{op} runs later on the right (by {count} in the order), as far as names tell: it prints "
        "no operands",
        "{op} 在右侧晚 {count} 个算子执行（仅凭名称判断：该算子不打印操作数）",
    ),
    "divergence.moved-earlier-by-name": (
        "{op} runs earlier on the right (by {count} in the order), as far as names tell: it prints "
        "no operands",
        "{op} 在右侧早 {count} 个算子执行（仅凭名称判断：该算子不打印操作数）",
    ),
    "divergence.moved-earlier": (
        "{op} runs earlier on the right (by {count} in the order), with the same producers and "
        "consumers",
        "{op} 在右侧早 {count} 个算子执行，生产者和消费者相同",
    ),
    "divergence.fused-right": (
        "{one} on the right does the work of {many} on the left",
        "右侧 {one} 完成了左侧 {many} 的工作",
    ),
    "divergence.fused-left": (
        "{one} on the left does the work of {many} on the right",
        "左侧 {one} 完成了右侧 {many} 的工作",
    ),
    "note.format": ("the {side} trace: {said}", "{side}执行序：{said}"),
    "note.no-operands": (
        "the {side} trace prints no operands: only names and order are compared",
        "{side}执行序没有打印操作数：只能比较名称和顺序",
    ),
    "note.hidden-copies": (
        "{count} copies of the {side} trace do not print what they read; "
        "it is taken to be what the other side reads there",
        "{side}执行序中有 {count} 个拷贝未打印所读的值；按另一侧在该处所读的值推断",
    ),
    "note.no-stacks": (
        "the {side} trace has no Python stacks: places have no source lines",
        "{side}执行序没有 Python 调用栈：位置没有源代码行",
    ),
    "note.no-scalars": (
        "the {side} trace was recorded without scalar arguments: another dim, eps or reduction"
        " cannot be seen; record it again with this version",
        "{side}执行序录制时没有标量参数：dim、eps、reduction 等的不同无法看到；请用本版本重新录制",
    ),
    "note.unrelated": (
        "Hardly anything in common: {found} of {of} ops on the left have a counterpart."
        " Are these runs of the same model?",
        "几乎没有共同之处：左侧 {of} 个算子中有 {found} 个找到对应。这两次运行是同一个模型吗？",
    ),
    "note.coarse": (
        "{count} ops differ too much to be aligned at once: they were aligned in windows,"
        " and another pairing may fit better",
        "{count} 个算子差异过大，无法一次对齐：已分窗口对齐，可能存在更好的配对",
    ),
    "note.same-file": ("both sides are the same file", "两侧是同一个文件"),
    "note.anchor-types": (
        "the anchors are ops of different types: {left} and {right}",
        "两个锚点的算子类型不同：{left} 与 {right}",
    ),
    "note.anchor-hint": (
        "lines {left} and {right} fit better as anchors: {gain} more ops find their counterparts",
        "第 {left} 行与第 {right} 行更适合作锚点：可多匹配 {gain} 个算子",
    ),
    "group.region-left": ("{ops}: {count} ops only on the left", "{ops}：{count} 个算子仅左侧有"),
    "group.region-right": (
        "{ops}: {count} ops only on the right",
        "{ops}：{count} 个算子仅右侧有",
    ),
    "group.repeat-left": (
        "{ops}: {count} ops, one of {of} repeats, only on the left",
        "{ops}：{count} 个算子（{of} 次重复之一）仅左侧有",
    ),
    "group.repeat-right": (
        "{ops}: {count} ops, one of {of} repeats, only on the right",
        "{ops}：{count} 个算子（{of} 次重复之一）仅右侧有",
    ),
    "group.micro-batches": (
        "{left} micro-batches on the left, {right} on the right: {count} ops more",
        "左侧 {left} 个微批，右侧 {right} 个：多出 {count} 个算子",
    ),
    "group.one-micro-batches": (
        "1 micro-batch on the left, {right} on the right: {count} ops more",
        "左侧 1 个微批，右侧 {right} 个：多出 {count} 个算子",
    ),
    "group.steps": (
        "{left} training steps on the left, {right} on the right: {count} ops more",
        "左侧 {left} 个训练步，右侧 {right} 个：多出 {count} 个算子",
    ),
    "group.one-steps": (
        "1 training step on the left, {right} on the right: {count} ops more",
        "左侧 1 个训练步，右侧 {right} 个：多出 {count} 个算子",
    ),
    "group.again-left": (
        "{ops}: {count} ops run again on the left",
        "{ops}：{count} 个算子在左侧重新计算",
    ),
    "group.again-right": (
        "{ops}: {count} ops run again on the right",
        "{ops}：{count} 个算子在右侧重新计算",
    ),
    "group.end-left": (
        "the right trace ends here; the left goes on for {count} ops ({ops})",
        "右侧执行序到此结束；左侧还有 {count} 个算子（{ops}）",
    ),
    "group.end-right": (
        "the left trace ends here; the right goes on for {count} ops ({ops})",
        "左侧执行序到此结束；右侧还有 {count} 个算子（{ops}）",
    ),
    "group.host-left": ("{function} ran on the host on the left", "{function} 在左侧的主机上执行"),
    "group.host-right": (
        "{function} ran on the host on the right",
        "{function} 在右侧的主机上执行",
    ),
    "group.replaced": (
        "{left} → {right}: replaced, a guess",
        "{left} → {right}：被替换（推测）",
    ),
    "group.schedule": ("the schedule differs", "调度顺序不同"),
    "group.op-type": ("{left} → {right}", "{left} → {right}"),
    "group.contiguous-left": ("Contiguous inserted on the left", "左侧插入 Contiguous"),
    "group.contiguous-right": ("Contiguous inserted on the right", "右侧插入 Contiguous"),
    "group.only-left": ("{op} only on the left", "{op} 仅在左侧"),
    "group.only-right": ("{op} only on the right", "{op} 仅在右侧"),
    "group.cpu-fallback-left": ("{op}: on the host on the left", "{op}：左侧退避到CPU"),
    "group.cpu-fallback-right": ("{op}: on the host on the right", "{op}：右侧退避到CPU"),
    "group.operands": ("{op}: another number of operands", "{op}：操作数个数不同"),
    "group.dtype": ("{op}: another dtype", "{op}：数据类型不同"),
    "group.shape": ("{op}: another shape", "{op}：形状不同"),
    "group.layout": ("{op}: other strides or offset", "{op}：strides/offset 不同"),
    "group.layout-missing-left": (
        "{op}: strides and offset missing on the left",
        "{op}：左侧缺失 strides/offset",
    ),
    "group.layout-missing-right": (
        "{op}: strides and offset missing on the right",
        "{op}：右侧缺失 strides/offset",
    ),
    "group.layout-missing-both": (
        "{op}: strides and offset missing on either side",
        "{op}：两侧各有缺失 strides/offset",
    ),
    "group.attrs": ("{op}: other {keys}", "{op}：{keys} 不同"),
    "group.dataflow": ("{op}: another producer", "{op}：生产者不同"),
    "group.moved": ("{op}: at another place in the order", "{op}：执行位置改变"),
    "group.fused": ("{left} → {right}", "{left} → {right}"),
    "candidate.reason": (
        "{name}{shapes}{around}{function}{place}",
        "{name}{shapes}{around}{function}{place}",
    ),
    "candidate.name-same": ("same op", "算子相同"),
    "candidate.name-known": ("known counterpart", "已知的等价算子"),
    "candidate.name-alike": ("similar name", "名称相近"),
    "candidate.shapes": (", same shapes", "，形状相同"),
    "candidate.around": (", same neighbours", "，上下游相同"),
    "candidate.function": (", same function", "，所在函数相同"),
    "candidate.place": (", same turn from the end", "，自末尾起次序相同"),
    "candidate.nothing": ("", ""),
    "scope.anchors-needed": (
        "comparing {direction} needs an anchor on both sides: choose an op on the left and one on "
        "the right",
        "按方向 {direction} 比较需要左右两侧各有一个锚点：请在两侧各选一个算子",
    ),
    "scope.left-anchor-missing": (
        "the right side has an anchor, the left has none: give both",
        "右侧有锚点而左侧没有：请同时给出两侧锚点",
    ),
    "scope.right-anchor-missing": (
        "the left side has an anchor, the right has none: give both",
        "左侧有锚点而右侧没有：请同时给出两侧锚点",
    ),
    "scope.left-anchor-no-op": (
        "the left anchor names no op; the trace has {ops} ops",
        "左侧锚点处没有算子；该执行序共有 {ops} 个算子",
    ),
    "scope.right-anchor-no-op": (
        "the right anchor names no op; the trace has {ops} ops",
        "右侧锚点处没有算子；该执行序共有 {ops} 个算子",
    ),
    "scope.left-pin-no-op": (
        "the left side of a pin names no op; the trace has {ops} ops",
        "固定配对的左侧没有算子；该执行序共有 {ops} 个算子",
    ),
    "scope.right-pin-no-op": (
        "the right side of a pin names no op; the trace has {ops} ops",
        "固定配对的右侧没有算子；该执行序共有 {ops} 个算子",
    ),
    "scope.pin-outside": (
        "the pin {left}:{right} lies outside the compared range (direction {direction}): remove it "
        "or compare the whole traces",
        "固定配对 {left}:{right} 不在比较范围内（方向 {direction}）：请移除它或比较整个执行序",
    ),
    "scope.pins-cross": (
        "the pairs {first} and {second} cross or share an op: remove one of them",
        "配对 {first} 与 {second} 交叉或共用同一算子：请移除其中之一",
    ),
}
