"""The kinds of divergence, and which of two matters more."""

from __future__ import annotations

from enum import Enum


class Kind(str, Enum):
    """One way in which two runs differ; the values are what JSON and the command line say."""

    OP_TYPE = "op-type"
    CONTIGUOUS = "contiguous"
    LAYOUT_MISSING = "layout-missing"
    LAYOUT = "layout"
    CPU_FALLBACK = "cpu-fallback"
    DTYPE = "dtype"
    SHAPE = "shape"
    OPERANDS = "operands"
    ATTRS = "attrs"
    DATAFLOW = "dataflow"
    MOVED = "moved"
    FUSED = "fused"
    ONLY_LEFT = "only-left"
    ONLY_RIGHT = "only-right"
    VALUE = "value"

    def __str__(self) -> str:
        return self.value

    @property
    def number(self) -> int:
        """Its place among all kinds."""
        return _NUMBERS[self]

    @property
    def mirrored(self) -> Kind:
        """The kind it is when the sides are swapped."""
        return _MIRROR.get(self, self)


_NUMBERS = {kind: number for number, kind in enumerate(Kind)}
_MIRROR = {Kind.ONLY_LEFT: Kind.ONLY_RIGHT, Kind.ONLY_RIGHT: Kind.ONLY_LEFT}

SEVERITY: tuple[Kind, ...] = (
    Kind.MOVED,
    Kind.LAYOUT_MISSING,
    Kind.LAYOUT,
    Kind.CONTIGUOUS,
    Kind.ATTRS,
    Kind.FUSED,
    Kind.OP_TYPE,
    Kind.DATAFLOW,
    Kind.SHAPE,
    Kind.DTYPE,
    Kind.OPERANDS,
    Kind.ONLY_LEFT,
    Kind.ONLY_RIGHT,
    Kind.CPU_FALLBACK,
    Kind.VALUE,
)
"""Least severe first: what a single mark shows where several kinds meet."""
