"""What tensors held, as far as files tell: one row an operand, in no format's own words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite, prod


@dataclass(frozen=True, slots=True)
class ValueRow:
    """Statistics or a hash of one operand; None is what the file does not tell."""

    op: int
    """The row of the trace."""
    side: str
    """``in`` or ``out``."""
    operand: int
    """Its place among the op's inputs or outputs."""
    count: int | None = None
    nonfinite: int | None = None
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    norm: float | None = None
    hash: str | None = None
    file: str | None = None
    """A file that holds all of it."""
    dtype: str = ""
    """The type of its elements in that file, where NumPy has none of that name."""


def number(value: object) -> float | None:
    """A statistic as files print it; None for what is no number."""
    if isinstance(value, (bool, int, float)):
        try:
            return float(value)
        except OverflowError:
            return None
    return None


def finite(value: object) -> float | None:
    """The same without infinities and what is not a number."""
    found = number(value)
    return found if found is not None and isfinite(found) else None


def count_of(shape: Iterable[int]) -> int:
    """How many elements a tensor of this shape has."""
    return prod(shape)
