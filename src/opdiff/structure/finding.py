"""The structure of a trace, worked out once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from opdiff.forked import Forked, can_fork
from opdiff.structure.building import build
from opdiff.structure.tree import Structure
from opdiff.structure.units import units_of
from opdiff.trace import Trace

_WORTH_IT = 50_000
"""Ops of all traces together: for fewer it takes no time."""

_known: WeakKeyDictionary[Trace, Structure] = WeakKeyDictionary()


def structure_of(trace: Trace) -> Structure:
    """What a trace is made of; asked again of the same trace, the same."""
    found = _known.get(trace)
    if found is None:
        found = _known[trace] = build(units_of(trace))
    return found


@contextlib.contextmanager
def structures_ahead(*traces: Trace) -> Iterator[None]:
    """Behind what is done within, the structure of these traces is known, if they are large.

    A copy of this process finds it meanwhile: every report asks for it, and comparing hardly does.
    """
    if sum(map(len, traces)) < _WORTH_IT or not can_fork():
        yield
        return
    found = Forked(lambda: [structure_of(trace) for trace in traces])
    try:
        yield
        for trace, structure in zip(traces, found.answer() or (), strict=False):
            _known.setdefault(trace, structure)
    finally:
        found.end()
