"""What the list shows and in which order it is walked: one answer for list, keys and counter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from opdiff.compare import SEVERITY, Comparison, Group, Section, Side
from opdiff.trace.columns import Longs

_NONE: Longs = np.empty(0, np.int64)
MOST_LOOKED_AT = 500
"""Members of a group whose causes are counted: more would be felt."""
_SEVERITY = {kind: place for place, kind in enumerate(SEVERITY)}


class Order(str, Enum):
    """How the list is sorted; the values are kept in the settings."""

    CAUSE = "cause"
    """As a person should read it: causes as they ran, each with what it explains under it."""
    NEAREST = "nearest"
    SEVERITY = "severity"
    COUNT = "count"
    FILE = "file"


def ordered(comparison: Comparison, groups: list[Group], order: Order) -> list[Group]:
    """The groups in an order; those that are alike in it come in reading order."""
    rows = _first_rows(comparison) if order is Order.FILE else []
    keys: dict[Order, Callable[[Group], Any]] = {
        Order.CAUSE: lambda group: group.id,
        Order.NEAREST: lambda group: group.members[0],
        Order.SEVERITY: lambda group: (-_SEVERITY[group.kind], group.id),
        Order.COUNT: lambda group: (-group.count, group.id),
        # Members come nearest the anchor first, so the topmost is at one of the two ends.
        Order.FILE: lambda group: (min(rows[group.members[0]], rows[group.members[-1]]), group.id),
    }
    return sorted(groups, key=keys[order])


def _first_rows(comparison: Comparison) -> list[int]:
    """Of each divergence its first row: on the left, or where it has none there, on the right."""
    left, right = (comparison.side(side).first_rows(len(comparison.divergences)) for side in Side)
    first: list[int] = np.where(left < 0, right, left).tolist()
    return first


class Listed(NamedTuple):
    """A group as it stands in the list. There may be very many: nothing is made faster."""

    group: Group
    depth: int = 0
    """Under how many others it stands that explain it."""
    above: int | None = None
    """The group right above it in the tree."""
    explains: int = 0
    """How many differences stand below it in the tree."""


class Outline:
    """Groups of a comparison, all or some of them, in an order, and their members in theirs.

    By cause the list is a tree: a group stands under the nearest listed one that explains it,
    unless one of the two can change values and the other cannot or did not. By distance the walk
    goes from one difference to the next nearest, from group to group; else through one group after
    the other. It stops at no group that is quiet.
    """

    def __init__(
        self,
        comparison: Comparison | None = None,
        groups: Sequence[Group] | None = None,
        order: Order = Order.CAUSE,
    ) -> None:
        self.comparison = comparison
        self.order = order
        every = () if comparison is None else comparison.groups
        shown = list(every if groups is None else groups)
        if comparison is not None:
            shown = ordered(comparison, shown, order)
        self.listed: list[Listed] = self._tree(shown)
        suspects = sum(here.group.section is Section.SUSPECT for here in self.listed)
        by_cause = order is Order.CAUSE
        self.harmless = range(suspects, len(self.listed)) if by_cause else range(0)
        """The rows at the end of the list that change no value; by cause only."""
        self.row_of = {here.group.id: row for row, here in enumerate(self.listed)}
        """Where each listed group stands, by its id."""
        counts = np.array([len(here.group.members) for here in self.listed], np.int64)
        self._sorted = self._by_group(counts)
        self._start = np.concatenate(([0], np.cumsum(counts)))
        count = 0 if comparison is None else len(comparison.divergences)
        self._place = np.full(count, -1, np.int64)
        self._place[self._sorted] = 0
        self.walk: Longs = self.ascending() if order is Order.NEAREST else self._sorted
        """The differences one after the other, as the keys go through them."""
        self._place[self.walk] = np.arange(len(self.walk))
        self._stops = self._places_to_stop_at()
        self._followers: dict[int, int] = {}

    @cached_property
    def roots(self) -> int:
        """How many of the listed groups nothing explains."""
        return sum(here.group.root for here in self.listed)

    @cached_property
    def all_roots(self) -> int:
        """How many there are, listed or not."""
        return 0 if self.comparison is None else sum(g.root for g in self.comparison.groups)

    def ascending(self) -> Longs:
        """The differences that are listed, by their numbers."""
        return np.flatnonzero(self._place >= 0)

    def place(self, divergence: int) -> int | None:
        """Where in the walk a difference is; None where the filters hide it."""
        found = int(self._place[divergence]) if divergence < len(self._place) else -1
        return None if found < 0 else found

    def members(self, row: int) -> Longs:
        """The differences of a listed group, in the order of the list."""
        return self._sorted[self._start[row] : self._start[row + 1]]

    def place_in_group(self, row: int, divergence: int) -> int:
        """Which of the members of a listed group a difference is."""
        return int(np.flatnonzero(self.members(row) == divergence)[0])

    def row_with(self, divergence: int) -> int | None:
        """Where the group of a difference stands in the list."""
        if self.comparison is None or self.place(divergence) is None:
            return None
        return self.row_of.get(int(self.comparison.group_of[divergence]))

    def upper(self, group: Group) -> Group | None:
        """The group that explains this one."""
        if self.comparison is None or group.parent is None:
            return None
        return self.comparison.groups[group.parent]

    def cause(self, group: Group) -> int | None:
        """A divergence of the group that explains this one: the very one, as far as is known."""
        comparison, upper = self.comparison, self.upper(group)
        if comparison is None or upper is None:
            return None
        cause = comparison.divergences[comparison.as_read(group.members[:1])[0]].caused_by
        is_there = cause is not None and int(comparison.group_of[cause]) == upper.id
        return cause if is_there else upper.members[0]

    def followers(self, group: Group) -> int:
        """How many members of a root follow from other groups all the same."""
        comparison = self.comparison
        if comparison is None or group.count > MOST_LOOKED_AT:
            return 0
        if group.id not in self._followers:
            causes = [comparison.divergences[member].caused_by for member in group.members]
            elsewhere = [c for c in causes if c is not None and comparison.group_of[c] != group.id]
            self._followers[group.id] = len(elsewhere)
        return self._followers[group.id]

    def neighbour(self, current: int | None, step: int) -> int | None:
        """The difference after (1) or before (-1) one; None at the end."""
        place = self._from(current, step)
        if step > 0:
            stop = int(np.searchsorted(self._stops, place, side="right"))
        else:
            stop = int(np.searchsorted(self._stops, place)) - 1
        return int(self.walk[self._stops[stop]]) if 0 <= stop < len(self._stops) else None

    def group_beside(self, current: int | None, step: int, *, root: bool = False) -> int | None:
        """The first difference of the next (1) or previous (-1) group, or of the next root."""
        row = self._row_from(current, step)
        rows = range(row + 1, len(self.listed)) if step > 0 else range(row - 1, -1, -1)
        for other in rows:
            group = self.listed[other].group
            if not group.quiet and (group.root or not root):
                return int(self.members(other)[0])
        return None

    def _places_to_stop_at(self) -> Longs:
        """The places of the walk that the keys stop at: not those that only follow from a cause."""
        if self.comparison is None or not len(self.walk):
            return _NONE
        quiet = np.array([group.quiet for group in self.comparison.groups], bool)
        return np.flatnonzero(~quiet[self.comparison.group_of[self.walk]])

    def _from(self, current: int | None, step: int) -> int:
        """The place in the walk to go on from; a hidden difference is between those around it."""
        place = None if current is None else self.place(current)
        if place is not None:
            return place
        if current is not None and self.order is Order.NEAREST:
            after = int(np.searchsorted(self.walk, current))
            return after - 1 if step > 0 else after
        row = self._row_from(current, step)
        return int(self._start[row + 1]) - 1 if step > 0 else int(self._start[row])

    def _row_from(self, current: int | None, step: int) -> int:
        """The row to go on from; a hidden group is between those around it."""
        if current is None or self.comparison is None:
            return -1 if step > 0 else len(self.listed)
        group = int(self.comparison.group_of[current])
        row = self.row_of.get(group)
        if row is not None:
            return row
        if self.order is Order.CAUSE:
            after = sum(here.group.id < group for here in self.listed)
            return after - 1 if step > 0 else after
        return -1 if step > 0 else len(self.listed)

    def _tree(self, groups: list[Group]) -> list[Listed]:
        if self.order is not Order.CAUSE or self.comparison is None:
            return [Listed(group) for group in groups]
        listed = {group.id for group in groups}
        above: dict[int, int] = {}
        depth: dict[int, int] = {}
        explains: dict[int, int] = {}
        for group in groups:  # a cause comes before what it explains
            upper = None if group.parent is None else self._above(group, listed)
            if upper is not None:
                above[group.id] = upper
                depth[group.id] = depth.get(upper, 0) + 1
        for group in reversed(groups):
            upper = above.get(group.id)
            if upper is not None:
                below = group.count + explains.get(group.id, 0)
                explains[upper] = explains.get(upper, 0) + below
        return [
            Listed(g, depth.get(g.id, 0), above.get(g.id), explains.get(g.id, 0)) for g in groups
        ]

    def _above(self, group: Group, listed: set[int]) -> int | None:
        """The nearest listed group that explains this one, and stands in the same part."""
        assert self.comparison is not None
        here = group
        while here.parent is not None:
            here = self.comparison.groups[here.parent]
            if here.section is not group.section:
                return None
            if here.id in listed:
                return here.id
        return None

    def _by_group(self, counts: Longs) -> Longs:
        """All listed differences, group by group in the order of the list."""
        comparison = self.comparison
        if comparison is None or not self.listed:
            return _NONE
        members = chain.from_iterable(here.group.members for here in self.listed)
        shown = np.fromiter(members, np.int64, int(counts.sum()))
        if self.order not in (Order.CAUSE, Order.FILE) or comparison.ran is None:
            return shown
        row = np.repeat(np.arange(len(counts)), counts)
        return shown[np.lexsort((comparison.ran[shown], ~comparison.suspect[shown], row))]
