"""How often blocks of kernels run in a trace: rolling hashes, so that a look costs no more than
what is found.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np

from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Ints, Longs
from opdiff.trace.words import Words, mixed

_GRAM = 6
_BASE = np.uint64(0x9E3779B97F4A7C15)
_WORD = (1 << 64) - 1


class RepeatsOfBlocks:
    """The kernels of one side in their order, a word each."""

    LEAST = _GRAM
    """Blocks of fewer are not counted."""

    @classmethod
    def of(cls, prepared: Prepared) -> RepeatsOfBlocks:
        """Those of one side, known by their types and what their operands look like."""
        rows = prepared.rows[~prepared.passes[prepared.rows]]
        return cls(rows, (mixed(prepared.type) + prepared.outputs + prepared.inputs)[rows])

    def __init__(self, rows: Ints, words: Words) -> None:
        self._every = rows
        self._words = words
        powers = np.full(len(words) + 1, _BASE)
        powers[0] = 1
        self._powers: Words = np.cumprod(powers, dtype=np.uint64)
        self._sums: Words = np.concatenate(
            (np.zeros(1, np.uint64), np.cumsum(words * self._powers[:-1], dtype=np.uint64))
        )
        # The hash of each window of some words, and where those with an equal one are.
        count = max(len(words) - _GRAM + 1, 0)
        self._grams = self._hashes(np.arange(count), _GRAM)
        self._places = np.argsort(self._grams, kind="stable")
        self._sorted = self._grams[self._places]
        self._known: dict[tuple[int, int], int] = {}

    def count(self, kernels: list[int]) -> int:
        """How often these run one after the other, in all of the trace; 1 where they do not."""
        size = len(kernels)
        first, last = (bisect_left(self._every.data, row) for row in (kernels[0], kernels[-1]))
        if size < _GRAM or last - first != size - 1:
            return 1
        # Of equal blocks the hash is equal wherever they stand, counted from the end of the trace.
        key = (self._hash(first, size), size)
        if key not in self._known:
            self._known[key] = self._count(first, size)
        return self._known[key]

    def _hashes(self, start: Longs, size: int) -> Words:
        """Of windows of so many words: their polynomials, each times a power that makes them
        comparable.
        """
        if not len(start):
            return np.zeros(0, np.uint64)
        found: Words = self._sums[start + size] - self._sums[start]
        found *= self._powers[len(self._words) - start]
        return found

    def _hash(self, start: int, size: int) -> int:
        """The same of one window."""
        sums, powers = self._sums.data, self._powers.data
        found: int = (sums[start + size] - sums[start]) * powers[len(self._words) - start]
        return found & _WORD

    def _count(self, first: int, size: int) -> int:
        gram = int(self._grams[first])
        low, high = (find(self._sorted.data, gram) for find in (bisect_left, bisect_right))
        if high - low < 2:
            return 1
        starts = self._places[low:high]
        starts = starts[starts <= len(self._words) - size]
        starts = starts[self._hashes(starts, size) == np.uint64(self._hash(first, size))]
        block = self._words[first : first + size]
        count, place = 0, 0
        while place < len(starts):
            start = int(starts[place])
            if np.array_equal(self._words[start : start + size], block):
                count += 1
                place = int(np.searchsorted(starts, start + size))
            else:
                place += 1
        return count
