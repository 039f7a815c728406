"""Numbers without gaps for things that are numbered already, without sorting where that goes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]

_SPARSE = 4


def numbered(values: NDArray[np.signedinteger[Any]]) -> tuple[Longs, Longs]:
    """The distinct values, ascending, and of each value its place among them."""
    if not len(values):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    low, high = int(values.min()), int(values.max())
    if high - low > _SPARSE * len(values):
        distinct, place = np.unique(values, return_inverse=True)
        return distinct.astype(np.int64), place.astype(np.int64)
    shifted = values.astype(np.int64) - low
    present = np.zeros(high - low + 1, np.bool_)
    present[shifted] = True
    place_of = np.cumsum(present) - 1
    return np.flatnonzero(present) + low, place_of[shifted]
