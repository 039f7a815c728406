"""Ops that print no operands: where they changed places, their names are all there is to go by."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from opdiff.compare.matching import Matching
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Ints
from opdiff.trace.traits import Trait

_NEAR = 24
"""How many pairs may lie between two namesakes: no op moves across layers by its name alone.

The only op of a name that does not print what it reads does: a graph has its own schedule.
"""


@dataclass(frozen=True)
class Namesakes:
    """Pairs ops of one name that are alone on both sides, in the columns it is given."""

    left: Prepared
    right: Prepared
    matching: Matching

    def pair(self, rows: Ints, others: Ints) -> None:
        """Pair namesakes among the rows."""
        if not (self.left.bare.any() or self.right.bare.any()):
            return
        self._part_strangers(rows, others)
        mine = self._by_type(self.left, self.matching.alone(0, rows))
        theirs = self._by_type(self.right, self.matching.alone(1, others))
        turn, other_turn = (np.cumsum(partner >= 0) for partner in self.matching.partner)
        for kind in sorted(mine.keys() & theirs.keys()):
            here, there = np.array(mine[kind], np.int32), np.array(theirs[kind], np.int32)
            if len(here) != len(there):
                continue
            far = bool(np.any(np.abs(turn[here] - other_turn[there]) > _NEAR))
            if far and kind not in self._only_ones:
                continue
            if np.all(self.left.bare[here] | self.right.bare[there]):
                self.matching.pair_all(here, there, late=True)

    @cached_property
    def _only_ones(self) -> set[int]:
        """The types of which each trace has one op in all, and most others say what they read."""
        if not (self.left.has_operands and self.right.has_operands):
            return set()
        single = []
        for side in (self.left, self.right):
            kinds, counts = np.unique(side.type, return_counts=True)
            single.append(set(kinds[counts == 1].tolist()))
        return single[0] & single[1]

    def _part_strangers(self, rows: Ints, others: Ints) -> None:
        """Undo pairs of unlike ops where one of them has a namesake left over on the other side."""
        left, right = self.left, self.right
        mine, theirs = self.matching.paired()
        unlike = left.family[mine] != right.family[theirs]
        unlike &= left.bare[mine] | right.bare[theirs]
        unlike &= ~self.matching.fixed[0][mine]
        spare, other_spare = (
            set(self._by_type(side, (alone := self.matching.alone(at, chosen))[side.bare[alone]]))
            for at, (side, chosen) in enumerate(((left, rows), (right, others)))
        )
        for row, other in zip(mine[unlike].tolist(), theirs[unlike].tolist(), strict=True):
            if (left.bare[row] and int(left.type[row]) in other_spare) or (
                right.bare[other] and int(right.type[other]) in spare
            ):
                self.matching.unpair(row)

    def _by_type(self, side: Prepared, alone: Ints) -> dict[int, list[int]]:
        """The rows by their type, copies left out: these come and go."""
        found: dict[int, list[int]] = {}
        alone = alone[(side.trace.traits[alone] & Trait.PASSES_ON) == 0]
        for row, kind in zip(alone.tolist(), side.type[alone].tolist(), strict=True):
            found.setdefault(kind, []).append(row)
        return found
