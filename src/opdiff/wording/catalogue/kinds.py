"""The kinds of divergence: one name each, for the window and for reports."""

from __future__ import annotations

SENTENCES = {
    "kind.op-type": ("op type", "算子类型"),
    "kind.contiguous": ("Contiguous", "Contiguous"),
    "kind.layout-missing": ("strides/offset missing", "缺失 strides/offset"),
    "kind.layout": ("strides/offset", "strides/offset"),
    "kind.cpu-fallback": ("CPU fallback", "CPU 退避"),
    "kind.dtype": ("dtype", "数据类型"),
    "kind.shape": ("shape", "形状"),
    "kind.operands": ("operands", "操作数"),
    "kind.attrs": ("attributes", "属性"),
    "kind.dataflow": ("dataflow", "数据流"),
    "kind.moved": ("moved", "移动"),
    "kind.fused": ("fused", "融合"),
    "kind.only-left": ("only left", "仅左侧"),
    "kind.only-right": ("only right", "仅右侧"),
    "kind.value": ("value", "数值"),
}
