"""One order for the rows of both sides, so that divergences can be told near from far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.matching import Matching
from opdiff.compare.records.findings import Columns
from opdiff.compare.request import Direction
from opdiff.trace.columns import Flags, Longs

_STEP = np.int64(1 << 21)


def places_of(matching: Matching, crossing: Flags) -> tuple[Longs, Longs]:
    """Of each row of each side its place: counterparts share one, others follow the pair before.

    *crossing* says of each left row whether its pair crosses those that give the order.
    """
    left, right = matching.paired()
    straight = ~crossing[left]
    return (
        _places(left[straight], matching.rows[0]),
        _places(right[straight], matching.rows[1]),
    )


def _places(paired: NDArray[np.integer], count: int) -> Longs:
    rows = np.arange(count, dtype=np.int64)
    before = np.cumsum(np.bincount(paired, minlength=count))
    last = np.concatenate(([-1], paired))[before]
    places: Longs = before * _STEP + np.minimum(rows - last, _STEP - 1)
    return places


def record_places(columns: Columns, places: tuple[Longs, Longs], direction: Direction) -> Longs:
    """Of each divergence its place: of several rows the one nearest to where comparing starts."""
    nearest = np.minimum if direction is Direction.DOWN else np.maximum
    far = np.iinfo(np.int64).max if direction is Direction.DOWN else -1
    both = [
        np.where(rows >= 0, side[np.maximum(rows, 0)] if len(side) else far, far)
        for rows, side in ((columns.left, places[0]), (columns.right, places[1]))
    ]
    found: Longs = nearest(both[0], both[1])
    return found


def nearest_first(columns: Columns, at: Longs, direction: Direction, anchor: int | None) -> Longs:
    """The divergences in order: nearest the anchor first, from the top where there is none."""
    if anchor is not None and direction is Direction.WHOLE:
        distance = np.abs(at - anchor)
    else:
        distance = -at if direction is Direction.UP else at
    line = np.maximum(columns.left, columns.right)
    return np.lexsort((columns.left < 0, line, columns.kind, distance))
