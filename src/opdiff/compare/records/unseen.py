"""What a format never prints is no difference: no strides, no outputs, no links.

A compiled graph of MindSpore's tracker that prints none is another matter: its format has them, and
that they are missing there is what the user looks for.
"""

from __future__ import annotations

from collections.abc import Callable

from opdiff.compare.kinds import Kind
from opdiff.compare.records.differences import Difference
from opdiff.trace import Trace

_STRIDELESS = frozenset(
    "mindspore-graph-ir mindspore-execute-order mindspore-dump msprobe torchair torch-export "
    "torch-debugmode".split()
)
"""Formats without strides."""
_SOME = frozenset({"fx"})
"""Formats that have them in some of their forms: all or none of a file."""

_PERHAPS_UNLINKED = frozenset({"torch-npu-log", "torch-debugmode", "torch-profiler"})
"""Formats that name tensors in some of their forms, or never."""

_GUESSED_LINKS = frozenset({"torch-debugmode", "msprobe", "mindspore-dump", "torch-npu-log"})
"""Formats that name tensors by objects, contents or addresses: some links are lost."""

_FLAVOURS = "torchair"
"""A format of several flavours: its code leaves out what its graphs print."""


def print_alike(left: Trace, right: Trace) -> bool:
    """Whether an argument that only one of the traces prints is a difference."""
    return left.source.format == right.source.format != _FLAVOURS


def unseen(left: Trace, right: Trace) -> Callable[[Difference], bool]:
    """Tells differences that are there only because one of the files could not say otherwise."""
    strides = prints_strides(left) and prints_strides(right)
    outputs = prints_outputs(left), prints_outputs(right)

    def is_unseen(difference: Difference) -> bool:
        if difference.kind in (Kind.LAYOUT_MISSING, Kind.LAYOUT):
            return not strides
        if difference.kind is not Kind.OPERANDS or all(outputs):
            return False
        _, inputs, _, other_inputs = difference.counts
        return inputs == other_inputs

    return is_unseen


def same_links(left: Trace, right: Trace) -> bool:
    """Whether both traces tell which op reads what another wrote, or neither does."""
    return _is_linked(left) == _is_linked(right)


def untold_links(left: Trace, right: Trace) -> tuple[bool, bool]:
    """Of each trace, whether its format may leave out a link that the other's format has."""
    formats = left.source.format, right.source.format
    if formats[0] == formats[1]:
        return False, False
    return formats[0] in _GUESSED_LINKS, formats[1] in _GUESSED_LINKS


def _is_linked(trace: Trace) -> bool:
    """False only for formats that may lack all links; elsewhere a lost link is a finding."""
    if trace.source.format not in _PERHAPS_UNLINKED:
        return True
    return bool((trace.links.producer >= 0).any())


def prints_outputs(trace: Trace) -> bool:
    """Whether a trace tells what ops write; else one that reads nothing shows no operands."""
    return len(trace.outputs.memory) > 0


def prints_strides(trace: Trace) -> bool:
    """Whether a trace would show strides where a tensor is no plain one."""
    if trace.source.format in _SOME:
        return any(spec.is_view for spec in trace.tables.specs)
    return trace.source.format not in _STRIDELESS
