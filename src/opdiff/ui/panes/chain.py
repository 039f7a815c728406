"""Which pairs of rows can stand at the same height: the longest sequence that never crosses."""

from __future__ import annotations

import numpy as np

from opdiff.compare.seeds import longest_ascending
from opdiff.trace.columns import Flags, Ints


def uncrossed(right_rows: Ints) -> Flags:
    """Of pairs sorted by their left row, those that keep the order on the right.

    Nearly all pairs already do: only the few stretches in which some cross are searched for their
    longest increasing subsequence, so a million pairs cost a few passes over an array.
    """
    count = len(right_rows)
    keep = np.ones(count, bool)
    if count < 2 or bool(np.all(right_rows[1:] > right_rows[:-1])):
        return keep
    highest_before = np.maximum.accumulate(right_rows)
    lowest_after = np.minimum.accumulate(right_rows[::-1])[::-1]
    # A stretch may be cut where everything before lies above everything after.
    starts = np.flatnonzero(
        np.concatenate(([True], highest_before[:-1] < lowest_after[1:], [True]))
    )
    for index in np.flatnonzero(np.diff(starts) > 1):
        first, last = int(starts[index]), int(starts[index + 1])
        keep[first:last] = False
        keep[first + np.array(longest_ascending(right_rows[first:last].tolist()))] = True
    return keep
