"""Two columns of rows side by side: counterparts at the same height, gaps where one has none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opdiff.ui.panes.chain import Flags, Ints, uncrossed

GAP = -1
"""Nothing stands here, because the other side's op has no counterpart."""
BLANK = -2
"""Nothing stands here, and nothing is missed: an end of the trace, or rows not compared."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rows that belong at the same height, sorted by their left row."""

    left: Ints
    right: Ints


@dataclass(frozen=True, slots=True)
class Shown:
    """The rows of one side that are shown, ascending, and which of them were not compared."""

    rows: Ints
    loose: Flags


def side_by_side(left: Shown, right: Shown, pairs: Pairs) -> tuple[Ints, Ints]:
    """What stands at each height on either side: a row, GAP or BLANK."""
    firm = _firm(left, right, pairs)
    every = _with_loose(left, right, firm)
    left_place, right_place, height = _places(left.rows, right.rows, every)
    columns = []
    for rows, place, other, other_place in (
        (left.rows, left_place, right, right_place),
        (right.rows, right_place, left, left_place),
    ):
        column = np.full(height, GAP, np.int32)
        column[other_place[other.loose]] = BLANK
        column[place] = rows
        columns.append(column)
    return columns[0], columns[1]


def _firm(left: Shown, right: Shown, pairs: Pairs) -> Pairs:
    """The pairs of which both ends are shown and which cross no other."""
    both = _contains(left.rows, pairs.left) & _contains(right.rows, pairs.right)
    left_rows, right_rows = pairs.left[both], pairs.right[both]
    keep = uncrossed(right_rows)
    return Pairs(left_rows[keep], right_rows[keep])


def _contains(ascending: Ints, wanted: Ints) -> Flags:
    if not len(ascending):
        return np.zeros(len(wanted), bool)
    place = np.minimum(np.searchsorted(ascending, wanted), len(ascending) - 1)
    found: Flags = ascending[place] == wanted
    return found


def _with_loose(left: Shown, right: Shown, firm: Pairs) -> Pairs:
    """Rows that were not compared stand side by side too, from one firm pair to the next.

    Above the first firm pair they are counted upwards from it, elsewhere downwards.
    """
    left_loose = _unpaired(left.rows[left.loose], firm.left)
    right_loose = _unpaired(right.rows[right.loose], firm.right)
    left_key = _keys(left_loose, firm.left)
    right_key = _keys(right_loose, firm.right)
    _, here, there = np.intersect1d(left_key, right_key, assume_unique=True, return_indices=True)
    all_left = np.concatenate((firm.left, left_loose[here]))
    all_right = np.concatenate((firm.right, right_loose[there]))
    order = np.argsort(all_left, kind="stable")
    return Pairs(all_left[order], all_right[order])


def _unpaired(rows: Ints, paired: Ints) -> Ints:
    return rows[~_contains(paired, rows)]


def _keys(rows: Ints, firm: Ints) -> NDArray[np.int64]:
    """Which gap between firm pairs a row lies in, and which of the gap's rows it is."""
    gap = np.searchsorted(firm, rows).astype(np.int64)
    place = np.arange(len(rows)) - np.searchsorted(gap, gap)
    if len(firm):
        above = gap == 0
        place[above] -= int(above.sum())
    return gap * (1 << 32) + place


def _places(
    left_rows: Ints, right_rows: Ints, pairs: Pairs
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """The height of every row: in a gap the left rows come first, then the right ones."""
    count = len(pairs.left)
    left_pair = np.searchsorted(pairs.left, left_rows)  # pairs above each row
    right_pair = np.searchsorted(pairs.right, right_rows)
    left_single = ~_contains(pairs.left, left_rows)
    right_single = ~_contains(pairs.right, right_rows)
    # Singles above each pair, and above the end.
    left_above = np.bincount(left_pair[left_single], minlength=count + 1).cumsum()
    right_above = np.bincount(right_pair[right_single], minlength=count + 1).cumsum()
    before_gap = np.concatenate(([0], right_above[:-1]))
    left_place = left_pair + np.where(
        left_single,
        left_single.cumsum() - 1 + before_gap[left_pair],
        left_above[left_pair] + right_above[left_pair],
    )
    right_place = right_pair + np.where(
        right_single,
        right_single.cumsum() - 1 + left_above[right_pair],
        left_above[right_pair] + right_above[right_pair],
    )
    height = count + int(left_above[-1]) + int(right_above[-1])
    return left_place, right_place, height
