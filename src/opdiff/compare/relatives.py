"""What is left over on both sides and belongs together, though it kept neither place nor form.

Ops that moved and changed in another way too, ops of a stretch that ran on the host in another
order, and the scattered parts of a fused kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, product

import numpy as np

from opdiff.compare.codes import Ints, Vocabulary
from opdiff.compare.fusion import Boundaries, parts_of
from opdiff.compare.moves import Moves
from opdiff.compare.sides import TRANSPARENT, Ready, written_by
from opdiff.compare.table import Table

_NEAR = 48
_RADII = (8, 16, 32, 64)
_MOST_CHOICES = 300
_LONGEST_RUN = 24


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
        words: Vocabulary,
    ) -> None:
        self._sides = (left, right)
        self._partner = (partner, other_partner)
        self._moves = moves
        self._table = table
        self._words = words

    def pair(self, rows: Sequence[int], others: Sequence[int]) -> list[tuple[int, int]]:
        """New pairs of ops that may be counterparts by name and by place, or by their links."""
        left, right = self._sides
        waiting: dict[int, list[int]] = {}
        for other in others:
            if right.trace.type_name(other) in TRANSPARENT:
                continue  # copies stand anywhere
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
        if not self._table.may_pair(*names):
            return False
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

    def linked_runs(
        self, rows: Sequence[int], others: Sequence[int]
    ) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Runs of ops that stand where one op of the other side stands, with the same links."""
        found: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        taken: tuple[set[int], set[int]] = (set(), set())
        for many_side, ones, pool in ((0, others, rows), (1, rows, others)):
            single_side = 1 - many_side
            for one in ones:
                name = self._sides[single_side].trace.type_name(one)
                if name in TRANSPARENT or one in taken[single_side]:
                    continue
                run = self._run_behind(many_side, self._last_partner(single_side, one), pool)
                if taken[many_side].isdisjoint(run) and self._same_links(many_side, run, one):
                    taken[many_side].update(run)
                    taken[single_side].add(one)
                    found.append((run, (one,)) if many_side == 0 else ((one,), run))
        return found

    def _run_behind(self, side: int, start: int, pool: Sequence[int]) -> tuple[int, ...]:
        """The ops that are alone right behind a row, up to the next that is paired."""
        ready, partner, alone = self._sides[side], self._partner[side], set(pool)
        run = []
        for row in range(start + 1, min(start + 1 + _LONGEST_RUN, len(ready.trace))):
            if partner[row] >= 0:
                break
            if row in alone and ready.trace.type_name(row) not in TRANSPARENT:
                run.append(row)
        return tuple(run)

    def _same_links(self, side: int, run: tuple[int, ...], one: int) -> bool:
        """Whether a run reads from and is read by the counterparts of what one op is."""
        if len(run) < 2:
            return False
        many, single = self._sides[side], self._sides[1 - side]
        if single.bare[one] or any(many.bare[row] for row in run):
            return False
        partner = self._partner[side]
        sources = {self._origin(side, w) for row in run for w in written_by(many, row)}
        expected = {int(partner[w]) for w in sources - set(run) if w >= 0}
        there = {self._origin(1 - side, w) for w in written_by(single, one)} - {-1}
        readers = {int(r) for row in run for r in many.trace.consumers(row)} - set(run)
        read = {int(partner[r]) for r in readers}
        return (
            bool(expected)
            and bool(read)
            and expected == there
            and read == {int(r) for r in single.trace.consumers(one)}
        )

    def _origin(self, side: int, row: int) -> int:
        """The writer behind copies that are alone."""
        ready, partner = self._sides[side], self._partner[side]
        while row >= 0 and partner[row] < 0 and ready.trace.type_name(row) in TRANSPARENT:
            before = written_by(ready, row)
            row = before[-1] if before else -1
        return row

    def _parts(self, side: int, one: int, many_side: int, pool: list[int]) -> tuple[int, ...]:
        """The rows that do the work of one op by name, in order, as near as can be."""
        single = self._sides[side]
        name = single.trace.type_name(one)
        sequences = [
            names for names in (parts_of(name), *self._table.expansions.get(name, ())) if names
        ]
        if not sequences or not pool:
            return ()
        wanted = self._last_partner(side, one)
        kernel = Boundaries(single, np.array([one]), self._words)
        for radius in _RADII:
            around = [row for row in pool if abs(row - wanted) <= radius]
            for names in sequences:
                for chosen in self._choices(many_side, around, names):
                    if self._fits(many_side, chosen, kernel):
                        return chosen
        return ()

    def _choices(
        self, side: int, rows: list[int], names: tuple[str, ...]
    ) -> Iterator[tuple[int, ...]]:
        """Rows of these names in this order, the last ones first; not too many."""
        trace = self._sides[side].trace
        fitting = [
            [row for row in reversed(rows) if self._table.may_pair(trace.type_name(row), name)]
            for name in names
        ]
        ascending = (
            choice
            for choice in product(*fitting)
            if all(first < second for first, second in pairwise(choice))
        )
        return islice(ascending, _MOST_CHOICES)

    def _fits(self, side: int, rows: tuple[int, ...], kernel: Boundaries) -> bool:
        """Whether the rows together read and write what the kernel reads and writes."""
        block = Boundaries(self._sides[side], np.array(rows), self._words)
        if kernel.bare(0) or any(block.bare(place) for place in range(len(rows))):
            return True
        return block.inputs(0, len(rows)) == kernel.inputs(0, 1) and block.outputs(
            0, len(rows)
        ) == kernel.outputs(0, 1)

    def _last_partner(self, side: int, row: int) -> int:
        partner = self._partner[side]
        for near in range(row - 1, -1, -1):
            if partner[near] >= 0:
                return int(partner[near])
        return row
