"""What is left over on both sides and belongs together, though it kept neither place nor form.

Ops that moved and changed in another way too, ops of a stretch that ran on the host in another
order, and the scattered parts of a fused kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

from opdiff.compare.codes import Ints
from opdiff.compare.fusion import parts_of
from opdiff.compare.moves import Moves
from opdiff.compare.sides import TRANSPARENT, Ready
from opdiff.compare.table import Table

_NEAR = 48
_RADII = (8, 16, 32, 64)


class Relatives:
    """Looks for relatives among the rows that are alone on both sides."""

    def __init__(
        self,
        left: Ready,
        right: Ready,
        partner: Ints,
        other_partner: Ints,
        moves: Moves,
        table: Table,
    ) -> None:
        self._sides = (left, right)
        self._partner = (partner, other_partner)
        self._moves = moves
        self._table = table

    def pair(self, rows: Sequence[int], others: Sequence[int]) -> list[tuple[int, int]]:
        """New pairs of ops that may be counterparts by name and by place, or by their links."""
        left, right = self._sides
        waiting: dict[int, list[int]] = {}
        for other in others:
            waiting.setdefault(int(right.family[other]), []).append(other)
        found = []
        for row in rows:
            candidates = waiting.get(int(left.family[row]), [])
            wanted = self._moves.expected_place(row)
            near = sorted(candidates, key=lambda place: abs(place - wanted))
            for other in near:
                if self._related(row, other, wanted):
                    candidates.remove(other)
                    self._partner[0][row], self._partner[1][other] = other, row
                    found.append((row, other))
                    break
        return found

    def _related(self, row: int, other: int, wanted: int) -> bool:
        left, right = self._sides
        names = left.trace.type_name(row), right.trace.type_name(other)
        if not self._table.may_pair(*names) or names[0] in TRANSPARENT or names[1] in TRANSPARENT:
            return False  # copies stand anywhere
        if left.bare[row] != right.bare[other]:
            return abs(other - wanted) <= _NEAR
        return not left.bare[row] and self._moves.linked(row, other)

    def scattered(
        self, rows: Sequence[int], others: Sequence[int]
    ) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Fused kernels whose parts stand among other ops: rows of the left and of the right."""
        taken: set[int] = set()
        found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        for many_side, ones, pool in ((0, others, rows), (1, rows, others)):
            for one in ones:
                parts = self._parts(
                    1 - many_side, one, many_side, [r for r in pool if r not in taken]
                )
                if parts:
                    taken.update(parts)
                    found.append((parts, (one,)) if many_side == 0 else ((one,), parts))
        return found

    def _parts(self, side: int, one: int, many_side: int, pool: list[int]) -> tuple[int, ...]:
        """The rows that do the work of one op by name, in order, as near as can be."""
        name = self._sides[side].trace.type_name(one)
        sequences = [parts_of(name), *self._table.expansions.get(name, ())]
        wanted = self._last_partner(side, one)
        for radius in _RADII:
            around = [row for row in pool if abs(row - wanted) <= radius]
            for names in sequences:
                chosen = self._in_order(many_side, around, names)
                if chosen:
                    return chosen
        return ()

    def _in_order(self, side: int, rows: list[int], names: tuple[str, ...]) -> tuple[int, ...]:
        """The last rows of these names, in this order; empty where one is missing."""
        trace = self._sides[side].trace
        chosen: list[int] = []
        for row in reversed(rows):
            if len(chosen) < len(names) and self._table.may_pair(
                trace.type_name(row), names[-1 - len(chosen)]
            ):
                chosen.append(row)
        return tuple(reversed(chosen)) if len(chosen) == len(names) else ()

    def _last_partner(self, side: int, row: int) -> int:
        partner = self._partner[side]
        for near in range(row - 1, -1, -1):
            if partner[near] >= 0:
                return int(partner[near])
        return row
