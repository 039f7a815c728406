"""The orders in which the groups of differences can be listed."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from opdiff.compare import SEVERITY, Comparison, Group


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
    keys: dict[Order, Callable[[Group], Any]] = {
        Order.CAUSE: lambda group: group.id,
        Order.NEAREST: lambda group: group.members[0],
        Order.SEVERITY: lambda group: (-SEVERITY.index(group.kind), group.id),
        Order.COUNT: lambda group: (-group.count, group.id),
        Order.FILE: lambda group: (_first_row(comparison, group), group.id),
    }
    return sorted(groups, key=keys[order])


def _first_row(comparison: Comparison, group: Group) -> int:
    # Members come nearest the anchor first, so the topmost is at one of the two ends.
    ends = (comparison.divergences[group.members[0]], comparison.divergences[group.members[-1]])
    return min((*found.left_rows, *found.right_rows)[0] for found in ends)
