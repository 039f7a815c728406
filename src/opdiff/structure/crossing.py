"""How many values lead over each border between two rows: few where one block ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.structure.phases import Phases
from opdiff.trace import Trace

Longs = NDArray[np.int64]


def crossings(trace: Trace, phase: Phases) -> Longs:
    """Of each row, how many values of its phase are made before it and read from it on."""
    rows = len(trace)
    values = trace.values
    reader, value = values.reader_row, values.source
    made = np.flatnonzero(value < rows)
    made = made[phase[value[made]] == phase[reader[made]]]
    here = np.arange(rows)
    last = here.copy()
    np.maximum.at(last, value[made], reader[made])
    open_ = last > here
    change = np.bincount(here[open_] + 1, minlength=rows + 2)
    change = change - np.bincount(last[open_] + 1, minlength=rows + 2)
    crossing: Longs = np.cumsum(change)[:rows]
    return crossing
