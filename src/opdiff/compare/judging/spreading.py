"""Whether two ops that spread one value out put its elements in another order.

Heads repeated all at once are not heads each repeated by itself. Where no arguments are printed,
the shapes before and after tell: every axis is repeated as a whole.
"""

from __future__ import annotations

from math import prod

import numpy as np

from opdiff.compare.matching import Matching
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.traits import Trait

_LARGEST = 1 << 48
_PROBES = 64
_SPREAD = 2654435761
"""A large prime: its multiples fall all over a tensor."""

Shape = tuple[int, ...]


def spread_otherwise(
    sides: tuple[Prepared, Prepared], matching: Matching, row: int, other: int
) -> bool:
    """Whether both of a pair spread one value out, and other elements stand at the same places."""
    left, right = sides
    read = left.read_by(row), right.read_by(other)
    if len(read[0]) != 1 or len(read[1]) != 1 or matching.partner[0][read[0][0]] != read[1][0]:
        return False
    shapes = [_shapes(side, at) for side, at in ((left, row), (right, other))]
    if shapes[0] is None or shapes[1] is None:
        return False
    (before, after), (other_before, other_after) = shapes[0], shapes[1]
    alike = [[size for size in shape if size != 1] for shape in (before, other_before)]
    if alike[0] != alike[1] or prod(after) != prod(other_after):
        return False
    return _places(before, after) != _places(other_before, other_after)


def _shapes(side: Prepared, row: int) -> tuple[Shape, Shape] | None:
    """The shapes before and after a row that spreads, as far as both can be."""
    trace = side.trace
    inputs, outputs = trace.inputs, trace.outputs
    spreads = bool(trace.traits[row] & Trait.SPREADS)
    if not spreads or outputs.start[row] == outputs.start[row + 1]:
        return None
    before = trace.tables.specs[inputs.spec[inputs.start[row]]].shape
    after = trace.tables.specs[outputs.spec[outputs.start[row]]].shape
    before = (1,) * (len(after) - len(before)) + before
    sound = len(before) == len(after) and min(before, default=0) > 0
    fits = sound and all(not size % max(part, 1) for part, size in zip(before, after, strict=True))
    return (before, after) if fits and 0 < prod(after) < _LARGEST else None


def _places(before: Shape, after: Shape) -> list[int]:
    """Which elements of what is spread stand at some places of the result."""
    size = prod(after)
    probes = sorted({0, size - 1, *(number * _SPREAD % size for number in range(_PROBES))})
    index = np.unravel_index(probes, after)
    inside = [each % part for each, part in zip(index, before, strict=True)]
    found: list[int] = np.ravel_multi_index(inside, before).tolist()
    return found
