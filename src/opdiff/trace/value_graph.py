"""Which op made each value that is read: versions of memory, views looked through.

A block of memory has a version for every op that wrote into it. An op that only views its input
makes none, so a reader of a view reads the value behind it. Memory that no op of the trace wrote
(parameters, data) is a value from outside, known by its block.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from opdiff.trace.columns import Ints, Longs, Operands
from opdiff.trace.traits import Trait


@dataclass(frozen=True)
class ValueGraph:
    """Values and their readers.

    A value is named by the row of the op that made it; those from outside have the numbers after
    the last row.
    """

    rows: int
    outside: Longs
    """The blocks of memory that no op wrote, ascending: value ``rows + k`` is ``outside[k]``."""
    source: Ints
    """Of each input operand, the value it reads."""
    reader_row: Ints
    """Of each input operand, the row it belongs to."""
    viewed: Longs
    """Of each row that only views, the input operand it views; -1 for all others."""

    @property
    def count(self) -> int:
        """How many values there are."""
        return self.rows + len(self.outside)

    @cached_property
    def _readings(self) -> tuple[Longs, Longs]:
        order = np.argsort(self.source, kind="stable")
        counts = np.bincount(self.source, minlength=self.count)
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int64), order

    def readings(self, value: int) -> Longs:
        """The input operands that read a value, views included, ascending."""
        start, operand = self._readings
        return operand[start[value] : start[value + 1]]

    def readers(self, value: int) -> list[int]:
        """The rows that read a value, each once, ascending; views are among them."""
        rows: list[int] = np.unique(self.reader_row[self.readings(value)]).tolist()
        return rows


def value_graph(
    outputs: Operands, inputs: Operands, producer: Ints, traits: Ints, dtype: Ints
) -> ValueGraph:
    """The values of a trace; *traits* are by row, dtypes by spec."""
    rows = len(traits)
    reader_row = inputs.rows()
    unwritten = np.flatnonzero(producer < 0)
    outside, number = np.unique(inputs.memory[unwritten], return_inverse=True)
    direct = producer.astype(np.int64)
    direct[unwritten] = rows + number
    viewed = _viewed(outputs, inputs, traits, dtype, reader_row)
    behind = np.arange(rows + len(outside))
    views = np.flatnonzero(viewed >= 0)
    behind[views] = direct[viewed[views]]
    # Chains of views halve with every step.
    while True:
        further = behind[behind]
        if np.array_equal(further, behind):
            break
        behind = further
    return ValueGraph(rows, outside, behind[direct].astype(np.int32), reader_row, viewed)


def _viewed(
    outputs: Operands, inputs: Operands, traits: Ints, dtype: Ints, reader_row: Ints
) -> Longs:
    """Of each row, the input operand that it hands on as a view, or -1."""
    rows = len(traits)
    first_output, counts = outputs.start[:-1], outputs.counts()
    written = np.flatnonzero(counts > 0)
    memory = np.full(rows, -1, np.int64)
    spec = np.full(rows, -1, np.int64)
    memory[written] = outputs.memory[first_output[written]]
    spec[written] = outputs.spec[first_output[written]]
    viewed = np.full(rows, -1, np.int64)
    shares = np.flatnonzero(inputs.memory == memory[reader_row])[::-1]
    viewed[reader_row[shares]] = shares  # the first input that shares the memory wins
    in_place = (traits & Trait.IN_PLACE) > 0
    by_name = (traits & Trait.VIEW) > 0
    # A view may be printed with a block of its own: it hands on its first input all the same.
    apart = by_name & (viewed < 0) & (counts > 0) & (inputs.counts() > 0)
    viewed[apart] = inputs.start[:-1][apart]
    shared = np.flatnonzero(viewed >= 0)
    here = inputs.spec[viewed[shared]]
    reshaped = (here != spec[shared]) & (dtype[here] == dtype[spec[shared]])
    viewed[shared[in_place[shared] | ~(by_name[shared] | reshaped)]] = -1
    return viewed
