"""Fingerprints that were seen before, looked up thousands at once: a hash table in arrays.

Each lies at the place that its highest bits tell, or at the next that is free.
"""

from __future__ import annotations

import numpy as np

from opdiff.trace.columns import Ints, Longs
from opdiff.trace.words import Words

UNKNOWN = -1
_FREE = np.uint64(0)
_FIRST_BITS = 16
_ROOM = 3
"""It grows once every third place is taken."""


class PrintTable:
    """From fingerprints to numbers."""

    def __init__(self) -> None:
        self._count = 0
        self._resize(_FIRST_BITS)

    def _resize(self, bits: int) -> None:
        self._bits = bits
        self._prints = np.zeros(1 << bits, np.uint64)
        self._numbers = np.full(1 << bits, UNKNOWN, np.int32)

    def places(self, prints: Words) -> Longs:
        """Where each of these lies; they stay there until this is asked for others."""
        if (self._count + len(prints)) * _ROOM > len(self._prints):
            self._grow(len(prints))
        return self._places(np.maximum(prints, np.uint64(1)))  # 0 stands for a free place

    def _places(self, prints: Words) -> Longs:
        places: Longs = (prints >> np.uint64(64 - self._bits)).astype(np.int64)
        left = np.flatnonzero(self._prints[places] != prints)
        while len(left):
            here, wanted = places[left], prints[left]
            free = self._prints[here] == _FREE
            self._prints[here[free]] = wanted[free]
            # Of several that wanted one place the last one has got it.
            left = left[self._prints[here] != wanted]
            places[left] = (places[left] + 1) % len(self._prints)
        return places

    def numbers(self, places: Longs) -> Ints:
        """The numbers at some places, -1 where none was put yet."""
        numbers: Ints = self._numbers[places]
        return numbers

    def first(self, places: Longs) -> Longs:
        """Which of some places without a number are none that stood before among them."""
        turn = np.arange(len(places), dtype=np.int32)
        self._numbers[places[::-1]] = turn[::-1]
        first = np.flatnonzero(self._numbers[places] == turn)
        self._numbers[places] = UNKNOWN
        self._count += len(first)
        return first

    def put(self, places: Longs, numbers: Ints) -> None:
        """Give numbers to places that have none."""
        self._numbers[places] = numbers

    def _grow(self, more: int) -> None:
        numbered = self._numbers != UNKNOWN
        prints, numbers = self._prints[numbered], self._numbers[numbered]
        self._count = len(prints)
        while (self._count + more) * _ROOM > 1 << self._bits:
            self._bits += 2
        self._resize(self._bits)
        self._numbers[self._places(prints)] = numbers
