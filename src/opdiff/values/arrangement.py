"""Ops that put the elements of what they read into another order, as what they held tells."""

from __future__ import annotations

import numpy as np

from opdiff.trace.columns import Flags, Ints
from opdiff.values.estimate import errors
from opdiff.values.pairing import Side
from opdiff.values.table import Contents

_APART = 1e-4
"""Sums of the same elements in the same order are not so far apart."""


def reorders(side: Side, rows: Ints) -> Flags:
    """Which of these views and copies write what they read first, all of it, in another order."""
    read, written = (
        _first(contents, rows) for contents in (side.values.inputs, side.values.outputs)
    )
    measures = side.values.measures
    found = errors(measures, read, measures, written).error > _APART
    known = (read >= 0) & (written >= 0)
    same: Flags = known & (measures.count[read] == measures.count[written])
    return found & same


def _first(contents: Contents, rows: Ints) -> Ints:
    """The content of the first operand of each row, -1 where there is none."""
    some = contents.start[rows + 1] > contents.start[rows]
    found = np.full(len(rows), -1, np.int32)
    found[some] = contents.index[contents.start[rows[some]]]
    return found
