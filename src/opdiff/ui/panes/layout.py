"""What stands at which height in the panes, or is folded. Pure arrays: no Qt, no painting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opdiff.compare import Side
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.ui.panes.alignment import ShownRows, SideLine, SideLines

CONTEXT = 2
"""Rows that stay unfolded beside a difference."""
LEAST = 4
"""A stretch of fewer rows is not worth folding."""

FOLD = -3
"""Cells of fold i hold ``FOLD - i``."""
_QUIET, _CLOSED = np.uint8(1), np.uint8(2)
_EMPTY = 2
"""GAP and BLANK."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A stretch of equal rows: first and last row on each side, None where it has none."""

    left: tuple[int, int] | None
    right: tuple[int, int] | None
    opened: bool

    def span(self, side: int) -> tuple[int, int] | None:
        """First and last row on one side."""
        return self.right if side else self.left


@dataclass(frozen=True, slots=True)
class Folds:
    """All folds of a column or of two, top down; a :class:`Fold` is made when one is looked at."""

    first: tuple[Ints, Ints]
    """The first row of each fold, by side; -1 where it has none there."""
    last: tuple[Ints, Ints]
    opened: Flags

    def __len__(self) -> int:
        return len(self.opened)

    def __getitem__(self, index: int) -> Fold:
        spans = [
            (int(first[index]), int(last[index])) if first[index] >= 0 else None
            for first, last in zip(self.first, self.last, strict=True)
        ]
        return Fold(spans[0], spans[1], bool(self.opened[index]))

    def around(self, side: int, row: int) -> Fold | None:
        """The fold that a row of one side lies in."""
        here = np.flatnonzero(self.first[side] >= 0)
        place = int(np.searchsorted(self.first[side][here], row, side="right")) - 1
        if place < 0 or row > self.last[side][here[place]]:
            return None
        return self[int(here[place])]


def no_folds() -> Folds:
    """Nothing folded."""
    none = np.zeros(0, np.int32)
    return Folds((none, none), (none, none), np.zeros(0, bool))


def fold_index(cell: int) -> int | None:
    """Which fold a cell is the head of, None for rows and gaps."""
    return FOLD - cell if cell <= FOLD else None


