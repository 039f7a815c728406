"""What a report is asked to hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from opdiff.report.flags import NO_FLAGS, ToolFlags


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """How to say a comparison. Indices are those of its divergences, ids those of its groups."""

    language: str = "en"
    only: tuple[int, ...] | None = None
    """The divergences to list, ascending; all where None."""
    nearest: bool = False
    """Whether groups stand nearest the anchor first, not in reading order."""
    everything: bool = False
    """No abbreviated groups."""
    pairs: bool = False
    """Whether JSON lists every pair of lines."""
    curve: bool = False
    """Whether JSON lists the error of every pair of ops with values."""
    colour: bool = False
    """Whether text may use the terminal's colours."""
    width: int | None = None
    """The columns of the terminal, where text is to be folded at its edge."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """What the user wrote about a divergence."""
    group_notes: Mapping[int, str] = field(default_factory=dict)
    greyed: frozenset[int] = frozenset()
    """Groups that the user calls known."""
    flags: ToolFlags = NO_FLAGS
    """What another tool flagged."""
