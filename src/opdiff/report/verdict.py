"""What a comparison comes to, in one sentence: the first that a reader wants to know."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

import numpy as np

from opdiff.compare import Comparison, Divergence, Group, Kind, Section
from opdiff.report.listing import Listing


class VerdictKind(str, Enum):
    """What it comes to."""

    UNRELATED = "unrelated"
    """Hardly an op has a counterpart."""
    VALUES = "values"
    """Values show where the numbers part."""
    SUSPECT = "suspect"
    """Something may change a value."""
    HARMLESS = "harmless"
    """Nothing can, or did."""
    SAME = "same"
    """No difference."""


class OverallVerdict(NamedTuple):
    """The outcome, and what stands behind it."""

    outcome: VerdictKind
    suspects: int
    """How many of the listed differences may change a value."""
    first: Divergence | None
    """The one to look at first."""
    by_values: bool
    """Whether values were compared."""


def verdict_of(listing: Listing) -> OverallVerdict:
    """What the listed differences come to."""
    comparison = listing.comparison
    listed = np.array(listing.indices, np.int64)
    suspects = listed[comparison.suspect[listed]]
    count = len(suspects)
    by_values = comparison.values is not None
    cause = first_cause(comparison) if by_values and listing.position is None else None
    if any(note.code == "unrelated" for note in comparison.notes):
        return OverallVerdict(VerdictKind.UNRELATED, count, None, by_values)
    if count:
        outcome = VerdictKind.SUSPECT if cause is None else VerdictKind.VALUES
        group = comparison.group_of[suspects]
        in_first = suspects[group == group.min()]  # ids follow reading order
        first = comparison.divergences[comparison.as_read(in_first)[0]]
        return OverallVerdict(outcome, count, first, by_values)
    outcome = VerdictKind.HARMLESS if len(listing.indices) else VerdictKind.SAME
    return OverallVerdict(outcome, 0, None, by_values)


def may_change_values(group: Group) -> bool:
    """Whether the differences of a group are counted among those that may change a value."""
    return group.section is Section.SUSPECT and not group.quiet


def first_cause(comparison: Comparison) -> Divergence | None:
    """The first cause in reading order."""
    told = comparison.values
    if told is None:
        return None
    for group in comparison.groups:
        if group.kind is not Kind.VALUE:
            continue
        record = comparison.divergences[comparison.as_read(group.members)[0]]
        if record.value_pair is not None and told.causes.cause[record.value_pair]:
            return record
    return None
