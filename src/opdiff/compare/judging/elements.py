"""Which elements of a value an input reads: views and copies followed back by a few probes.

Strides and arguments say where each element of a view is. A few elements of an input, the same on
both sides, are followed back to the op that computed them: two inputs that read one value and get
there at other places read other elements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from opdiff.compare.kinds import Kind
from opdiff.compare.matching import Block, Matching
from opdiff.compare.names.idioms import TURNING, idioms_of, stands_for
from opdiff.compare.names.spelling import canonical
from opdiff.compare.records.findings import Columns
from opdiff.compare.sides.prepared import Prepared, paired_inputs
from opdiff.trace import TensorSpec
from opdiff.trace.columns import Flags, Longs
from opdiff.trace.traits import Trait

_PROBES = 12
_SPREAD = 2654435761
"""A large prime: its multiples fall all over a tensor."""
_LARGEST = 1 << 48
"""Elements of a tensor: sums of their places stay far from what an integer holds."""
_LONGEST = 16
"""Copies that are followed back, one after the other."""
KEEPING = frozenset("view unsafeview reshape flatten unflatten squeeze unsqueeze".split())
"""Spellings of ops that keep the elements in their order, as a view or as a copy."""
_MOST_READERS = 64
_MOST_ASKED = 4096
"""So many readers of views are asked what they read."""
_ARRANGING = (
    Kind.ONLY_LEFT,
    Kind.ONLY_RIGHT,
    Kind.OP_TYPE,
    Kind.LAYOUT,
    Kind.SHAPE,
    Kind.ATTRS,
)


def guilty_arrangements(
    columns: Columns, sides: tuple[Prepared, Prepared], matching: Matching, harmless: Flags
) -> list[int]:
    """Divergences of views and copies through which a pair reads other elements of one value.

    Of views alone nobody can tell; their readers do. What hands on all elements in their order,
    and what both sides do alike, is not to blame.
    """
    readers = _Readers(sides, matching)
    if not all(elements.told.any() for elements in readers.of):
        return []
    candidates = columns.of_kind(*_ARRANGING)
    candidates = candidates[harmless[candidates]]
    rows = columns.left[candidates], columns.right[candidates]
    there = rows[0] >= 0, rows[1] >= 0
    handing = [
        ~here | side.passes[np.maximum(own, 0)]
        for here, side, own in zip(there, sides, rows, strict=True)
    ]
    candidates = candidates[handing[0] & handing[1]]
    return [
        at
        for at in candidates.tolist()
        if readers.may_blame(int(columns.left[at]), int(columns.right[at]))
    ]


class Seen(NamedTuple):
    """What an input reads."""

    value: int
    shape: tuple[int, ...] | None
    """That of the value; None for one from outside."""
    places: tuple[int, ...]
    """Where the probes are in it."""


class Elements:
    """Follows the elements that inputs of one side read."""

    def __init__(self, side: Prepared) -> None:
        self._side = side
        self._trace = side.trace
        self._specs = side.trace.tables.specs

    @cached_property
    def told(self) -> Flags:
        """Rows that print all their arguments."""
        told = [any(key == "args" for key, _ in attrs) for attrs in self._trace.tables.attrs]
        return np.array(told, np.bool_)[self._trace.columns.attrs]

    def seen(self, operand: int) -> Seen | None:
        """What an input reads; None where that is not told."""
        trace, rows = self._trace, len(self._trace)
        spec = self._specs[trace.inputs.spec[operand]]
        places: list[int] | None = _probes(spec.shape)
        for _ in range(_LONGEST):
            addresses = None if places is None else _addresses(spec, places)
            if addresses is None:
                return None
            value, block = int(self._side.source[operand]), int(trace.inputs.memory[operand])
            if value >= rows:
                known = int(trace.values.outside[value - rows]) == block
                return Seen(value, None, tuple(addresses)) if known else None
            made = slice(int(trace.outputs.start[value]), int(trace.outputs.start[value + 1]))
            of_block = np.flatnonzero(trace.outputs.memory[made] == block)
            if len(of_block) != 1:
                return None
            number = int(trace.outputs.spec[made][of_block[0]])
            places = _places(self._specs[number], addresses)
            if places is None:
                return None
            if not self.hands_on(value):
                return Seen(int(self._side.twin[value]), self._specs[number].shape, (*places,))
            operand = int(trace.inputs.start[value])
            spec = self._specs[trace.inputs.spec[operand]]
            places = self._before(value, self._specs[number], spec, places)
        return None

    def hands_on(self, row: int) -> bool:
        """Whether a row is a view or copy that prints what it reads and makes."""
        trace = self._trace
        return bool(
            self._side.passes[row]
            and trace.inputs.start[row] < trace.inputs.start[row + 1]
            and trace.outputs.start[row] < trace.outputs.start[row + 1]
        )

    def keeps(self, row: int) -> bool:
        """Whether a view or copy surely hands on all elements in their order."""
        trace = self._trace
        before = self._specs[trace.inputs.spec[trace.inputs.start[row]]]
        after = self._specs[trace.outputs.spec[trace.outputs.start[row]]]
        if prod(before.shape) != prod(after.shape):
            return False
        if before.shape == after.shape and trace.traits[row] & (Trait.COPY | Trait.CAST):
            return True
        probes = _probes(after.shape)
        there = None if probes is None else _addresses(after, probes)
        return there is not None and there == _addresses(before, probes or [])

    def _before(
        self, row: int, after: TensorSpec, before: TensorSpec, places: list[int]
    ) -> list[int] | None:
        """Where elements of a copy are in what was copied."""
        name = canonical(self._trace.type_name(row))
        if before.shape == after.shape and self._trace.traits[row] & (Trait.COPY | Trait.CAST):
            return places
        if prod(before.shape) == prod(after.shape) and name in KEEPING:
            return places
        if name == "repeat" and len(after.shape) >= len(before.shape) and all(before.shape):
            index = np.unravel_index(places, after.shape)[len(after.shape) - len(before.shape) :]
            inside = [each % max(size, 1) for each, size in zip(index, before.shape, strict=True)]
            flat: Longs = np.ravel_multi_index(inside, before.shape)
            return [int(each) for each in flat.tolist()]
        return None


class _Readers:
    """What computes with what views and copies hand on."""

    def __init__(self, sides: tuple[Prepared, Prepared], matching: Matching) -> None:
        self.of = (Elements(sides[0]), Elements(sides[1]))
        self._sides = sides
        self._partner = matching.partner
        self._blocks = matching.blocks
        self._blamed: dict[int, tuple[set[int], set[int]]] = {}
        self._blamed_works: dict[int, tuple[set[int], set[int]]] = {}

    def may_blame(self, row: int, other: int) -> bool:
        """Whether a pair reads other elements through views or copies, one or both of them."""
        rows = (row, other)
        here = [side for side in (0, 1) if rows[side] >= 0]
        alike = len(here) == 2 and self._sides[0].layout[row] == self._sides[1].layout[other]
        if not all(self.of[side].hands_on(rows[side]) for side in here):
            return False
        if all(self.of[side].keeps(rows[side]) for side in here):
            return False
        # Two that are alike hand on the same elements: to blame is one that the other side avoids.
        avoided = rows if alike else (-1, -1)
        return any(self.read_other_elements(side, rows[side], avoided[1 - side]) for side in here)

    def read_other_elements(self, side: int, row: int, avoided: int) -> bool:
        """Whether a pair reads other elements through a row, and not through that of the others."""
        trace, passes = self._sides[side].trace, self._sides[side].passes
        waiting, seen = [row], {row}
        while waiting and len(seen) < _MOST_READERS:
            for reader in trace.consumers(waiting.pop()):
                if reader in seen:
                    continue
                seen.add(reader)
                if passes[reader]:
                    waiting.append(reader)
                    continue
                through = self._through(side, reader)
                if row in through[side] and avoided not in through[1 - side]:
                    return True
        return False

    def _through(self, side: int, row: int) -> tuple[set[int], set[int]]:
        """The views and copies of either side through which a pair reads other elements."""
        other = int(self._partner[side][row])
        if other < 0 and row in self._block_of[side]:
            return self._through_work(self._block_of[side][row])
        if other < 0 or other >= len(self._sides[1 - side].trace):
            return set(), set()
        left, right = (row, other) if side == 0 else (other, row)
        if left not in self._blamed:
            self._blamed[left] = set(), set()
            if len(self._blamed) < _MOST_ASKED and self._comparable(left, right):
                self._blamed[left] = self._differing(left, right)
            elif len(self._blamed) < _MOST_ASKED and self._is_work(left, right):
                self._blamed[left] = self._differing_work(Block((left,), (right,)))
        return self._blamed[left]

    def _is_work(self, row: int, other: int) -> bool:
        """Whether one of two ops expands into the other, and turns nothing that it reads itself."""
        names = self._sides[0].trace.type_name(row), self._sides[1].trace.type_name(other)
        told = self.of[0].told[row] and self.of[1].told[other]
        return bool(told and (names[0] != names[1]) and stands_for(*map(canonical, names)))

    @cached_property
    def _block_of(self) -> tuple[dict[int, int], dict[int, int]]:
        """Of each row that does a work together with others, the number of that."""
        left, right = (
            {row: at for at, block in enumerate(self._blocks) for row in block.rows(side)}
            for side in (0, 1)
        )
        return left, right

    def _through_work(self, number: int) -> tuple[set[int], set[int]]:
        """The views and copies through which an op and its expansion read other elements.

        That is so where all that the expansion reads of a value is other than what the op reads. A
        part that it leaves out, as a gradient does a bias, is none of these.
        """
        if number not in self._blamed_works:
            block = self._blocks[number]
            asked = len(self._blamed_works) < _MOST_ASKED and self._is_plain(block)
            self._blamed_works[number] = self._differing_work(block) if asked else (set(), set())
        return self._blamed_works[number]

    def _is_plain(self, block: Block) -> bool:
        """Whether a block is an op and an expansion that turns nothing that it reads itself."""
        one = [side for side in (0, 1) if len(block.rows(side)) == 1]
        if not one or not all(self.of[at].told[[*block.rows(at)]].all() for at in (0, 1)):
            return False
        name = self._sides[one[0]].trace.type_name(block.rows(one[0])[0])
        known = idioms_of(canonical(name))
        return bool(known) and not any(idiom.handing & TURNING for idiom in known)

    def _differing_work(self, block: Block) -> tuple[set[int], set[int]]:
        found: tuple[set[int], set[int]] = (set(), set())
        one = 0 if len(block.left) == 1 else 1
        given, many = ([*self._read_from_without(side, block)] for side in (one, 1 - one))
        value = self._sides[one].value
        parts = Counter(value[given].tolist())
        for operand in given:
            if parts[int(value[operand])] > 1:
                continue  # which of several parts is left out is not told
            verdicts = []
            for other in many:
                here, there = (operand, other) if one == 0 else (other, operand)
                verdicts.append((self._differ(here, there), other))
            if any(verdict is False for verdict, _ in verdicts):
                continue
            for _, other in (each for each in verdicts if each[0]):
                found[one].update(self._behind(one, operand))
                found[1 - one].update(self._behind(1 - one, other))
        return found

    def _read_from_without(self, side: int, block: Block) -> Iterator[int]:
        """The inputs of a work that come from outside of it."""
        prepared, rows = self._sides[side], set(block.rows(side))
        for row in block.rows(side):
            if not prepared.passes[row]:
                for operand in prepared.places_in(row).tolist():
                    if int(prepared.value[operand]) not in rows:
                        yield operand

    def _comparable(self, row: int, other: int) -> bool:
        """Whether a pair does the same with what it reads, as far as it prints."""
        left, right = self._sides
        told = self.of[0].told[row] and self.of[1].told[other]
        return bool(told and left.type[row] == right.type[other])

    def _differing(self, row: int, other: int) -> tuple[set[int], set[int]]:
        found: tuple[set[int], set[int]] = (set(), set())
        places = paired_inputs(*self._sides, np.array([row]), np.array([other]))
        for here, there in zip(places[0].tolist(), places[1].tolist(), strict=True):
            if self._differ(here, there) is True:
                found[0].update(self._behind(0, here))
                found[1].update(self._behind(1, there))
        return found

    def _differ(self, here: int, there: int) -> bool | None:
        """Whether two inputs read other elements of one value; None where that is not told."""
        left, right = self._sides
        specs = [
            side.trace.tables.specs[side.trace.inputs.spec[operand]]
            for side, operand in zip(self._sides, (here, there), strict=True)
        ]
        if specs[0].shape != specs[1].shape:
            return None
        if not self._is_one_value(int(left.value[here]), int(right.value[there])):
            return None
        mine, theirs = self.of[0].seen(here), self.of[1].seen(there)
        if mine is None or theirs is None or mine.shape != theirs.shape:
            return None
        return mine.places != theirs.places

    def _is_one_value(self, value: int, other: int) -> bool:
        """Whether two values are a pair, or the one result of an op and of its expansion."""
        number = self._block_of[0].get(value, -1)
        if number < 0 or self._block_of[1].get(other) != number:
            return bool(self._partner[0][value] == other)
        return self._results[0][number] == {value} and self._results[1][number] == {other}

    @cached_property
    def _results(self) -> tuple[list[set[int]], list[set[int]]]:
        """Of each work, the rows whose values others compute with."""
        left, right = (
            [
                {
                    row
                    for row in block.rows(side)
                    if not {*block.rows(side)}.issuperset(readers(row))
                }
                for block in self._blocks
            ]
            for side, readers in ((0, self._sides[0].readers), (1, self._sides[1].readers))
        )
        return left, right

    def _behind(self, side: int, operand: int) -> list[int]:
        """The views and copies that an input is read through."""
        prepared, found = self._sides[side], list[int]()
        row = int(prepared.trace.links.producer[operand])
        while row >= 0 and self.of[side].hands_on(row) and len(found) < _LONGEST:
            found.append(row)
            row = int(prepared.trace.links.producer[prepared.trace.inputs.start[row]])
        return found


def _probes(shape: tuple[int, ...]) -> list[int] | None:
    """Some elements of a tensor, by their places in it; None where its size cannot be."""
    size = prod(shape)
    if not 0 < size < _LARGEST or min(shape, default=1) < 0:
        return None
    return sorted({0, size - 1, *(number * _SPREAD % size for number in range(_PROBES))})


def _sound(spec: TensorSpec) -> bool:
    """Whether strides and offset are told, fit the shape, and stay within memory that can be."""
    if spec.strides is None or spec.offset is None or len(spec.strides) != len(spec.shape):
        return False
    reach = (abs(stride) * size for stride, size in zip(spec.strides, spec.shape, strict=True))
    return 0 < prod(spec.shape) < _LARGEST and spec.offset + sum(reach) < _LARGEST


def _addresses(spec: TensorSpec, places: list[int]) -> list[int] | None:
    """Where elements are in the block."""
    if spec.strides is None:
        return places
    if not _sound(spec):
        return None
    index = np.unravel_index(places, spec.shape) if spec.shape else ()
    found = np.full(len(places), spec.offset or 0, np.int64)
    for each, stride in zip(index, spec.strides, strict=True):
        found += each * stride
    return [int(each) for each in found.tolist()]


def _places(spec: TensorSpec, addresses: list[int]) -> list[int] | None:
    """Which elements of a tensor are there in the block; None if one of them is not in it."""
    if spec.strides is None:
        return addresses if max(addresses) < prod(spec.shape) else None
    if not _sound(spec):
        return None
    rest = np.array(addresses, np.int64) - (spec.offset or 0)
    found = np.zeros(len(addresses), np.int64)
    weights = [prod(spec.shape[at + 1 :]) for at in range(len(spec.shape))]
    for stride, size, weight in sorted(
        zip(spec.strides, spec.shape, weights, strict=True), reverse=True
    ):
        if size > 1 and stride > 0:
            index = np.minimum(rest // stride, size - 1)
            rest -= index * stride
            found += index * weight
    return None if rest.any() else [int(each) for each in found.tolist()]
