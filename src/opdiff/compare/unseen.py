"""What a format never prints is no difference: no strides, no outputs, no links.

A compiled graph of MindSpore's tracker that prints none is another matter: its format has them, and
that they are missing there is what the user looks for.
"""

from __future__ import annotations

from collections.abc import Callable

from opdiff.compare.differences import Difference
from opdiff.compare.kinds import Kind
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


def unseen(left: Trace, right: Trace) -> Callable[[Difference], bool]:
    """Tells differences that are there only because one of the files could not say otherwise."""
    strides = prints_strides(left) and prints_strides(right)
    outputs = [len(trace.outputs.memory) > 0 for trace in (left, right)]

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


def _is_linked(trace: Trace) -> bool:
    """False only for formats that may lack all links; elsewhere a lost link is a finding."""
    if trace.source.format not in _PERHAPS_UNLINKED:
        return True
    return bool((trace.links.producer >= 0).any())


def prints_strides(trace: Trace) -> bool:
    """Whether a trace would show strides where a tensor is no plain one."""
    if trace.source.format in _SOME:
        return any(spec.is_view for spec in trace.tables.specs)
    return trace.source.format not in _STRIDELESS
