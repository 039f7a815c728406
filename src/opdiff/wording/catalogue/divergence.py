"""What is said of divergences, their groups, and requests that cannot be met."""

SENTENCES = {
    "divergence.op-type": (
        "{left} ran on the left, {right} on the right",
        "左侧执行 {left}，右侧执行 {right}",
    ),
    "divergence.op-type-known": (
        "{left} on the left, {right} on the right: known to do the same job",
        "左侧 {left}，右侧 {right}：已知的等价算子",
    ),
    "divergence.contiguous-left": ("dense copy on the left only", "仅左侧有稠密拷贝"),
    "divergence.contiguous-right": ("dense copy on the right only", "仅右侧有稠密拷贝"),
    "divergence.only-left": ("{op} ran on the left only", "{op} 仅在左侧执行"),
    "divergence.only-right": ("{op} ran on the right only", "{op} 仅在右侧执行"),
    "divergence.cpu-fallback-left": ("{left} ran on the host on the left", "左侧 {left} 退避到CPU"),
    "divergence.cpu-fallback-right": (
        "{right} ran on the host on the right",
        "右侧 {right} 退避到CPU",
    ),
    "divergence.operands": ("the number of operands of {left} differs", "{left} 的操作数个数不同"),
    "divergence.dtype": ("the dtype of an operand of {left} differs", "{left} 的操作数类型不同"),
    "divergence.shape": ("the shape of an operand of {left} differs", "{left} 的操作数形状不同"),
    "divergence.layout": (
        "strides or offset of an operand of {left} differ",
        "{left} 的操作数 strides/offset 不同",
    ),
    "divergence.layout-missing-left": (
        "strides and offset missing on the left",
        "左侧缺失 strides/offset",
    ),
    "divergence.layout-missing-right": (
        "strides and offset missing on the right",
        "右侧缺失 strides/offset",
    ),
    "divergence.attrs": ("attributes of {left} differ", "{left} 的属性不同"),
    "group.op-type": ("{left} → {right}", "{left} → {right}"),
    "group.op-type-known": ("{left} → {right}", "{left} → {right}"),
    "group.contiguous-left": ("Contiguous inserted on the left", "左侧插入 Contiguous"),
    "group.contiguous-right": ("Contiguous inserted on the right", "右侧插入 Contiguous"),
    "group.only-left": ("{op} only on the left", "{op} 仅在左侧"),
    "group.only-right": ("{op} only on the right", "{op} 仅在右侧"),
    "group.cpu-fallback-left": ("{left} on the host on the left", "左侧 {left} 退避到CPU"),
    "group.cpu-fallback-right": ("{right} on the host on the right", "右侧 {right} 退避到CPU"),
    "group.operands": ("number of operands of {left}", "{left} 操作数个数"),
    "group.dtype": ("dtype of {left}", "{left} 数据类型"),
    "group.shape": ("shape of {left}", "{left} 形状"),
    "group.layout": ("strides and offset of {left}", "{left} strides/offset"),
    "group.layout-missing-left": (
        "strides and offset missing on the left: {left}",
        "左侧缺失 strides/offset：{left}",
    ),
    "group.layout-missing-right": (
        "strides and offset missing on the right: {left}",
        "右侧缺失 strides/offset：{left}",
    ),
    "group.attrs": ("attributes of {left}", "{left} 属性"),
    "scope.anchors-needed": (
        "comparing {direction} needs an anchor on both sides: choose one op on the left and one on the right",
        "向 {direction} 比较需要左右两侧各有一个锚点",
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
        "the left row of a pin names no op; the trace has {ops} ops",
        "固定配对的左侧行没有算子；该执行序共有 {ops} 个算子",
    ),
    "scope.right-pin-no-op": (
        "the right row of a pin names no op; the trace has {ops} ops",
        "固定配对的右侧行没有算子；该执行序共有 {ops} 个算子",
    ),
    "scope.pin-outside": (
        "the pin {left}:{right} lies outside the compared range (direction {direction}): remove it or compare the whole traces",
        "固定配对 {left}:{right} 不在比较范围内（方向 {direction}）：请移除它或比较整个执行序",
    ),
    "scope.pins-cross": (
        "the pairs {first} and {second} cross or share an op: remove one of them",
        "配对 {first} 与 {second} 交叉或共用同一算子：请移除其中之一",
    ),
}
