"""What is asked of a comparison."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from opdiff.compare.rules import Rules


class Direction(str, Enum):
    """Which part of the traces is compared, seen from the anchors."""

    UP = "up"
    DOWN = "down"
    WHOLE = "whole"

    def __str__(self) -> str:
        return self.value


Rows = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that decides the outcome, besides the two traces. Numbers are rows, not lines."""

    direction: Direction = Direction.WHOLE
    left_anchor: int | None = None
    right_anchor: int | None = None
    pins: tuple[tuple[int, int], ...] = ()
    """Further pairs by decree: (left row, right row)."""
    alone_left: frozenset[int] = frozenset()
    """Left rows that have no counterpart by decree."""
    alone_right: frozenset[int] = frozenset()
    ignored_left: frozenset[int] = frozenset()
    """Left rows that are never a difference."""
    ignored_right: frozenset[int] = frozenset()
    equivalent_here: tuple[tuple[Rows, Rows], ...] = ()
    """Left rows and right rows that do the same work, here only."""
    ancestors: bool = False
    """Only what the anchor depends on."""
    rules: Rules = field(default_factory=Rules)

    def asks_as(self, other: Request) -> bool:
        """Whether both start at the same anchors: only what was decided since may be different."""
        return (self.direction, self.left_anchor, self.right_anchor, self.ancestors) == (
            other.direction,
            other.left_anchor,
            other.right_anchor,
            other.ancestors,
        )
