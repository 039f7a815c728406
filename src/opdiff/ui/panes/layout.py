"""What stands at which height in the panes. Pure arrays: no Qt, no painting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opdiff.compare import Side
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.ui.panes.alignment import Line, Lines
from opdiff.ui.panes.folding import Fold, Folds, fold, fold_index, no_folds

_QUIET, _CLOSED = np.uint8(1), np.uint8(2)
_EMPTY = 2
"""GAP and BLANK."""


@dataclass(frozen=True, slots=True)
class SideRows:
    """What the layout must know of one side, a flag a row."""

    shown: Flags
    loose: Flags
    """Not compared: needs no counterpart."""
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
    line: Line
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


def aligned_layout(lines: Lines, left: SideRows, right: SideRows, *, folded: bool) -> Layout:
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
    line = Line.of(rows, rows, np.arange(len(rows), dtype=np.int32), len(side.shown))
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
    return Column(none, Line(none, none, none, none), none, no_folds())


EMPTY = Layout(_no_column(), _no_column())
