"""Ops that print no operands: where they changed places, their names are all there is to go by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.compare.codes import Ints
from opdiff.compare.sides import TRANSPARENT, Ready

_NEAR = 24
"""How many pairs may lie between two namesakes: no op moves across layers by its name alone."""


@dataclass(frozen=True)
class Namesakes:
    """Pairs ops of one name that are alone on both sides, in the columns it is given."""

    left: Ready
    right: Ready
    partner: Ints
    other_partner: Ints
    decreed: frozenset[int]
    """Left rows whose pairs are not to be undone."""

    def pair(self, rows: Ints, others: Ints) -> list[int]:
        """Pair namesakes among the rows; returns the left rows that were paired."""
        self._part_strangers(rows, others)
        mine = self._by_type(self.left, rows[self.partner[rows] < 0])
        theirs = self._by_type(self.right, others[self.other_partner[others] < 0])
        turn, other_turn = np.cumsum(self.partner >= 0), np.cumsum(self.other_partner >= 0)
        paired: list[int] = []
        for kind in sorted(mine.keys() & theirs.keys()):
            here, there = mine[kind], theirs[kind]
            if len(here) != len(there) or np.any(np.abs(turn[here] - other_turn[there]) > _NEAR):
                continue
            self.partner[here], self.other_partner[there] = there, here
            paired += here
        return paired

    def _part_strangers(self, rows: Ints, others: Ints) -> None:
        """Undo pairs of unlike ops where one of them has a namesake left over on the other side."""
        mine = rows[(self.partner[rows] >= 0) & ~np.isin(rows, list(self.decreed))]
        theirs = self.partner[mine]
        unlike = self.left.family[mine] != self.right.family[theirs]
        unlike &= self.left.bare[mine] | self.right.bare[theirs]
        spare = set(self._by_type(self.left, rows[self.partner[rows] < 0]))
        other_spare = set(self._by_type(self.right, others[self.other_partner[others] < 0]))
        for row, other in zip(mine[unlike].tolist(), theirs[unlike].tolist(), strict=True):
            if (self.left.bare[row] and int(self.left.type[row]) in other_spare) or (
                self.right.bare[other] and int(self.right.type[other]) in spare
            ):
                self.partner[row], self.other_partner[other] = -1, -1

    def _by_type(self, side: Ready, alone: Ints) -> dict[int, list[int]]:
        """The rows without operands by their type, copies left out: these come and go."""
        found: dict[int, list[int]] = {}
        for row in alone[side.bare[alone]].tolist():
            if side.trace.type_name(row) not in TRANSPARENT:
                found.setdefault(int(side.type[row]), []).append(row)
        return found
