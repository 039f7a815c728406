"""Values that a run computes again: value numbering.

Activation checkpointing and compiled backward graphs run parts of the forward a second time. The
same op on the same values gives the same value, so what reads the second one reads the first.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from opdiff.compare.sides.prepared import Prepared, behind
from opdiff.compare.sides.shares import sizes
from opdiff.structure import Phase, names_gradients, phase_marks
from opdiff.structure.phases import Phases
from opdiff.trace.columns import Flags, Ints, marked, starts_of
from opdiff.trace.sorting import among, first_equal, stable_order
from opdiff.trace.traits import Trait
from opdiff.trace.words import Words, mixed, operand_words, row_sums

_ARITHMETIC = frozenset(("mul", "div", "add", "sub", "rsub", "pow"))


def with_twins(side: Prepared) -> Prepared:
    """The side, with each value that is one of the forward once more known as that."""
    return replace(side, twin=_twins(side))


def _twins(side: Prepared) -> Ints:
    twin = np.arange(side.trace.values.count, dtype=np.int32)
    marks = phase_marks(side.trace)
    if not (marks == Phase.BACKWARD).any():
        return twin
    return _Numbering(side, twin, marks).twins()


class _Lookup(NamedTuple):
    """Columns as memory that Python indexes quickly."""

    face: memoryview[int]
    start: memoryview[int]
    read: memoryview[int]


class _Numbering:
    """Numbers values: equal ops on equal values, one in the forward and one in the backward."""

    def __init__(self, side: Prepared, twin: Ints, marks: Phases) -> None:
        self._side, self._twin = side, twin
        trace = side.trace
        fresh = self._into_fresh_memory()
        plain = ~trace.has_trait(Trait.RANDOM | Trait.COMMUNICATION)
        plain &= ~trace.has_trait(Trait.IN_PLACE) | fresh
        # What is copied over another value hands on something else than it reads first.
        handing = trace.has_trait(Trait.VIEW | Trait.COPY) & ~side.bare
        handing &= ~trace.has_trait(Trait.IN_PLACE)
        # A dense copy of a part is a value of its own: the copy prints which part.
        partial = handing & ~trace.has_trait(Trait.VIEW) & (self._reads_view() | self._reads_one())
        handing &= ~partial
        unknown = self._part_unknown()
        handing[unknown] = False
        numbered = plain & ~handing & (trace.outputs.counts() > 0) & ~side.noise
        # An op that does not print what it reads may read anything.
        numbered &= (trace.inputs.counts() > 0) | trace.has_trait(Trait.CONSTANT)
        # Memory made to be written over is a buffer, not a value, unless it has just been made.
        buffers = trace.has_trait(Trait.IN_PLACE) & (trace.inputs.counts() > 0) & ~fresh
        writing = np.flatnonzero(buffers)
        target = trace.values.source[trace.inputs.start[writing]]
        target = target[target < len(trace)]
        numbered[target[trace.inputs.counts()[target] == 0]] = False
        numbered[unknown] = False
        self._numbered = numbered & (marks != Phase.OPTIMIZER)
        # Two ops on one input may differ in a number that is not printed, or read other parts of
        # it; in the backward, or with several inputs, the same once more is the same.
        backward = marks == Phase.BACKWARD
        if names_gradients(trace):
            backward |= self._only_read_by(backward)
        else:
            backward = np.arange(len(trace)) >= int(np.argmax(backward))
        # What lacks an input is given a number that is not printed, in the backward too.
        backward &= ~trace.has_trait(Trait.COMMUTATIVE) & ~self._takes_number()
        self._certain = self._numbered & (
            backward | partial | (trace.inputs.counts() != 1) | self._tells_all()
        )
        # Slices and the like are values of their own here: which part they take is not printed.
        self._read = behind(trace, handing)[trace.values.source]
        self._face: Words = (
            mixed(side.type) + side.layout + mixed(trace.columns.attrs.astype(np.int64) + (7 << 40))
        )
        # Which part a graph takes is told by constants, which it lists but never prints.
        told = ~side.kept & self._takes_part()[trace.inputs.rows()]
        self._face += row_sums(
            trace.inputs.start, operand_words(trace.inputs, told, trace.inputs.memory, 10)
        )

    def _takes_number(self) -> Flags:
        """Rows of ops for two operands that print one."""
        side = self._side
        arithmetic = np.array([spelled in _ARITHMETIC for spelled in side.spelling], np.bool_)
        found: Flags = arithmetic[side.trace.type] & (np.diff(side.kept_start) == 1)
        return found

    def _only_read_by(self, readers: Flags) -> Flags:
        """Rows that these read, and no others."""
        trace = self._side.trace
        producer, reader = trace.links.producer, trace.values.reader_row
        found, others = np.zeros((2, len(trace)), np.bool_)
        found[producer[(producer >= 0) & readers[reader]]] = True
        others[producer[(producer >= 0) & ~readers[reader]]] = True
        return found & ~others

    def _into_fresh_memory(self) -> Flags:
        """Rows that write into memory that another has filled with a constant, all of it."""
        trace = self._side.trace
        found = np.zeros(len(trace), np.bool_)
        writing = (
            trace.has_trait(Trait.IN_PLACE) & (trace.inputs.counts() > 0) & ~self._reads_view()
        )
        rows = np.flatnonzero(writing)
        target = trace.values.source[trace.inputs.start[rows]]
        made = target < len(trace)
        found[rows[made]] = trace.has_trait(Trait.CONSTANT)[target[made]]
        return found

    def _takes_part(self) -> Flags:
        """Rows that hand on fewer elements than they read."""
        trace = self._side.trace
        size = sizes(trace)
        told = (trace.inputs.counts() > 0) & (trace.outputs.counts() > 0)
        rows = np.flatnonzero(told & trace.has_trait(Trait.REARRANGE))
        read, made = (
            size[operands.spec[operands.start[rows]]] for operands in (trace.inputs, trace.outputs)
        )
        return marked(len(trace), rows[made < read])

    def _tells_all(self) -> Flags:
        """Rows that print all arguments, numbers too, where strides tell which part is read."""
        tables = self._side.trace.tables
        strides = any(spec.is_view for spec in tables.specs)
        told = [strides and any(key == "args" for key, _ in attrs) for attrs in tables.attrs]
        return np.array(told, np.bool_)[self._side.trace.columns.attrs]

    def _reads_view(self) -> Flags:
        """Rows whose first input is printed with strides and offset."""
        trace = self._side.trace
        is_view = np.array([spec.is_view for spec in trace.tables.specs], np.bool_)
        found = np.zeros(len(trace), np.bool_)
        reading = np.flatnonzero(trace.inputs.counts() > 0)
        found[reading] = is_view[trace.inputs.spec[trace.inputs.start[reading]]]
        return found

    def _reads_one(self) -> Flags:
        """Rows that read one of several results, and it is told which."""
        told = self._side.output >= 0
        return marked(len(self._side.trace), self._side.trace.values.reader_row[told])

    def _part_unknown(self) -> list[int]:
        """Rows that read one of several results, or a view of it, and it is not told which."""
        trace, unknown = self._side.trace, set(self._reading_one_of_several().tolist())
        waiting = list(unknown)
        while waiting:
            row = waiting.pop()
            if trace.values.viewed[row] >= 0:
                further = set(trace.consumers(row)) - unknown
                unknown |= further
                waiting += further
        return sorted(unknown)

    def _reading_one_of_several(self) -> Ints:
        """Rows that read one of several results, and no spec tells which."""
        trace = self._side.trace
        inputs, outputs, producer = trace.inputs, trace.outputs, trace.links.producer
        many = outputs.counts() > 1
        several = np.flatnonzero((producer >= 0) & many[producer])
        if not len(several):
            return np.zeros(0, np.int32)
        kinds = np.int64(len(trace.tables.specs))
        row = outputs.rows()
        written = (row * kinds + outputs.spec)[many[row]]
        read = producer[several] * kinds + inputs.spec[several]
        return trace.values.reader_row[several[~among(read, written)]]

    def twins(self) -> Ints:
        """Twins of ops that read the very same values, then of those that read twins."""
        rows = np.flatnonzero(self._numbered)
        leader = rows[first_equal(self._words()[rows])]
        found = self._certain[rows] & (rows != leader)
        self._twin[rows[found]] = leader[found]
        self._follow(rows[found].tolist())
        # What a value was a twin of may have become one itself.
        while not np.array_equal(further := self._twin[self._twin], self._twin):
            self._twin = further
        return self._twin

    def _words(self) -> Words:
        inputs = self._side.trace.inputs
        reading = operand_words(inputs, self._side.kept, self._read, 8)
        return self._face + self._outputs_read + row_sums(inputs.start, reading)

    @cached_property
    def _outputs_read(self) -> Words:
        """Of each row, which of their writers' several outputs it reads."""
        inputs, side = self._side.trace.inputs, self._side
        return row_sums(inputs.start, operand_words(inputs, side.kept, side.output, 9))

    def _follow(self, rows: list[int]) -> None:
        """New twins among those that read a value that is a twin, and so on.

        What one reads may be twins of one value too, each another: all of these are one lot.
        """
        twin = self._twin.data  # asked row by row, without numpy's scalars
        start, reading = self._readers
        known: set[int] = set()
        leaders: dict[tuple[int, ...], int] = {}
        waiting = deque(rows)
        while waiting:
            row = waiting.popleft()
            asked = [r for r in reading[start[row] : start[row + 1]] if twin[r] == r]
            first = twin[row]
            if asked and first not in known:
                known.add(first)
                for reader in reading[start[first] : start[first + 1]]:
                    key = self._key(reader)
                    leaders[key] = min(reader, leaders.get(key, reader))
            for reader in asked:
                leader = leaders.setdefault(self._key(reader), reader)
                if leader < reader:
                    twin[reader] = twin[leader]
                    waiting.append(reader)

    def _key(self, row: int) -> tuple[int, ...]:
        """What a row is, and what it reads: the first of what is the same."""
        known, twin = self._lookup, self._twin.data
        read = known.read[known.start[row] : known.start[row + 1]]
        return (known.face[row], *[twin[value] for value in read])

    @cached_property
    def _lookup(self) -> _Lookup:
        side = self._side
        face = self._face + self._outputs_read
        return _Lookup(face.data, side.kept_start.data, self._read[side.kept_places].data)

    @cached_property
    def _readers(self) -> tuple[memoryview[int], memoryview[int]]:
        """The rows that are numbered and read a value, each once, by the value."""
        rows = self._side.trace.values.reader_row
        numbered = np.flatnonzero(self._numbered[rows])
        read, rows = self._read[numbered], rows[numbered]
        order = stable_order(read)
        read, rows = read[order], rows[order]
        new = np.ones(len(rows), np.bool_)
        new[1:] = (read[1:] != read[:-1]) | (rows[1:] != rows[:-1])
        counts = np.bincount(read[new], minlength=len(self._twin))
        return starts_of(counts).data, rows[new].data
