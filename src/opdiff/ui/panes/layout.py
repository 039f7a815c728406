"""What stands at which height in the panes. Pure arrays: no Qt, no painting."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from opdiff.compare import Side
from opdiff.ui.panes.alignment import BLANK, Pairs, Shown, side_by_side
from opdiff.ui.panes.chain import Flags, Ints
from opdiff.ui.panes.folding import Fold, Folds, fold, fold_index, no_folds


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
    """One side of a layout: a cell a height, and the height of every row."""

    cells: Ints
    place: Ints
    """The height of each row: a fold's head for folded rows, -1 for hidden ones."""
    folds: Folds = field(default_factory=no_folds)

    def __len__(self) -> int:
        return len(self.cells)

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
        if not 0 <= row < len(self.place):
            return 0
        height = int(self.place[row])
        if height >= 0:
            return height
        shown = np.flatnonzero(self.place[:row] >= 0)[-1:]
        return int(self.place[shown[0]]) if len(shown) else 0


@dataclass(frozen=True, slots=True)
class Layout:
    """Both sides; in an aligned layout the two columns are equally long and share their folds."""

    left: Column
    right: Column

    def column(self, side: Side) -> Column:
        """One side."""
        return self.left if side is Side.LEFT else self.right


def aligned_layout(left: SideRows, right: SideRows, pairs: Pairs, *, folded: bool) -> Layout:
    """Counterparts at the same height."""
    columns = side_by_side(Shown(left.shown, left.loose), Shown(right.shown, right.loose), pairs)
    height = len(columns[0])
    quiet, opened = np.full(height, folded), np.zeros(height, bool)
    for side, column in zip((left, right), columns, strict=True):
        there = column >= 0
        quiet[there] &= side.quiet[column[there]]
        opened[there] |= side.opened[column[there]]
    cells, folds, places = fold(columns, quiet, opened)
    return Layout(
        Column(cells[0], _places(columns[0], places, len(left.shown)), folds),
        Column(cells[1], _places(columns[1], places, len(right.shown)), folds),
    )


def free_layout(left: SideRows, right: SideRows, *, folded: bool) -> Layout:
    """Each side on its own."""
    return Layout(_free_column(left, 0, folded), _free_column(right, 1, folded))


def _free_column(side: SideRows, index: int, folded: bool) -> Column:
    rows = np.flatnonzero(side.shown).astype(np.int32)
    nothing = np.full(len(rows), BLANK, np.int32)
    quiet = side.quiet[rows] if folded else np.zeros(len(rows), bool)
    columns = (nothing, rows) if index else (rows, nothing)
    cells, folds, places = fold(columns, quiet, side.opened[rows])
    return Column(cells[index], _places(rows, places, len(side.shown)), folds)


def _places(cells: Ints, after: Ints, rows: int) -> Ints:
    place: NDArray[np.int32] = np.full(rows, -1, np.int32)
    there = cells >= 0
    place[cells[there]] = after[there]
    return place


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
    return Column(np.zeros(0, np.int32), np.zeros(0, np.int32))


EMPTY = Layout(_no_column(), _no_column())
