"""Likely counterparts of one op on the other side, ranked, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from opdiff.trace import Trace
from opdiff.wording import Sentence


@dataclass(frozen=True, slots=True)
class Candidate:
    """A row that may be the counterpart, how likely (0 to 1) and why."""

    row: int
    score: float
    reason: Sentence


def counterparts(left: Trace, row: int, right: Trace, limit: int = 5) -> list[Candidate]:
    """The rows of *right* that are most likely the same op as *row* of *left*, best first."""
    return []
