"""What tensors held, as far as files tell: one row an operand, in no format's own words."""

from __future__ import annotations

from typing import NamedTuple

from opdiff.values.measures import Measure


class ValueRow(NamedTuple):
    """What is told of one operand."""

    op: int
    """The row of the trace."""
    is_output: bool
    operand: int
    """Its place among the op's inputs or outputs."""
    measure: Measure
    """Its statistics or hash, and the type of its elements in its file."""
    file: str | None = None
    """A file that holds all of it."""
