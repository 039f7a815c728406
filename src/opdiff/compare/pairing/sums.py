"""Sums that are added up in another order: the same terms make the same total.

Experts, branches and gradients are added up one by one. Another order gives other sums on the way
and the same one in the end; a chain of additions is its terms, whatever their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from opdiff.compare.matching import Matching
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.traits import Trait

_LONGEST = 256


class Sums:
    """Tells whether two additions belong to sums of the same terms."""

    def __init__(self, sides: tuple[Prepared, Prepared], matching: Matching) -> None:
        self._sides = sides
        self._partner = matching.mate
        self._type = (sides[0].type.data, sides[1].type.data)
        self._tops: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self._terms: tuple[dict[int, list[int]], dict[int, list[int]]] = ({}, {})
        self._rows: tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]] = ({}, {})

    @cached_property
    def _adding(self) -> tuple[set[int], set[int]]:
        left, right = (
            {int(kind) for kind in set(side.type[side.trace.has_trait(Trait.ACCUMULATES)].tolist())}
            for side in self._sides
        )
        return left, right

    @cached_property
    def _plain(self) -> tuple[set[int], set[int]]:
        """The types of additions whose inputs are all terms, in any order."""
        left, right = (
            set(side.type[side.trace.has_trait(Trait.ADDS_UP)].tolist()) & adding
            for side, adding in zip(self._sides, self._adding, strict=True)
        )
        return left, right

    def same_total(self, row: int, other: int) -> bool:
        """Whether two rows add to totals of the same terms."""
        if self._type[0][row] not in self._adding[0]:
            return False
        if self._type[1][other] not in self._adding[1]:
            return False
        mine = self._terms_of(0, self._top(0, row))
        theirs = self._terms_of(1, self._top(1, other))
        if len(mine) != len(theirs) or len(mine) < 3:
            return False
        partners = sorted(self._partner[0][value] for value in mine)
        return partners[0] >= 0 and partners == sorted(theirs)

    def among_others(self, row: int, other: int) -> bool:
        """Whether one of two rows is one of several additions that make a total."""
        return any(
            self._type[side][each] in self._adding[side]
            and len(self._terms_of(side, self._top(side, each)))
            > len(self._sides[side].read_by(each))
            for side, each in ((0, row), (1, other))
        )

    def same_sum(self, value: int, other: int) -> bool:
        """Whether two values are the totals of the same terms."""
        if value >= len(self._type[0]) or other >= len(self._type[1]):
            return False
        if not self.same_total(value, other):
            return False
        return self._top(0, value) == value and self._top(1, other) == other

    def regrouped(
        self, side: int, rows: Iterable[int]
    ) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The additions of each sum that these rows are part of, and those of the other side."""
        adding = [row for row in rows if self._type[side][row] in self._adding[side]]
        for top in dict.fromkeys(self._top(side, row) for row in adding):
            for other in self._totals(side, top):
                if self.same_total(*((top, other) if side == 0 else (other, top))):
                    yield self._rows[side][top], self._rows[1 - side][other]
                    break

    def totals(self, rows: Iterable[int]) -> Iterator[tuple[int, int]]:
        """The last additions of sums that left rows are part of, and of sums of the same terms."""
        adding = [row for row in rows if self._type[0][row] in self._adding[0]]
        for top in dict.fromkeys(self._top(0, row) for row in adding):
            for other in self._totals(0, top):
                if self.same_total(top, other):
                    yield top, other
                    break

    def _totals(self, side: int, top: int) -> list[int]:
        """The totals of the other side that a term of this one goes into."""
        terms = self._terms_of(side, top)
        term = self._partner[side][terms[0]] if terms else -1
        if term < 0:
            return []
        prepared = self._sides[1 - side]
        readers = prepared.trace.values.reader_row[prepared.readings(term)[:8]].tolist()
        adding = self._adding[1 - side]
        tops = [self._top(1 - side, row) for row in readers if self._type[1 - side][row] in adding]
        return list(dict.fromkeys(tops))

    def _top(self, side: int, row: int) -> int:
        """The last addition of the chain that a row is part of."""
        known = self._tops[side]
        if row not in known:
            here = row
            for _ in range(_LONGEST):
                above = self._added_to(side, here)
                if above is None:
                    break
                here = above
            known[row] = here
        return known[row]

    def _added_to(self, side: int, row: int) -> int | None:
        """The one addition that a row's result goes into, if nothing else does."""
        read = self._sides[side].read_where(row)
        if len(read) != 1:
            return None
        reader = read[0][0]
        return reader if self._alike(side, reader, row) else None

    def _alike(self, side: int, row: int, other: int) -> bool:
        """Whether two additions are of one sort: the same op, or both add up all that they read."""
        types = self._type[side]
        return types[row] == types[other] or {types[row], types[other]} <= self._plain[side]

    def _terms_of(self, side: int, top: int) -> list[int]:
        """All that goes into a chain of additions and is none of its sums."""
        known = self._terms[side]
        if top not in known:
            prepared = self._sides[side]
            terms: list[int] = []
            rows: list[int] = []
            waiting = [top]
            while waiting and len(rows) < _LONGEST:
                row = waiting.pop()
                rows.append(row)
                for value in prepared.read_by(row):
                    inner = value < len(prepared.trace) and (
                        self._alike(side, value, row) and self._added_to(side, value) == row
                    )
                    (waiting if inner else terms).append(value)
            known[top] = terms if not waiting else []
            self._rows[side][top] = tuple(sorted(rows))
        return known[top]
