"""The structure of a trace, worked out once."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from opdiff.structure.building import build
from opdiff.structure.tree import Structure
from opdiff.structure.units import units_of
from opdiff.trace import Trace

_known: WeakKeyDictionary[Trace, Structure] = WeakKeyDictionary()


def structure_of(trace: Trace) -> Structure:
    """What a trace is made of; asked again of the same trace, the same."""
    found = _known.get(trace)
    if found is None:
        found = _known[trace] = build(units_of(trace))
    return found


def know(trace: Trace, structure: Structure) -> None:
    """Somebody else has found it."""
    _known.setdefault(trace, structure)