def stretches(quiet: Flags) -> tuple[Longs, Longs]:
    """Firsts and ends (past the last) of the stretches worth folding, their context left out."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], quiet, [False])).astype(np.int8)))
    starts, ends = edges[::2], edges[1::2]
    # Nothing differs beyond the ends, so no context is needed there.
    starts = np.where(starts > 0, starts + CONTEXT, starts)
    ends = np.where(ends < len(quiet), ends - CONTEXT, ends)
    worth = ends - starts >= LEAST
    return starts[worth], ends[worth]


def fold(
    lines: Sequence[SideLine | None], quiet: Flags, opened: Flags
) -> tuple[list[Ints], Folds, Ints]:
    """The cells of left and right with their quiet stretches folded; None for a side that is not.

    *opened* marks heights whose stretch the user has opened: it keeps its rows below a head. Also
    returns, for every height before folding, the height after: that of the head for folded rows.
    """
    height = len(quiet)
    starts, ends = stretches(quiet)
    there = [line for line in lines if line is not None]
    if not len(starts):
        return [line.cells for line in there], no_folds(), np.arange(height, dtype=np.int32)
    at = np.flatnonzero(opened)
    is_open = np.searchsorted(at, ends) > np.searchsorted(at, starts)
    spans = [_spans(line, starts, ends) for line in lines]
    folds = Folds((spans[0][0], spans[1][0]), (spans[0][1], spans[1][1]), is_open)
    keep = ~_covered(starts[~is_open], ends[~is_open], height)
    steps = keep.astype(np.int8)
    steps[starts] += 1
    # A folded row adds nothing to the height, so all of a stretch fall on its head.
    places: Ints = np.cumsum(steps, dtype=np.int32)
    places -= np.int32(1)
    kept = np.flatnonzero(keep)
    kept_places, heads = places[kept], places[starts] - is_open
    head_cells = FOLD - np.arange(len(folds), dtype=np.int32)
    folded = []
    for line in there:
        cells = np.empty(int(places[-1]) + 1, np.int32)
        cells[kept_places] = line.cells[kept]
        cells[heads] = head_cells
        folded.append(cells)
    return folded, folds, places


def _covered(starts: Longs, ends: Longs, height: int) -> Flags:
    change = np.zeros(height + 1, np.int8)
    change[starts] += 1
    change[ends] -= 1
    covered: Flags = np.cumsum(change[:-1], dtype=np.int8) > 0
    return covered


def _spans(line: SideLine | None, starts: Longs, ends: Longs) -> tuple[Ints, Ints]:
    """First and last row of each stretch of one side, -1 where it holds gaps only."""
    if line is None or not len(line.rows):
        none = np.full(len(starts), -1, np.int32)
        return none, none
    # As narrow as the heights, or all of these would be made as wide as what is looked for.
    first = np.searchsorted(line.heights, starts.astype(np.int32))
    last = np.searchsorted(line.heights, ends.astype(np.int32)) - 1
    some = first <= last
    clipped = np.minimum(first, len(line.rows) - 1)
    return np.where(some, line.rows[clipped], -1), np.where(some, line.rows[last], -1)


@dataclass(frozen=True, slots=True)
class SideRows(ShownRows):
    """What the layout must know of one side besides, a flag a row."""

    quiet: Flags
    """May vanish in a fold."""
    opened: Flags
    """Lies in a stretch that the user has opened."""

    @classmethod
    def plain(cls, count: int) -> SideRows:
        """All rows shown and none compared."""
        no = np.zeros(count, bool)
        return cls(np.ones(count, bool), np.ones(count, bool), no, no)


@dataclass(frozen=True, slots=True)
class Column:
    """One side of a layout: a cell a height, and the way from a row to its height."""

    cells: Ints
    line: SideLine
    after: Ints
    """Of each height of the line, the height once stretches are folded: that of their head."""
    folds: Folds

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def shown(self) -> Flags:
        """The rows that are not hidden: a flag a row."""
        return self.line.place >= 0

    def shows(self, row: int) -> bool:
        """Whether a row is there and not hidden; it may be folded away."""
        return 0 <= row < len(self.line.place) and bool(self.line.place[row] >= 0)

    def row_at(self, height: int) -> int | None:
        """The row at a height; None for gaps, heads of folds and beyond the ends."""
        if not 0 <= height < len(self.cells):
            return None
        cell = int(self.cells[height])
        return cell if cell >= 0 else None

    def fold_at(self, height: int) -> Fold | None:
        """The fold whose head is at a height."""
        if not 0 <= height < len(self.cells):
            return None
        index = fold_index(int(self.cells[height]))
        return None if index is None else self.folds[index]

    def first_row_at(self, height: int, side: int) -> int | None:
        """The row at a height; at the head of a fold, the first that is folded."""
        row, fold = self.row_at(height), self.fold_at(height)
        span = None if fold is None else fold.span(side)
        return row if span is None else span[0]

    def height_of(self, row: int) -> int:
        """Where a row is; a hidden row is where the next shown one above it is."""
        if not 0 <= row < len(self.line.place):
            return 0
        place = int(self.line.place[row])
        if place < 0:
            above = int(np.searchsorted(self.line.rows, row)) - 1
            if above < 0:
                return 0
            place = int(self.line.heights[above])
        return int(self.after[place])

    def heights_of(self, rows: Longs) -> Ints:
        """Where those of some rows are that are not hidden."""
        place = self.line.place[rows]
        heights: Ints = self.after[place[place >= 0]]
        return heights


@dataclass(frozen=True, slots=True)
class Layout:
    """Both sides; in an aligned layout the two columns are equally long and share their folds."""

    left: Column
    right: Column

    def column(self, side: Side) -> Column:
        """One side."""
        return self.left if side is Side.LEFT else self.right


def aligned_layout(lines: SideLines, left: SideRows, right: SideRows, *, folded: bool) -> Layout:
    """Counterparts at the same height, as they stand in *lines*."""
    marks = _marks(left)[lines[0].cells] & _marks(right)[lines[1].cells]
    quiet = (marks & _QUIET).astype(bool) if folded else np.zeros(len(marks), bool)
    cells, folds, after = fold(lines, quiet, marks < _CLOSED)
    return Layout(
        Column(cells[0], lines[0], after, folds), Column(cells[1], lines[1], after, folds)
    )


def _marks(side: SideRows) -> NDArray[np.uint8]:
    """Of each row whether it may be folded and is; gaps, which are numbered from the end, may."""
    marks = np.full(len(side.shown) + _EMPTY, _QUIET + _CLOSED, np.uint8)
    np.subtract(_QUIET + _CLOSED, side.opened * _CLOSED, out=marks[:-_EMPTY])
    marks[:-_EMPTY] -= ~side.quiet
    return marks


def free_layout(left: SideRows, right: SideRows, *, folded: bool) -> Layout:
    """Each side on its own."""
    return Layout(_free_column(left, 0, folded), _free_column(right, 1, folded))


def _free_column(side: SideRows, index: int, folded: bool) -> Column:
    rows = np.flatnonzero(side.shown).astype(np.int32)
    line = SideLine.of(rows, rows, np.arange(len(rows), dtype=np.int32), len(side.shown))
    quiet = side.quiet[rows] if folded else np.zeros(len(rows), bool)
    cells, folds, after = fold((None, line) if index else (line, None), quiet, side.opened[rows])
    return Column(cells[0], line, after, folds)


def severity(
    layout: Layout, left_state: NDArray[np.uint8], right_state: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """The more severe state of the two rows at each height of an aligned layout."""
    worst = np.zeros(len(layout.left), np.uint8)
    for column, state in ((layout.left, left_state), (layout.right, right_state)):
        there = column.cells >= 0
        worst[there] = np.maximum(worst[there], state[column.cells[there]])
    return worst


def _no_column() -> Column:
    none = np.zeros(0, np.int32)
    return Column(none, SideLine(none, none, none, none), none, no_folds())


EMPTY = Layout(_no_column(), _no_column())
