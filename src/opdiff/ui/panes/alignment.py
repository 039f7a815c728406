"""Two columns of rows side by side: counterparts at the same height, gaps where one has none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.pairing.seeds import longest_ascending
from opdiff.trace.columns import Flags, Ints, Longs

GAP = -1
"""Nothing stands here, because the other side's op has no counterpart."""
_ZERO = np.zeros(1, np.int32)
BLANK = -2
"""Nothing stands here, and nothing is missed: an end of the trace, or rows not compared."""


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


@dataclass(frozen=True, slots=True)
class RowPairs:
    """Rows that belong at the same height, sorted by their left row."""

    left: Ints
    right: Ints


@dataclass(frozen=True, slots=True)
class ShownRows:
    """Which rows of one side are shown, and which were not compared: a flag a row."""

    shown: Flags
    loose: Flags
    """Not compared: needs no counterpart."""

    def __len__(self) -> int:
        return len(self.shown)


@dataclass(frozen=True, slots=True)
class SideLine:
    """One side before anything is folded: a row, GAP or BLANK a height, and where each row is."""

    cells: Ints
    rows: Ints
    """The rows that are shown, ascending."""
    heights: Ints
    """Where each of these is."""
    place: Ints
    """The height of every row of the trace, -1 for hidden ones."""

    @classmethod
    def of(cls, cells: Ints, rows: Ints, heights: Ints, count: int) -> SideLine:
        """Of a trace of so many rows."""
        if len(rows) == count:
            return cls(cells, rows, heights, heights)
        place = np.full(count, -1, np.int32)
        place[rows] = heights
        return cls(cells, rows, heights, place)


SideLines = tuple[SideLine, SideLine]


def side_by_side(left: ShownRows, right: ShownRows, pairs: RowPairs) -> SideLines:
    """Both sides with what belongs together at the same height."""
    if left.loose.all() and right.loose.all():
        return _nothing_compared(left, right, _firm(left, right, pairs))
    every = _with_loose(left, right, _firm(left, right, pairs))
    left_rows, right_rows = _rows(left.shown), _rows(right.shown)
    left_place, right_place, height = _places(left_rows, right_rows, left, right, every)
    left_cells = _column(height, left_rows, left_place, right_place[right.loose[right_rows]])
    right_cells = _column(height, right_rows, right_place, left_place[left.loose[left_rows]])
    return (
        SideLine.of(left_cells, left_rows, left_place, len(left)),
        SideLine.of(right_cells, right_rows, right_place, len(right)),
    )


def _nothing_compared(left: ShownRows, right: ShownRows, firm: RowPairs) -> SideLines:
    """As :func:`_with_loose` has it, in few passes: only stretches between firm pairs move."""
    rows = [_rows(side.shown) for side in (left, right)]
    # Each stretch begins with its firm pair, the first one excepted.
    lengths = [
        np.diff(np.concatenate(([0], np.searchsorted(here, ends), [len(here)])))
        for here, ends in zip(rows, (firm.left, firm.right), strict=True)
    ]
    longest = np.maximum(*lengths)
    starts = np.cumsum(longest) - longest
    height = int(longest.sum())
    lines = []
    for side, here, length in zip((left, right), rows, lengths, strict=True):
        offset = starts - (np.cumsum(length) - length)
        if len(firm.left):
            offset[0] += longest[0] - length[0]
        heights = np.arange(len(here), dtype=np.int32)
        heights += np.repeat(offset.astype(np.int32), length)
        cells = np.full(height, BLANK, np.int32)
        cells[heights] = here
        lines.append(SideLine.of(cells, here, heights, len(side)))
    return lines[0], lines[1]


def _rows(flags: Flags) -> Ints:
    return np.flatnonzero(flags).astype(np.int32)


def _column(height: int, rows: Ints, place: Ints, loose_opposite: Ints) -> Ints:
    column = np.full(height, GAP, np.int32)
    column[loose_opposite] = BLANK
    column[place] = rows
    return column


