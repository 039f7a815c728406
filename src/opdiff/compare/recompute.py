"""Values that a run computes again: value numbering between the forward and the backward.

Activation checkpointing and compiled backward graphs run parts of the forward a second time. The
same op on the same values gives the same value, so what reads the second one reads the first.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import cached_property

import numpy as np

from opdiff.compare.prepared import Longs, Prepared
from opdiff.compare.words import Ints, Words, mixed, operand_words, row_sums
from opdiff.structure import Phase, phase_marks
from opdiff.structure.phases import Phases
from opdiff.trace.traits import Trait


def with_twins(side: Prepared) -> Prepared:
    """The side, with each value that is one of the forward once more known as that."""
    return replace(side, twin=_twins(side))


def _twins(side: Prepared) -> Ints:
    twin = np.arange(side.trace.values.count, dtype=np.int32)
    marks = phase_marks(side.trace)
    if not (marks == Phase.BACKWARD).any():
        return twin
    return _Numbering(side, twin, marks).twins()


class _Numbering:
    """Numbers values: equal ops on equal values, one in the forward and one in the backward."""

    def __init__(self, side: Prepared, twin: Ints, marks: Phases) -> None:
        self._side, self._twin = side, twin
        trace = side.trace
        plain = ~trace.has_trait(Trait.RANDOM | Trait.IN_PLACE | Trait.COMMUNICATION)
        handing = trace.has_trait(Trait.VIEW | Trait.COPY) & ~side.bare
        numbered = plain & ~handing & (trace.outputs.counts() > 0) & ~side.noise
        # What is written over is a buffer, not a value.
        writing = np.flatnonzero(trace.has_trait(Trait.IN_PLACE) & (trace.inputs.counts() > 0))
        target = trace.values.source[trace.inputs.start[writing]]
        numbered[target[target < len(trace)]] = False
        self._numbered = numbered & (marks != Phase.OPTIMIZER)
        # Two ops on one input may differ in a number that is not printed; in the backward, or
        # with several inputs, the same once more is the same.
        backward = np.arange(len(trace)) >= int(np.argmax(marks == Phase.BACKWARD))
        self._certain = self._numbered & (backward | (trace.inputs.counts() != 1))
        # Slices and the like are values of their own here: which part they take is not printed.
        self._read = side.behind_of(handing)[trace.values.source]
        self._face: Words = (
            mixed(side.type) + side.layout + mixed(trace.columns.attrs.astype(np.int64) + (7 << 40))
        )

    def twins(self) -> Ints:
        """Twins of ops that read the very same values, then of those that read twins."""
        rows = np.flatnonzero(self._numbered)
        word = self._words()[rows]
        order = np.lexsort((rows, word))
        rows, word = rows[order], word[order]
        start = np.flatnonzero(np.concatenate(([True], word[1:] != word[:-1])))
        leader = rows[start[np.cumsum(np.isin(np.arange(len(rows)), start)) - 1]]
        found = self._certain[rows] & (rows != leader)
        self._twin[rows[found]] = leader[found]
        waiting = deque(np.sort(rows[found]).tolist())
        while waiting:
            row = waiting.popleft()
            waiting.extend(self._followers(row))
        return self._twin

    def _words(self) -> Words:
        inputs = self._side.trace.inputs
        every = np.ones(len(inputs.spec), np.bool_)
        reading = operand_words(inputs, every, self._read, 8)
        return self._face + row_sums(inputs.start, reading)

    def _followers(self, row: int) -> list[int]:
        """New twins among those that read a value that is a twin."""
        leader = int(self._twin[row])
        found = []
        for reader in self._readers(row):
            if not self._numbered[reader] or self._twin[reader] != reader:
                continue
            for first in self._readers(leader):
                if first < reader and self._numbered[first] and self._same(reader, first):
                    self._twin[reader] = self._twin[first]
                    found.append(reader)
                    break
        return found

    def _readers(self, value: int) -> list[int]:
        start, operand = self._reading
        reader = self._side.trace.values.reader_row
        return list(dict.fromkeys(reader[operand[start[value] : start[value + 1]]].tolist()))

    def _same(self, row: int, first: int) -> bool:
        if self._face[row] != self._face[first]:
            return False
        start = self._side.trace.inputs.start
        mine = self._read[start[row] : start[row + 1]]
        others = self._read[start[first] : start[first + 1]]
        return len(mine) == len(others) and bool((self._twin[mine] == self._twin[others]).all())

    @cached_property
    def _reading(self) -> tuple[Longs, Longs]:
        """The inputs by the value they read."""
        order = np.argsort(self._read, kind="stable")
        counts = np.bincount(self._read, minlength=len(self._twin))
        return np.concatenate(([0], np.cumsum(counts))), order
