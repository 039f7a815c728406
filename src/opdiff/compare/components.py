"""Connected components, by pointer jumping."""

from __future__ import annotations

import numpy as np

from opdiff.trace.columns import Ints, Longs
from opdiff.trace.sorting import followed


def joined(count: int, some: Ints, others: Ints) -> Longs:
    """Of each number the smallest that links lead to: the lower one hooked, then pointers jump."""
    lowest: Longs = np.arange(count)
    while True:
        before, both = lowest, (lowest[some], lowest[others])
        lowest = before.copy()
        for end in both:
            np.minimum.at(lowest, end, np.minimum(*both))
        lowest = followed(lowest)
        if np.array_equal(lowest, before):
            return lowest
