"""Which rows of a pane are selected, and which one is current."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from opdiff.ui.panes.layout import FOLD, Column


class Selection:
    """A set of rows, the current one, and the one a range was begun at."""

    def __init__(self, count: int = 0) -> None:
        self._selected = np.zeros(count, bool)
        self.cursor: int | None = None
        self._pivot: int | None = None

    def __contains__(self, row: object) -> bool:
        return isinstance(row, int) and bool(self._selected[row])

    def rows(self) -> list[int]:
        """The selected rows, ascending."""
        return [int(row) for row in np.flatnonzero(self._selected)]

    def clear(self) -> None:
        """Select nothing."""
        self._selected[:] = False
        self.cursor = self._pivot = None

    def select(self, row: int, also: Iterable[int] = ()) -> None:
        """Select a row (and perhaps more), nothing else; it becomes current."""
        self._selected[:] = False
        self._selected[[row, *also]] = True
        self.cursor = self._pivot = row

    def toggle(self, row: int) -> None:
        """Select a row besides the others, or no longer; it becomes current."""
        self._selected[row] = not self._selected[row]
        self.cursor = self._pivot = row

    def extend(self, row: int, column: Column) -> None:
        """Select everything shown from where the range began to a row."""
        if self._pivot is None:
            self.select(row)
            return
        first, last = sorted((self._pivot, row))
        self._selected[:] = False
        self._selected[first : last + 1] = column.shown[first : last + 1]
        self.cursor = row

    def everything(self, column: Column) -> None:
        """Select all rows that are shown."""
        self._selected[:] = column.shown


def step_from(column: Column, height: int, step: int) -> int | None:
    """The height reached by going *step* heights on, and further past gaps, or None."""
    target = min(max(height + step, 0), len(column) - 1)
    direction = -1 if step < 0 else 1
    # Where the trace ends in gaps, turn round rather than stay lost in them.
    for way in (direction, -direction):
        place = target
        while 0 <= place < len(column):
            if can_stand(column, place):
                return place
            place += way
    return None


def can_stand(column: Column, height: int) -> bool:
    """Whether the cursor may be at a height: on a row, or on the head of a closed fold."""
    cell = int(column.cells[height])
    return cell >= 0 or (cell <= FOLD and not column.folds[FOLD - cell].opened)


def row_to_stand_on(column: Column, height: int, side: int) -> int | None:
    """The row that makes the cursor stand at a height: for a fold, its first."""
    row = column.row_at(height)
    if row is not None:
        return row
    found = column.fold_at(height)
    span = None if found is None or found.opened else found.span(side)
    return None if span is None else span[0]
