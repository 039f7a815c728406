"""Fingerprints that were seen before, looked up thousands at once: a hash table in arrays.

Each has one place in the table, by its highest bits; those whose place is taken go to a
dictionary.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Ints

Words = NDArray[np.uint64]

UNKNOWN = -1
_FIRST_BITS = 14
_FULL = 4
"""It grows once every fourth place is taken."""


class PrintTable:
    """From fingerprints to numbers."""

    def __init__(self) -> None:
        self._overflow: dict[int, int] = {}
        self._count = 0
        self._resize(_FIRST_BITS)

    def _resize(self, bits: int) -> None:
        self._bits = bits
        self._prints = np.zeros(1 << bits, np.uint64)
        self._numbers = np.full(1 << bits, UNKNOWN, np.int32)

    def _places(self, prints: Words) -> NDArray[np.int64]:
        places: NDArray[np.int64] = (prints >> np.uint64(64 - self._bits)).astype(np.int64)
        return places

    def find(self, prints: Words) -> Ints:
        """The number of each, -1 for one that was not seen yet."""
        place = self._places(prints)
        found = self._numbers[place]
        other = np.flatnonzero((found >= 0) & (self._prints[place] != prints))
        get = self._overflow.get
        found[other] = [get(key, UNKNOWN) for key in prints[other].tolist()]
        return found

    def add(self, prints: Words, numbers: Ints) -> None:
        """Remember some that were not seen yet, all different."""
        self._count += len(prints)
        if self._count * _FULL > len(self._numbers):
            self._grow()
        self._put(prints, numbers)

    def _put(self, prints: Words, numbers: Ints) -> None:
        place = self._places(prints)
        free = self._numbers[place] == UNKNOWN
        self._prints[place[free]] = prints[free]
        self._numbers[place[free]] = numbers[free]
        # Of several at one place the last one stays.
        lost = np.flatnonzero(self._prints[place] != prints)
        self._overflow.update(zip(prints[lost].tolist(), numbers[lost].tolist(), strict=True))

    def _grow(self) -> None:
        taken = self._numbers != UNKNOWN
        prints, numbers = self._prints[taken], self._numbers[taken]
        more = np.array(list(self._overflow.items()), np.uint64).reshape(-1, 2)
        self._overflow = {}
        while self._count * _FULL > 1 << self._bits:
            self._bits += 2
        self._resize(self._bits)
        self._put(prints, numbers)
        self._put(more[:, 0].copy(), more[:, 1].astype(np.int32))
