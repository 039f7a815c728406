"""What tensors held, as far as files tell: one row an operand, in no format's own words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from opdiff.trace import Trace
from opdiff.values import Kept, ValueProblem, Values
from opdiff.values.fitting import FITS, misfits
from opdiff.values.measures import Measures
from opdiff.values.table import Places, put
from opdiff.wording import Sentence


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


def values_at(
    trace: Trace,
    path: str,
    places: Sequence[tuple[int, bool, int]],
    measures: Measures,
    *,
    notes: Iterable[Sentence] = (),
    problems: Iterable[ValueProblem] = (),
    kept: Mapping[int, Kept],
    unplaced: int = 0,
) -> Values:
    """Measures as the values of a trace: each at its row, whether it is written, and its operand.

    What does not fit its operand is left out and told of, with the *unplaced* ones that have none.
    """
    row, is_output, operand = np.array(places, np.int64).reshape(-1, 3).T
    index = np.arange(len(row), dtype=np.int32)
    every = Places(row, is_output.astype(np.bool_), operand, index)
    fits = misfits(trace, every, measures) == FITS
    others = int(np.count_nonzero(~fits)) + unplaced
    told = [Sentence.of("values.other-operands", count=others)] if others else []
    fitting = Places(row[fits], every.is_output[fits], operand[fits], index[fits])
    inputs, outputs = put(trace, fitting)
    return Values(path, measures, inputs, outputs, tuple(problems), (*notes, *told), dict(kept))
