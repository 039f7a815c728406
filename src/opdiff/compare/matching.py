"""Which ops of two traces are the same."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from opdiff.compare.crossings import out_of_order
from opdiff.trace.columns import Flags, Ints
from opdiff.trace.sorting import distinct

FUSION, HERE = -1, -2


class Block(NamedTuple):
    """Rows of both sides that do the same work together."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    rule: int = FUSION
    """The entry of the equivalent rules that says so, HERE where the user said it of these rows."""

    def rows(self, side: int) -> tuple[int, ...]:
        """The rows on one side."""
        return self.right if side else self.left


class Matching:
    """Pairs of values, one a side, and blocks.

    A pair of ops is a pair of what they made. Values from outside are paired too: the numbers
    after the last row.
    """

    def __init__(self, counts: tuple[int, int], rows: tuple[int, int]) -> None:
        self.partner: tuple[Ints, Ints] = (
            np.full(counts[0], -1, np.int32),
            np.full(counts[1], -1, np.int32),
        )
        self.late = np.zeros(rows[0], np.bool_)
        """Of each paired left row, whether more than its place in the order had to say so."""
        self.mate = (self.partner[0].data, self.partner[1].data)
        """The same memory as the partners, to be asked one by one without numpy's scalars."""
        self._late = self.late.data
        self.fixed: tuple[Flags, Flags] = (
            np.zeros(counts[0], np.bool_),
            np.zeros(counts[1], np.bool_),
        )
        """What no step may change: what the user decreed, and what sets parameters up."""
        self.blocks: list[Block] = []
        self.rows = rows
        self._blocked = (np.zeros(rows[0], np.bool_), np.zeros(rows[1], np.bool_))
        self._block: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self._seen = [0, 0]
        """How many of the blocks, which are never taken back, are noted on each side."""
        self.coarse = 0
        """How many rows were not weighed against all that they might be paired with."""
        self.asked = 0
        """How often two rows were asked whether they read the same."""
        self.tried: set[tuple[bytes, bytes]] = set()
        """Stretches of both sides that were weighed already."""

    def pair(self, row: int, other: int, *, late: bool = False) -> None:
        """Pair two rows; whoever they were paired with is alone again."""
        left, right = self.mate
        if left[row] >= 0:
            right[left[row]] = -1
        if right[other] >= 0:
            left[right[other]] = -1
        left[row], right[other] = other, row
        self._late[row] = late

    def pair_all(self, rows: Ints, others: Ints, *, late: bool = False) -> None:
        """Pair many rows that are all alone."""
        self.partner[0][rows] = others
        self.partner[1][others] = rows
        self.late[rows] = late

    def unpair(self, row: int) -> None:
        """Part a left row from its partner."""
        left, right = self.mate
        if left[row] >= 0:
            right[left[row]] = -1
        left[row] = -1

    def unpair_all(self, rows: Ints, others: Ints) -> None:
        """Part rows whose partners are all among *others*."""
        self.partner[0][rows] = -1
        self.partner[1][others] = -1

    def decree(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Pair what the user says is the same."""
        for row, other in pairs:
            self.pair(row, other)
            self.fixed[0][row] = self.fixed[1][other] = True

    def paired(self) -> tuple[Ints, Ints]:
        """All paired rows, ascending on the left, and their partners."""
        rows = np.flatnonzero(self.partner[0][: self.rows[0]] >= 0).astype(np.int32)
        return rows, self.partner[0][rows]

    def blocked(self, side: int) -> Flags:
        """Of each row, whether it is part of a block."""
        self.block_of(side)
        return self._blocked[side]

    def block_of(self, side: int) -> dict[int, int]:
        """Of each row that is part of a block, the number of that."""
        blocked, known = self._blocked[side].data, self._block[side]
        for number in range(self._seen[side], len(self.blocks)):
            for row in self.blocks[number].rows(side):
                blocked[row], known[row] = True, number
        self._seen[side] = len(self.blocks)
        return known

    def counterparts(self, side: int, value: int) -> tuple[int, ...]:
        """What makes a value on the other side: the partner of its op, or all ops of its block."""
        number = self.block_of(side).get(value)
        if number is not None:
            return self.blocks[number].rows(1 - side)
        partner = self.mate[side][value]
        return (partner,) if partner >= 0 else ()

    def alone(self, side: int, rows: Ints) -> Ints:
        """Those of the rows that are neither paired nor part of a block."""
        return rows[(self.partner[side][rows] < 0) & ~self.blocked(side)[rows]]

    def crossing(self) -> Flags:
        """Of each left row, whether its pair crosses others and is the one that moved."""
        return out_of_order(self.partner[0][: self.rows[0]], self.late)

    def moved(self, streams: Ints, crossing: Flags) -> Flags:
        """The same within the *streams* of the left rows: those have no order among them."""
        moved = np.zeros(self.rows[0], np.bool_)
        for stream in distinct(streams[crossing]).tolist():
            partner = np.where(streams == stream, self.partner[0][: self.rows[0]], -1)
            moved |= out_of_order(partner, self.late)
        return moved

    def turned(self) -> Matching:
        """The same with the sides swapped."""
        turned = Matching((len(self.partner[1]), len(self.partner[0])), self.rows[::-1])
        rows, others = self.paired()
        turned.partner[0][:], turned.partner[1][:] = self.partner[1], self.partner[0]
        turned.late[others] = self.late[rows]
        turned.fixed = self.fixed[::-1]
        turned.coarse = self.coarse
        turned.blocks = [Block(block.right, block.left, block.rule) for block in self.blocks]
        return turned
