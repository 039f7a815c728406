"""The word for each kind of divergence, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from opdiff.compare import Kind


def kind_name(kind: Kind) -> str:
    """A word or two for a chip, a list or a tooltip."""
    return _names()[kind]


def _names() -> dict[Kind, str]:
    # Spelled out call by call: only so does lupdate find the words.
    say = QCoreApplication.translate
    return {
        Kind.OP_TYPE: say("KindName", "op type"),
        Kind.CONTIGUOUS: say("KindName", "Contiguous"),
        Kind.LAYOUT_MISSING: say("KindName", "strides/offset missing"),
        Kind.LAYOUT: say("KindName", "strides/offset"),
        Kind.CPU_FALLBACK: say("KindName", "CPU fallback"),
        Kind.DTYPE: say("KindName", "dtype"),
        Kind.SHAPE: say("KindName", "shape"),
        Kind.OPERANDS: say("KindName", "operands"),
        Kind.ATTRS: say("KindName", "attributes"),
        Kind.DATAFLOW: say("KindName", "dataflow"),
        Kind.MOVED: say("KindName", "moved"),
        Kind.FUSED: say("KindName", "fused"),
        Kind.ONLY_LEFT: say("KindName", "only left"),
        Kind.ONLY_RIGHT: say("KindName", "only right"),
    }
