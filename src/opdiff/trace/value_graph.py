"""Which op made each value that is read: versions of memory, views looked through.

A block of memory has a version for every op that wrote into it. An op that only views its input
makes none, so a reader of a view reads the value behind it. Memory that no op of the trace wrote
(parameters, data) is a value from outside, known by its block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Ints, Longs, Operands
from opdiff.trace.traits import Trait

Flags = NDArray[np.bool_]


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


@dataclass(frozen=True, slots=True)
class Looks:
    """What the specs of a trace look like, a value a spec."""

    dtype: Ints
    dense: Ints
    """A number for dtype and shape."""
    is_view: Flags


def value_graph(
    outputs: Operands, inputs: Operands, producer: Ints, traits: Ints, looks: Looks
) -> ValueGraph:
    """The values of a trace; *traits* are by row."""
    rows = len(traits)
    dtype = looks.dtype
    reader_row = inputs.rows()
    unwritten = np.flatnonzero(producer < 0)
    outside, number = np.unique(inputs.memory[unwritten], return_inverse=True)
    direct = producer.astype(np.int64)
    direct[unwritten] = rows + number
    for operand, source in _hidden_copies(outputs, inputs, producer, traits, looks):
        direct[operand] = source if source < rows else direct[source - rows]
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


def _hidden_copies(
    outputs: Operands, inputs: Operands, producer: Ints, traits: Ints, looks: Looks
) -> Iterator[tuple[int, int]]:
    """Inputs that a copy made which prints no operands, and what it must have copied.

    Compiled graphs make views dense before they read them, by copies of which only the name is
    printed. What no op wrote and is read right behind such a copy is the dense copy of the last
    view of that dtype and shape: of a row, or ``rows +`` an earlier input.
    """
    rows = len(traits)
    bare = (inputs.counts() == 0) & (outputs.counts() == 0)
    copying = bare & ((traits & Trait.COPY) > 0)
    if not copying.any() or not (producer < 0).any():
        return
    behind = np.concatenate(([False], copying[:-1]))
    asking = (producer < 0) & behind[inputs.rows()] & ~looks.is_view[inputs.spec]
    views_in = np.flatnonzero(looks.is_view[inputs.spec])
    views_out = np.flatnonzero(looks.is_view[outputs.spec])
    # One sequence of all views and all questions, in the order in which they ran.
    reader, writer = inputs.rows(), outputs.rows()
    asked = np.flatnonzero(asking)
    row = np.concatenate((reader[asked], reader[views_in], writer[views_out]))
    sort = np.repeat([0, 1, 2], [len(asked), len(views_in), len(views_out)])
    number = np.concatenate((asked, views_in, views_out))
    seen: dict[int, int] = {}
    for at in np.lexsort((sort, row)).tolist():
        operand = int(number[at])
        if sort[at] == 0:
            found = seen.get(int(looks.dense[inputs.spec[operand]]))
            if found is not None:
                yield operand, found
        elif sort[at] == 1:
            seen[int(looks.dense[inputs.spec[operand]])] = rows + operand
        else:
            seen[int(looks.dense[outputs.spec[operand]])] = int(writer[operand])


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
