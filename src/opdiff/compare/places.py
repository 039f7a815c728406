"""One order for the rows of both sides, so that divergences can be told near from far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.align import Alignment
from opdiff.compare.findings import Columns
from opdiff.compare.request import Direction

Longs = NDArray[np.int64]

_STEP = np.int64(1 << 21)


def places_of(alignment: Alignment) -> tuple[Longs, Longs]:
    """Of each row of each side its place: counterparts share one, others follow the pair before."""
    partner = alignment.partner[0]
    left = np.flatnonzero((partner >= 0) & ~alignment.moved)
    right = partner[left]
    return (
        _places(left, len(partner)),
        _places(right, len(alignment.partner[1])),
    )


def _places(paired: NDArray[np.integer], count: int) -> Longs:
    rows = np.arange(count, dtype=np.int64)
    before = np.searchsorted(paired, rows, side="right")
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


def nearest_first(
    columns: Columns, at: Longs, direction: Direction, anchor: int | None
) -> NDArray[np.int64]:
    """The divergences in order: nearest the anchor first, from the top where there is none."""
    if anchor is not None and direction is Direction.WHOLE:
        distance = np.abs(at - anchor)
    else:
        distance = -at if direction is Direction.UP else at
    kinds = list(type(columns.details[0].kind)) if columns.details else []
    rank = np.array([kinds.index(detail.kind) for detail in columns.details], np.int64)
    line = np.maximum(columns.left, columns.right)
    return np.lexsort((columns.left < 0, line, rank[columns.detail], distance))
