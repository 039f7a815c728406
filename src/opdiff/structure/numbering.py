"""Numbers without gaps for things that are numbered already, without sorting where that goes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Longs, marked
from opdiff.trace.sorting import fresh, stable_order

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
    present = marked(high - low + 1, shifted)
    place_of = np.cumsum(present) - 1
    return np.flatnonzero(present) + low, place_of[shifted]


class Grouped:
    """Equal values put together, by one sort that keeps their order."""

    def __init__(self, values: Longs) -> None:
        self.order = stable_order(values)
        ordered = values[self.order]
        first = fresh(ordered)
        self.start = np.flatnonzero(first)
        """Where each group begins in ``order``."""
        self._of = np.cumsum(first) - 1

    def __len__(self) -> int:
        return len(self.start)

    @property
    def group(self) -> Longs:
        """Of each value, its group; groups are numbered as their values ascend."""
        group = np.empty(len(self.order), np.int64)
        group[self.order] = self._of
        return group

    @property
    def first(self) -> Longs:
        """Of each group, the place of its first value."""
        return self.order[self.start]

    def sums(self, amounts: Longs) -> Longs:
        """Of each group, the sum of what its values have."""
        return np.add.reduceat(amounts[self.order], self.start) if len(self) else amounts[:0]

    def least(self, amounts: Longs) -> Longs:
        """Of each group, the least of what its values have."""
        return np.minimum.reduceat(amounts[self.order], self.start) if len(self) else amounts[:0]

    def most(self, amounts: Longs) -> Longs:
        """Of each group, the greatest of what its values have."""
        return np.maximum.reduceat(amounts[self.order], self.start) if len(self) else amounts[:0]
