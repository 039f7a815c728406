"""The word for each kind of divergence, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from opdiff.compare import Kind


def kind_name(kind: Kind) -> str:
    """A word or two for a chip, a list or a tooltip."""
    return _names()[kind]


def _names() -> dict[Kind, str]:
    # Spelled out call by call, by this very name: only so does lupdate find the words.
    translate = QCoreApplication.translate
    return {
        Kind.OP_TYPE: translate("KindName", "op type"),
        Kind.CONTIGUOUS: translate("KindName", "Contiguous"),
        Kind.LAYOUT_MISSING: translate("KindName", "strides/offset missing"),
        Kind.LAYOUT: translate("KindName", "strides/offset"),
        Kind.CPU_FALLBACK: translate("KindName", "CPU fallback"),
        Kind.DTYPE: translate("KindName", "dtype"),
        Kind.SHAPE: translate("KindName", "shape"),
        Kind.OPERANDS: translate("KindName", "operands"),
        Kind.ATTRS: translate("KindName", "attributes"),
        Kind.DATAFLOW: translate("KindName", "dataflow"),
        Kind.MOVED: translate("KindName", "moved"),
        Kind.FUSED: translate("KindName", "fused"),
        Kind.ONLY_LEFT: translate("KindName", "only left"),
        Kind.ONLY_RIGHT: translate("KindName", "only right"),
        Kind.VALUE: translate("KindName", "value"),
    }
