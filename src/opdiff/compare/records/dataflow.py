"""Inputs that come from another producer than the counterpart's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from opdiff.compare.matching import Block, Matching
from opdiff.compare.pairing.sums import Sums
from opdiff.compare.records.unseen import untold_links
from opdiff.compare.sides.prepared import Prepared, paired_inputs
from opdiff.structure import Phase
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.trace.traits import Trait

_NEAR = 4
_AROUND = 16
_MOST_SHARED = 64
_MOST_HANDED = 16
"""Views and copies one behind the other that are looked through for all inputs at once."""


class Rewired(NamedTuple):
    """A pair one of whose inputs comes from elsewhere; writers are values, -1 for none."""

    row: int
    other: int
    place: int
    writer: int
    other_writer: int
    results: tuple[int, int] | None = None
    """Which results of a writer and its counterpart are read, where it is these that differ."""


class _Seen(NamedTuple):
    """Columns of one side as memory that Python indexes quickly."""

    rows: int
    producer: memoryview[int]
    source: memoryview[int]
    output: memoryview[int]
    start: memoryview[int]
    twin: memoryview[int]
    passes: memoryview[int]

    @classmethod
    def of(cls, side: Prepared) -> _Seen:
        """The columns that are asked of."""
        producer, start = side.trace.links.producer, side.trace.inputs.start
        columns = producer, side.source, side.output, start, side.twin, side.passes
        return cls(len(side.trace), *(np.ascontiguousarray(each).data for each in columns))


class Dataflow:
    """Checks inputs one by one, on the value graphs of both sides."""

    def __init__(
        self, left: Prepared, right: Prepared, matching: Matching, scope: tuple[Flags, Flags]
    ) -> None:
        self._sides = (left, right)
        self._partner = matching.partner
        self._mate = matching.mate
        self._seen = tuple(map(_Seen.of, (left, right)))
        self._scope = scope
        self._copies = tuple(
            side.trace.has_trait(Trait.COPY | Trait.CAST) & side.passes for side in (left, right)
        )
        self._untold = untold_links(left.trace, right.trace)
        self._commutes = left.trace.has_trait(Trait.COMMUTATIVE)
        self._sums = Sums((left, right), matching)
        self._blocks = matching.blocks
        self._block = matching.block_of(0), matching.block_of(1)
        self._number = (np.full(len(self._mate[0]), -1), np.full(len(self._mate[1]), -1))
        for numbers, blocks in zip(self._number, self._block, strict=True):
            numbers[list(blocks)] = list(blocks.values())

    def rewired(self, rows: Ints, others: Ints) -> list[Rewired]:
        """Of pairs that agree in themselves, those that read from elsewhere, one record a pair."""
        left, right = self._sides
        here, there, owner = paired_inputs(left, right, rows, others)
        value, other_value = left.value[here], right.value[there]
        doubtful = self._partner[0][value] != other_value
        source, other_source = left.source[here], right.source[there]
        doubtful |= (source < len(left.trace)) & (self._partner[0][source] != other_source)
        doubtful |= left.output[here] != right.output[there]
        doubtful |= left.part[here] != right.part[there]
        given = self._given_otherwise(here, there)
        doubtful &= ~self._handed_alike(here, there) | given
        here, there, owner, given = (each[doubtful] for each in (here, there, owner, given))
        doubtful = ~self._plainly_same(here, there)
        here, there, owner, given = (each[doubtful] for each in (here, there, owner, given))
        found: dict[int, Rewired] = {}
        handing = set[int]()
        first = left.trace.inputs.start
        asked = (each.tolist() for each in (rows[owner], others[owner], here, there, given))
        for row, other, place, other_place, behind in zip(*asked, strict=True):
            if row in found or self._crosses(row, other):
                continue
            writers = self._writers(place, other_place, row, other, behind=behind)
            if writers is not None and not self._sums.same_total(row, other):
                results = self._results(place, other_place, *writers)
                found[row] = Rewired(row, other, place - int(first[row]), *writers, results)
                if behind:
                    handing.update(self._handers(place))
        return [each for row, each in found.items() if row not in handing]

    def rewired_blocks(self, blocks: Sequence[Block]) -> list[Rewired]:
        """Of ops of the forward and what does their work, those that read something else.

        One op and many read the same values in other orders, and some again of what others made.
        So one that only the op reads must stand against another that only these read.
        """
        found = []
        phases = [side.phase.data for side in self._sides]
        for block in blocks:
            side = 0 if len(block.left) == 1 else 1
            one, many = (block.right, block.left) if side else (block.left, block.right)
            if len(one) != 1 or phases[side][one[0]] != Phase.FORWARD:
                continue
            lost = self._not_read(side, one, many)
            new = self._not_read(1 - side, many, one) if lost else []
            if lost and not new:
                whole = many + self._shared_by(side, one[0], many)
                lost = self._not_read(side, one, whole)
                new = self._not_read(1 - side, whole, one) if lost else []
                new = [(many[0], value) for _, value in new]
            for (row, value), (other, another) in zip(lost[:1], new[:1], strict=False):
                left, right = (row, other)[:: -1 if side else 1]
                writers = (value, another)[:: -1 if side else 1]
                known = [each if mate[each] >= 0 else -1 for mate, each in self._each(writers)]
                if max(known) >= 0:
                    read = self._sides[0].read_by(left)
                    place = read.index(writers[0]) if writers[0] in read else 0  # what is shared
                    found.append(Rewired(left, right, place, known[0], known[1]))
        return found

    def _shared_by(self, side: int, row: int, many: tuple[int, ...]) -> tuple[int, ...]:
        """What the expansion of an op shares with those of its like, as far up as these go.

        Of two norms of one value a compiler does all but the weights once.
        """
        one, other = self._sides[side], self._sides[1 - side]
        of, kinds = self._block[1 - side], self._kind_of_work[side]
        kind = int(one.trace.type[row])
        found: dict[int, None] = {}
        waiting = list(many)
        while waiting and len(found) < _MOST_SHARED:
            for value in other.read_by(waiting.pop()):
                like = value in of and kinds.get(of[value]) == kind
                if like and value not in many and value not in found:
                    found[value] = None
                    waiting.append(value)
        return tuple(found)

    @cached_property
    def _kind_of_work(self) -> tuple[dict[int, int], dict[int, int]]:
        """Of each block that is one op on a side, the type of that."""
        found: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for number, block in enumerate(self._blocks):
            for side, here in enumerate(found):
                if len(block.rows(side)) == 1:
                    here[number] = int(self._sides[side].trace.type[block.rows(side)[0]])
        return found

    def _not_read(
        self, side: int, rows: tuple[int, ...], others: tuple[int, ...]
    ) -> list[tuple[int, int]]:
        """The readers, and values that some rows read from elsewhere, that others do not read.

        Of an op without counterpart nothing is known; a value from outside is no other one's.
        """
        here, there, mate = self._sides[side], self._sides[1 - side], self._mate[side]
        block = self._block[side]
        read = {value for other in others for value in there.read_by(other)}
        return [
            (row, value)
            for row in rows
            for value in here.read_by(row)
            if value not in rows
            and value not in block
            and mate[value] not in read
            and (mate[value] >= 0 or here.outside[value])
            and not self._constant_or_hidden(side, value)
        ]

    def _each(self, values: tuple[int, ...]) -> Iterator[tuple[memoryview[int], int]]:
        """Partners and value of either side."""
        return zip(self._mate, values, strict=True)

    def _constant_or_hidden(self, side: int, value: int) -> bool:
        prepared = self._sides[side]
        if value < len(prepared.trace):
            return bool(prepared.constant[value] or prepared.passes[value])
        return value in prepared.hidden or self._untold[side]

    def _given_otherwise(self, here: Longs, there: Longs) -> Flags:
        """Inputs of ops that compute which are, behind views, other values from outside."""
        left, right = self._sides
        value, other = left.value[here], right.value[there]
        given: Flags = left.outside[value] & right.outside[other]
        met, back = self._partner[0][value], self._partner[1][other]
        given &= (met != other) & ((met >= 0) | (back >= 0))
        return given & ~left.passes[left.trace.values.reader_row[here]]

    def _handers(self, operand: int) -> Iterator[int]:
        """The left rows that hand on what an input is."""
        seen = self._seen[0]
        row = seen.producer[operand]
        while row >= 0 and seen.passes[row] and seen.start[row] < seen.start[row + 1]:
            yield row
            row = seen.producer[seen.start[row]]

    def _handed_alike(self, here: Longs, there: Longs) -> Flags:
        """Inputs whose very last writers, views included, are each other's partners."""
        left, right = self._sides
        mine, theirs = left.trace.links.producer[here], right.trace.links.producer[there]
        alike: Flags = (mine >= 0) & (theirs >= 0)
        alike &= self._partner[0][np.maximum(mine, 0)] == theirs
        which, other_which = left.output[here], right.output[there]
        alike &= (which == other_which) | (which < 0) | (other_which < 0)
        return alike & ~self._other_part(here, there)

    def _plainly_same(self, here: Longs, there: Longs) -> Flags:
        """Inputs of which looking through what stands on one side only tells that they agree."""
        left, right = self._sides
        value, other = self._looked_through(0, here), self._looked_through(1, there)
        partner, back = self._partner[0][value], self._partner[1][other]
        number = self._number[0][value]
        together = (number >= 0) & (number == self._number[1][other]) & (partner < 0) & (back < 0)
        together &= ~left.outside[value] & ~right.outside[other]
        which, other_which = left.output[here], right.output[there]
        mine, theirs = left.trace.links.producer[here], right.trace.links.producer[there]
        # Of what is handed on alike something else is asked.
        asked = (mine >= 0) & (theirs >= 0) & (self._partner[0][np.maximum(mine, 0)] == theirs)
        asked |= (which >= 0) & (other_which >= 0) & (which != other_which)
        same: Flags = ((partner == other) | together) & ~asked
        return same

    def _looked_through(self, side: int, operands: Longs) -> Ints:
        """Of inputs, the values behind what hands them on and stands on this side only."""
        prepared, partner, number = self._sides[side], self._partner[side], self._number[side]
        start, rows = prepared.trace.inputs.start, len(prepared.trace)
        value = prepared.twin[prepared.source[operands]]
        for _ in range(_MOST_HANDED):
            at = np.flatnonzero((value < rows) & (partner[value] < 0) & (number[value] < 0))
            row = value[at]
            handing = self._scope[side][row] & prepared.passes[row] & (start[row] < start[row + 1])
            if not handing.any():
                break
            value[at[handing]] = prepared.twin[prepared.source[start[row[handing]]]]
        return value

    def _other_part(self, here: Longs, there: Longs) -> Flags:
        """Inputs that are other parts of what was taken apart, where their order matters."""
        left, right = self._sides
        mine, theirs = left.part[here], right.part[there]
        other: Flags = (mine >= 0) & (theirs >= 0) & (mine != theirs)
        other &= ~self._commutes[left.trace.inputs.rows()[here]]
        return other

    def _crosses(self, row: int, other: int) -> bool:
        """Whether a pair reads the same two values in the other order, and that does not matter."""
        left, right = self._sides
        if not self._commutes[row]:
            return False
        mine, theirs = left.read_by(row), right.read_by(other)
        if len(mine) != 2 or len(theirs) != 2 or mine[0] == mine[1]:
            return False
        return all(map(self._agree, mine, theirs[::-1]))

    def _writers(
        self, here: int, there: int, row: int, other: int, *, behind: bool
    ) -> tuple[int, int] | None:
        """The two writers where they really are no counterparts; those *behind* all views."""
        left, right = self._seen
        mine, theirs = left.producer[here], right.producer[there]
        if behind:
            values = int(self._sides[0].value[here]), int(self._sides[1].value[there])
            writer, other_writer = (
                value if mate[value] >= 0 else -1 for mate, value in self._each(values)
            )
            return self._told(here, there, row, other, writer, other_writer)
        if mine >= 0 and theirs >= 0 and self._mate[0][mine] == theirs:
            asked = np.array([here]), np.array([there])
            other = self._other_output(here, there, mine) or self._other_part(*asked)[0]
            return (mine, theirs) if other else None
        if self._one_work(left.source[here], right.source[there]):
            return None
        writer = self._origin(0, left.source[here])
        other_writer = self._origin(1, right.source[there])
        while not self._agree(writer, other_writer):
            if self._stands_alone(0, writer) or self._stands_alone(1, other_writer):
                return (writer, other_writer) if self._replaces(writer, other_writer) else None
            # A copy of the same is as good as the same.
            if writer >= 0 and self._copying(0, writer):
                writer = self._origin(0, self._handed(0, writer))
            elif other_writer >= 0 and self._copying(1, other_writer):
                other_writer = self._origin(1, self._handed(1, other_writer))
            else:
                break
        else:
            # Outputs of one op and of several that do its work are numbered differently.
            pair = writer >= 0 and self._partner[0][writer] == other_writer
            other_output = pair and self._other_output(here, there, writer)
            return (writer, other_writer) if other_output else None
        return self._told(here, there, row, other, writer, other_writer)

    def _told(
        self, here: int, there: int, row: int, other: int, writer: int, other_writer: int
    ) -> tuple[int, int] | None:
        """The two writers, unless something explains why they are no counterparts."""
        if self._updated_there(here, there) or self._updated_in_list(
            here, there, writer, other_writer
        ):
            return None
        if writer < 0 or other_writer < 0:
            side, reader, known = (0, row, other_writer) if writer < 0 else (1, other, writer)
            if self._untold[side] or self._hidden(side, reader, known):
                return None
        return writer, other_writer

    def _updated_there(self, here: int, there: int) -> bool:
        """Whether one side reads a state that the other side's op hands on as a result.

        It reads what that op made of the state, so the op has run before.
        """
        values = [int(side.value[at]) for side, at in zip(self._sides, (here, there), strict=True)]
        for side in (0, 1):
            mine, theirs = self._sides[side], self._sides[1 - side]
            state, made = values[side], values[1 - side]
            if mine.outside[state] and made < len(theirs.trace):
                writer = int(self._partner[1 - side][made])
                reader = int(mine.trace.values.reader_row[(here, there)[side]])
                if 0 <= writer < reader and state in mine.read_by(writer):
                    return True
        return False

    def _updated_in_list(self, here: int, there: int, writer: int, other_writer: int) -> bool:
        """Whether one side reads what an op on a list of tensors updated, without printing it."""
        left, right = self._sides
        block, other_block = self._block[0].get(writer), self._block[1].get(other_writer)
        return (
            block is not None and block in self._updated[1].get(int(right.value[there]), ())
        ) or (
            other_block is not None
            and other_block in self._updated[0].get(int(left.value[here]), ())
        )

    @cached_property
    def _updated(self) -> tuple[dict[int, set[int]], dict[int, set[int]]]:
        """The blocks whose ops take a value in a list of tensors and print no result."""
        found: tuple[dict[int, set[int]], dict[int, set[int]]] = ({}, {})
        for which, side in enumerate(self._sides):
            silent = side.trace.has_trait(Trait.IN_PLACE) & (side.trace.outputs.counts() == 0)
            for row, block in self._block[which].items():
                for value in side.read_by(row) if silent[row] else ():
                    found[which].setdefault(value, set()).add(block)
        return found

    def _other_output(self, here: int, there: int, writer: int) -> bool:
        """Whether the same producer's other output is read, where both sides tell which."""
        if writer < 0 or writer >= len(self._sides[0].trace):
            return False
        mine, theirs = self._seen[0].output[here], self._seen[1].output[there]
        return mine >= 0 and theirs >= 0 and mine != theirs

    def _results(
        self, here: int, there: int, writer: int, other_writer: int
    ) -> tuple[int, int] | None:
        """Which results of the same are read, where the writers are counterparts."""
        if min(writer, other_writer) < 0 or self._mate[0][writer] != other_writer:
            return None
        left, right = self._sides
        for mine, theirs in ((left.output, right.output), (left.part, right.part)):
            results = int(mine[here]), int(theirs[there])
            if min(results) >= 0 and results[0] != results[1]:
                return results
        return None

    def _origin(self, side: int, value: int) -> int:
        """The value behind what hands it on and stands on this side only; -1 for none."""
        seen, partner = self._seen[side], self._mate[side]
        value = seen.twin[value]
        while value < seen.rows and partner[value] < 0 and value not in self._block[side]:
            if not self._scope[side][value]:
                return -1
            if not seen.passes[value]:
                return value
            behind = self._handed(side, value)
            if behind == value:
                return value
            value = seen.twin[behind]
        return -1 if partner[value] < 0 and self._sides[side].outside[value] else value

    def _handed(self, side: int, row: int) -> int:
        """What a row that makes no new value hands on."""
        seen = self._seen[side]
        first = seen.start[row]
        return row if first == seen.start[row + 1] else seen.source[first]

    def _copying(self, side: int, value: int) -> bool:
        if value >= self._seen[side].rows or not self._seen[side].passes[value]:
            return False
        # What is rearranged counts as the same where the other side only views it so.
        partner = int(self._partner[side][value])
        viewed = self._sides[1 - side].trace.values.viewed
        if not self._copies[side][value] and not (partner >= 0 and viewed[partner] >= 0):
            return False
        return self._handed(side, value) != value

    def _agree(self, writer: int, other_writer: int) -> bool:
        if writer < 0 or other_writer < 0:
            return writer == other_writer
        if self._mate[0][writer] == other_writer or self._sums.same_sum(writer, other_writer):
            return True
        block, other_block = self._block[0].get(writer), self._block[1].get(other_writer)
        if block is None and other_block is None:
            return False
        return block == other_block or self._both_constant(writer, other_writer)

    def _one_work(self, value: int, other: int) -> bool:
        """Whether two values are made in one and the same work, though one is there already.

        Two norms whose results are added up have the same gradient: where they are written out
        it can be seen that it is computed twice.
        """
        block = self._block[0].get(value)
        return block is not None and block == self._block[1].get(other)

    def _both_constant(self, writer: int, other_writer: int) -> bool:
        """Whether both depend on no tensor: a compiler makes equal ones once."""
        left, right = self._sides
        within = writer < len(left.trace) and other_writer < len(right.trace)
        return within and bool(left.constant[writer] and right.constant[other_writer])

    def _stands_alone(self, side: int, value: int) -> bool:
        """Whether a writer is inserted or lost: its readers only follow."""
        return value >= 0 and self._mate[side][value] < 0 and value not in self._block[side]

    def _replaces(self, writer: int, other_writer: int) -> bool:
        """Whether what is read instead of a constant has a counterpart: no compiler does that."""
        if min(writer, other_writer) < 0:
            return False
        constant = [
            value < len(side.trace) and bool(side.constant[value])
            for side, value in zip(self._sides, (writer, other_writer), strict=True)
        ]
        if constant[0] == constant[1]:
            return False
        return (self._mate[1][other_writer] if constant[0] else self._mate[0][writer]) >= 0

    def _hidden(self, side: int, reader: int, known: int) -> bool:
        """Whether a missing writer is explained: it ran on the host, or a copy printed nothing."""
        prepared = self._sides[side]
        counterpart = int(self._partner[1 - side][known])
        if 0 <= counterpart < len(prepared.trace) and prepared.bare[counterpart]:
            return True
        around = range(max(0, reader - _AROUND), reader)
        near = [row for row in around if not prepared.noise[row]][-_NEAR:]
        copies = prepared.trace.traits
        return any(prepared.bare[row] and bool(copies[row] & Trait.COPY) for row in near)
