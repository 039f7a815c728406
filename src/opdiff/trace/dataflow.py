"""Who wrote what is read: producers and consumers of every operand, and the values behind views.

A block of memory has a version for every op that wrote into it. An op that only views its input
makes none, so a reader of a view reads the value behind it. Memory that no op of the trace wrote
(parameters, data) is a value from outside, known by its block.

Compiled graphs make views dense before they read them. Some runs print such a copy without
operands, and its result is memory that no op wrote: the dense copy of an earlier view of the same
dtype and shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from opdiff.trace.columns import Flags, Ints, Longs, Operands, marked
from opdiff.trace.extents import apart
from opdiff.trace.sorting import by_key, distinct, followed, stable_order
from opdiff.trace.traits import Trait
from opdiff.trace.values import TensorSpec

_SPARSE = 8
"""Ids that reach so many times further than there are operands get numbers without gaps."""
_MOST_VIEWS = 64
"""So many views of one dtype and shape may have been copied."""


class Links(NamedTuple):
    """The edges of the dataflow.

    ``producer[k]`` is the row that wrote input operand k (an index into the flat inputs), or -1.
    The consumers of row r are ``consumer[start[r]:start[r + 1]]``, ascending; a row appears
    once for each operand it reads.
    """

    producer: Ints
    start: Longs
    consumer: Ints


def link(
    outputs: Operands, inputs: Operands, in_place: Flags, specs: Sequence[TensorSpec]
) -> Links:
    """The last writer of the block before the reader; of several tensors in it, the like one.

    What an op wrote *in place* holds for every way of looking at the block, unless that looks at
    another part of it.
    """
    rows = len(outputs.start) - 1
    writer_row, reader_row = outputs.rows(), inputs.rows()
    producer = _last_writer(outputs.memory, writer_row, inputs.memory, reader_row)
    _prefer_equal_spec(producer, outputs, inputs, writer_row, reader_row, in_place)
    _skip_other_parts(producer, outputs, inputs, writer_row, specs)
    known = producer >= 0
    start, order = by_key(producer[known], rows)
    return Links(producer, start, reader_row[known][order])


def _last_writer(written: Longs, writer_row: Ints, read: Longs, reader_row: Ints) -> Ints:
    """The row that last wrote each thing that is read, before its reader; -1 if none did."""
    producer = np.full(len(read), -1, np.int32)
    if not len(written) or not len(read):
        return producer
    written, read = _numbered(written, read)
    # One after the other is assigned, so the last writer in the whole trace stays.
    last = np.full(int(max(written.max(), read.max())) + 1, -1, np.int32)
    last[written] = writer_row
    producer = last[read]
    late = np.flatnonzero(producer >= reader_row)
    if len(late):
        producer[late] = _search(written, writer_row, read[late], reader_row[late])
    return producer


def _numbered(written: Longs, read: Longs) -> tuple[Longs, Longs]:
    """Both with small numbers, equal where they were; what is never written gets one number."""
    low = min(written.min(), read.min())
    high = max(written.max(), read.max())
    if low >= 0 and high <= _SPARSE * (len(written) + len(read)):
        return written, read
    several, numbers = np.unique(written, return_inverse=True)
    place = np.minimum(np.searchsorted(several, read), len(several) - 1)
    return numbers, np.where(several[place] == read, place, len(several))


def _search(written: Longs, writer_row: Ints, read: Longs, reader_row: Ints) -> Ints:
    """The same for things that are also written after their reader: look for the place between."""
    wanted = marked(int(max(written.max(), read.max())) + 1, read)
    candidates = np.flatnonzero(wanted[written])
    step = np.int64(max(int(writer_row[-1]), int(reader_row.max())) + 1)
    keys = written[candidates].astype(np.int64) * step + writer_row[candidates]
    order = stable_order(keys)
    found = np.searchsorted(keys[order], read * step + reader_row) - 1
    candidate = candidates[order[np.maximum(found, 0)]]
    hit = (found >= 0) & (written[candidate] == read)
    return np.where(hit, writer_row[candidate], -1).astype(np.int32)


def _prefer_equal_spec(
    producer: Ints,
    outputs: Operands,
    inputs: Operands,
    writer_row: Ints,
    reader_row: Ints,
    in_place: Flags,
) -> None:
    """Where the last writer wrote another spec, look for the last one that wrote this very spec."""
    if not len(outputs.memory) or not len(inputs.memory):
        return
    writer = np.maximum(producer, 0)
    first = np.minimum(outputs.start[writer], len(outputs.spec) - 1)
    same = outputs.spec[first] == inputs.spec
    same &= outputs.start[writer + 1] - outputs.start[writer] == 1
    unsure = np.flatnonzero((producer >= 0) & ~same & ~in_place[writer])
    if not len(unsure):
        return
    written, read = _numbered(outputs.memory, inputs.memory[unsure])
    specs = np.int64(max(int(outputs.spec.max()), int(inputs.spec.max())) + 1)
    wanted = read * specs + inputs.spec[unsure]
    exact = _last_writer(written * specs + outputs.spec, writer_row, wanted, reader_row[unsure])
    inside = np.flatnonzero(in_place[writer_row])
    over = _last_writer(written[inside], writer_row[inside], read, reader_row[unsure])
    producer[unsure] = np.where(exact >= 0, np.maximum(exact, over), producer[unsure])


def _skip_other_parts(
    producer: Ints,
    outputs: Operands,
    inputs: Operands,
    writer_row: Ints,
    specs: Sequence[TensorSpec],
) -> None:
    """Where the writer wrote another part of the block, look for the one before it."""
    is_view = np.array([spec.is_view for spec in specs], np.bool_)
    single = np.flatnonzero(outputs.counts() == 1)
    written = np.full(len(outputs.start) - 1, -1, np.int64)
    written[single] = outputs.spec[outputs.start[single]]
    kinds = len(specs)
    known: dict[int, bool] = {}
    asked = np.flatnonzero(producer >= 0)
    asked = asked[is_view[inputs.spec[asked]]]
    before = producer[asked]
    while len(asked):
        wrote = written[before]
        partial = (wrote >= 0) & is_view[wrote] & (wrote != inputs.spec[asked])
        pairs, which = np.unique(
            wrote[partial] * kinds + inputs.spec[asked[partial]], return_inverse=True
        )
        for pair in pairs.tolist():
            if pair not in known:
                known[pair] = apart(specs[pair // kinds], specs[pair % kinds])
        partial[partial] = np.array([known[pair] for pair in pairs.tolist()], np.bool_)[which]
        producer[asked[~partial]] = before[~partial]
        asked, before = asked[partial], before[partial]
        if len(asked):
            blocks = _numbered(outputs.memory, inputs.memory[asked])
            before = _search(blocks[0], writer_row, blocks[1], before)
            asked, before = asked[before >= 0], before[before >= 0]


# Values: versions of memory, views looked through


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
        return by_key(self.source, self.count)

    def readings(self, value: int) -> Longs:
        """The input operands that read a value, views included, ascending."""
        start, operand = self._readings
        return operand[start[value] : start[value + 1]]

    def readers(self, value: int) -> list[int]:
        """The rows that read a value, each once, ascending; views are among them."""
        rows: list[int] = distinct(self.reader_row[self.readings(value)]).tolist()
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
    source = followed(behind)[direct].astype(np.int32)
    return ValueGraph(rows, outside, source, reader_row, viewed)


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


# Copies of which only the name is printed


@dataclass(frozen=True, slots=True)
class HiddenCopy:
    """Memory that a copy without operands wrote."""

    reader: int
    """The first row that reads it."""
    sources: tuple[int, ...]
    """The memory that may have been copied, what was viewed last first."""
    likely: bool
    """Whether the first of these was viewed right before, as eager code does and graphs may."""


def hidden_copies(
    outputs: Operands,
    inputs: Operands,
    producer: Ints,
    copying: Flags,
    dense: Ints,
    is_view: Flags,
) -> dict[int, HiddenCopy]:
    """The copies whose operands are not printed, by the memory they wrote.

    *copying* are their rows; of each spec *dense* is a number for dtype and shape. A view that is
    made right before the copy of a reader of just one such copy is likely what was copied.
    """
    reader, writer, count = inputs.rows(), outputs.rows(), len(inputs.spec)
    asking = (producer < 0) & copying[reader - 1] & (reader > 0) & ~is_view[inputs.spec]
    asked = np.flatnonzero(asking)
    if not len(asked):
        return {}
    views_in = np.flatnonzero(is_view[inputs.spec])
    views_out = np.flatnonzero(is_view[outputs.spec])
    # One sequence of all questions and all views, in the order in which they ran.
    row = np.concatenate((reader[asked], reader[views_in], writer[views_out]))
    sort = np.repeat([0, 1, 2], [len(asked), len(views_in), len(views_out)])
    place = np.concatenate((asked, views_in, views_out + count))
    memory = np.concatenate((inputs.memory, outputs.memory))
    look = dense[np.concatenate((inputs.spec, outputs.spec))]
    _, which, times = np.unique(
        np.stack((reader[asked], look[asked])), axis=1, return_inverse=True, return_counts=True
    )
    alone = dict(zip(asked.tolist(), (times[which.reshape(-1)] == 1).tolist(), strict=True))
    seen: dict[int, dict[int, int]] = {}
    found: dict[int, HiddenCopy] = {}
    for at in np.lexsort((sort, row)).tolist():
        here, block = int(place[at]), int(memory[place[at]])
        views = seen.setdefault(int(look[here]), {})
        if sort[at]:
            views.pop(block, None)
            views[block] = here
            if len(views) > _MOST_VIEWS:
                del views[next(iter(views))]
        elif views and block not in found:
            sources = tuple(reversed(views))
            latest, asks = views[sources[0]], int(row[at])
            made = int(writer[latest - count]) if latest >= count else -1
            likely = made >= 0 and alone[here] and bool(copying[made + 1 : asks].all())
            found[block] = HiddenCopy(asks, sources, likely)
    return found
