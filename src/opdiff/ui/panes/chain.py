"""Which pairs of rows can stand at the same height: the longest sequence that never crosses."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

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
        keep[first:last] = _longest_increasing(right_rows[first:last])
    return keep


def _longest_increasing(values: Ints) -> Flags:
    tails: list[int] = []
    tail_places: list[int] = []
    before = np.full(len(values), -1, np.int64)
    for place, value in enumerate(values.tolist()):
        length = bisect_left(tails, value)
        if length == len(tails):
            tails.append(value)
            tail_places.append(place)
        else:
            tails[length] = value
            tail_places[length] = place
        if length:
            before[place] = tail_places[length - 1]
    keep = np.zeros(len(values), bool)
    place = tail_places[-1]
    while place >= 0:
        keep[place] = True
        place = int(before[place])
    return keep
