"""Which differences a report lists, and in which order people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from opdiff.compare import Comparison, Divergence, Group, Kind, Section, Side
from opdiff.report.options import ReportOptions
from opdiff.report.places import PlaceNames
from opdiff.wording import Sentence


def times(title: Sentence, members: int) -> int:
    """How often what a group's title says occurs: of a block of ops, not of each of its ops."""
    ops = dict(title.args).get("count")
    if isinstance(ops, int) and ops > 1 and members % ops == 0:
        return members // ops
    return members


class ListedGroup(NamedTuple):
    """A group as far as it is listed."""

    group: Group
    members: Sequence[int]

    @property
    def times(self) -> int:
        """How often what the title says occurs."""
        return times(self.group.title, len(self.members))


class Branch(NamedTuple):
    """A group that nothing listed explains, and the groups that follow from it."""

    root: ListedGroup
    consequences: list[ListedGroup]


@dataclass(frozen=True)
class Listing:
    """The divergences of a comparison that a report shows: all of them, or some."""

    comparison: Comparison
    options: ReportOptions

    @cached_property
    def indices(self) -> Sequence[int]:
        """Indices of the listed divergences, nearest the anchor first."""
        if self.options.only is None:
            return range(len(self.comparison.divergences))
        return self.options.only

    @cached_property
    def position(self) -> dict[int, int] | None:
        """Where a divergence stands in the list; None where the list is complete."""
        if self.options.only is None:
            return None
        return {index: place for place, index in enumerate(self.indices)}

    @cached_property
    def groups(self) -> list[ListedGroup]:
        """The groups with listed members, by id; members as they ran, or nearest first."""
        members = [self._in_order(group) for group in self.comparison.groups]
        if self.position is not None:
            kept = self.position
            members = [[member for member in here if member in kept] for here in members]
        found = zip(self.comparison.groups, members, strict=True)
        return [ListedGroup(group, tuple(here)) for group, here in found if here]

    def _in_order(self, group: Group) -> Sequence[int]:
        return group.members if self.options.nearest else self.comparison.as_read(group.members)

    @cached_property
    def by_kind(self) -> dict[Kind, int]:
        """How many listed divergences there are of each kind."""
        if self.position is None:
            return self.comparison.by_kind
        return self.comparison.count_kinds(np.array(self.indices, np.int64))

    @cached_property
    def places(self) -> PlaceNames:
        """Where differences are, by layer and function."""
        return PlaceNames(self.comparison)

    def records(self) -> Iterator[tuple[int, Divergence]]:
        """The listed divergences with their indices, made in one sweep."""
        divergences = self.comparison.divergences
        if self.position is None:
            return enumerate(divergences)
        return ((index, divergences[index]) for index in self.indices)

    def is_listed(self, index: int) -> bool:
        """Whether a divergence is in the list."""
        return self.position is None or index in self.position

    def is_known(self, group: Group) -> bool:
        """Whether a group is called harmless, by the table, a rule or the user."""
        return group.known or group.id in self.options.greyed

    def lines(self, divergence: Divergence, side: Side) -> list[int]:
        """The lines of a divergence on one side, ascending."""
        line = self.comparison.side(side).trace.columns.line
        return [int(line[row]) for row in divergence.rows(side)]

    def op_types(self, divergence: Divergence, side: Side) -> list[str]:
        """The op types of a divergence on one side."""
        trace = self.comparison.side(side).trace
        return [trace.type_name(row) for row in divergence.rows(side)]

    def hidden_cause(self, divergence: Divergence) -> Divergence | None:
        """What explains a divergence, where that is not listed itself."""
        cause = divergence.caused_by
        if cause is None or self.is_listed(cause):
            return None
        return self.comparison.divergences[cause]

    def branches(self) -> list[Branch]:
        """Groups by their root, in reading order; or the branch nearest the anchor first.

        What follows from a root stands under it; what the user called known comes last.
        """
        listed = {here.group.id: here for here in self.groups}
        following: dict[int, list[ListedGroup]] = {}
        for here in self.groups:
            following.setdefault(self._root(here.group, listed), []).append(here)
        branches = [
            Branch(listed[root], [here for here in groups if here.group.id != root])
            for root, groups in following.items()
        ]
        return sorted(branches, key=self._rank)

    def _rank(self, branch: Branch) -> tuple[bool, int, int]:
        group = branch.root.group
        place = group.id
        if self.options.nearest:
            place = min(min(here.members) for here in (branch.root, *branch.consequences))
        section = 0 if self.options.nearest else int(group.section)
        return group.id in self.options.greyed, section, place

    def _root(self, group: Group, listed: dict[int, ListedGroup]) -> int:
        """The group furthest up that explains this one and is listed."""
        here = group
        while here.parent is not None and here.parent in listed:
            here = self.comparison.groups[here.parent]
        return here.id


def paired_lines(comparison: Comparison) -> Iterator[tuple[int, int]]:
    """The lines of every pair of ops, in the order of the left trace."""
    partner = comparison.left.partner
    rows = np.flatnonzero(partner >= 0)
    left = comparison.left.trace.columns.line[rows].tolist()
    right = comparison.right.trace.columns.line[partner[rows]].tolist()
    return zip(left, right, strict=True)


_HEADINGS = {Section.HARMLESS: "report.harmless", Section.NEUTRAL: "report.neutral"}


def sectioned(listing: Listing) -> Iterator[tuple[str, Branch]]:
    """The branches, each with the code of what is said above it: empty but where a part begins."""
    section = Section.SUSPECT
    for branch in listing.branches():
        here = branch.root.group.section
        begins = here > section and not listing.options.nearest
        yield _HEADINGS[here] if begins else "", branch
        section = max(section, here) if begins else section