def _firm(left: ShownRows, right: ShownRows, pairs: RowPairs) -> RowPairs:
    """The pairs of which both ends are shown and which cross no other."""
    both = left.shown[pairs.left] & right.shown[pairs.right]
    left_rows, right_rows = pairs.left[both], pairs.right[both]
    keep = uncrossed(right_rows)
    return RowPairs(left_rows[keep], right_rows[keep])


def _with_loose(left: ShownRows, right: ShownRows, firm: RowPairs) -> RowPairs:
    """Rows that were not compared stand side by side too, from one firm pair to the next.

    Above the first firm pair they are counted upwards from it, elsewhere downwards.
    """
    if not len(firm.left):
        return _from_the_top(left, right)
    left_loose, left_key = _loose(left, firm.left)
    right_loose, right_key = _loose(right, firm.right)
    _, here, there = np.intersect1d(left_key, right_key, assume_unique=True, return_indices=True)
    if not len(here):
        return firm
    partner = np.full(len(left), -1, np.int32)
    partner[firm.left] = firm.right
    partner[left_loose[here]] = right_loose[there]
    rows = _rows(partner >= 0)
    return RowPairs(rows, partner[rows])


def _from_the_top(left: ShownRows, right: ShownRows) -> RowPairs:
    """The first row not compared beside the first, and so on: as before any comparison."""
    left_rows, right_rows = (_rows(side.shown & side.loose) for side in (left, right))
    count = min(len(left_rows), len(right_rows))
    return RowPairs(left_rows[:count], right_rows[:count])


def _loose(side: ShownRows, firm: Ints) -> tuple[Ints, Longs]:
    """Rows not compared, and for each which gap between firm pairs it is in and its place there."""
    paired = _flags(firm, len(side))
    rows = _rows(side.shown & side.loose & ~paired)
    gap = np.cumsum(paired)[rows]
    counts = np.bincount(gap, minlength=1)
    place = np.arange(len(rows)) - (np.cumsum(counts) - counts)[gap]
    place[gap == 0] -= counts[0]
    return rows, gap * (1 << 32) + place


def _flags(rows: Ints, count: int) -> Flags:
    flags = np.zeros(count, bool)
    flags[rows] = True
    return flags


def _places(
    left_rows: Ints, right_rows: Ints, left: ShownRows, right: ShownRows, pairs: RowPairs
) -> tuple[Ints, Ints, int]:
    """The height of every row: in a gap the left rows come first, then the right ones."""
    left_pair, left_single = _before(left_rows, pairs.left, len(left))
    right_pair, right_single = _before(right_rows, pairs.right, len(right))
    count = len(pairs.left)
    # Singles above each pair, and above the end.
    left_above = _totals(np.bincount(left_pair[left_single], minlength=count + 1))
    right_above = _totals(np.bincount(right_pair[right_single], minlength=count + 1))
    before_gap = np.concatenate((_ZERO, right_above[:-1]))
    both_above = left_above + right_above
    left_place = left_pair + np.where(
        left_single, _totals(left_single) - 1 + before_gap[left_pair], both_above[left_pair]
    )
    right_place = right_pair + np.where(
        right_single, _totals(right_single) - 1 + left_above[right_pair], both_above[right_pair]
    )
    return left_place, right_place, count + int(both_above[-1])


def _before(rows: Ints, paired_rows: Ints, count: int) -> tuple[Ints, Flags]:
    """How many pairs lie above each row, and whether the row is in none."""
    paired = _flags(paired_rows, count)
    single = ~paired[rows]
    return _totals(paired)[rows] - ~single, single


def _totals(counts: NDArray[Any]) -> Ints:
    """How many there are up to each place. Half as wide as usual: memory is what takes the time."""
    totals: Ints = np.cumsum(counts, dtype=np.int32)
    return totals
