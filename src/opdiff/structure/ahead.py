"""The structure of large traces, found by a copy of this process while they are compared.

Every report asks for it, and comparing hardly does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from opdiff.forked import Forked, can_fork
from opdiff.structure.finding import know, structure_of
from opdiff.trace import Trace

_WORTH_IT = 50_000
"""Ops of all traces together: for fewer it takes no time."""


@contextlib.contextmanager
def structures_ahead(*traces: Trace) -> Iterator[None]:
    """Behind what is done within, the structure of these traces is known."""
    if sum(map(len, traces)) < _WORTH_IT or not can_fork():
        yield
        return
    found = Forked(lambda: [structure_of(trace) for trace in traces])
    try:
        yield
        for trace, structure in zip(traces, found.answer() or (), strict=False):
            know(trace, structure)
    finally:
        found.end()
