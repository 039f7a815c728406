"""A scrolled area of equally high rows: where each is, and how to get there."""

from __future__ import annotations

import weakref

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from opdiff.compare import Direction, Side
from opdiff.ui.panes.layout import Column
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.panes.scene import Scene, SideScene

_BEYOND = 2
"""Rows on the far side of an anchor that stay in view."""


class RowArea(QAbstractScrollArea):
    """One side of a scene, scrolled by the pixel.

    Signals: ``viewChanged()``, other rows are in view; ``zoomed(step)``, the wheel was turned with
    Ctrl held down.
    """

    viewChanged = Signal()
    zoomed = Signal(int)

    def __init__(self, side: Side, scene: Scene, parent: QWidget) -> None:
        super().__init__(parent)
        self.side = side
        self._scene = scene
        self.row_height = metrics().row
        """Pixels from one height to the next: as painted, also when text has another size."""
        self._beside: weakref.ref[RowArea] | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    @property
    def beside(self) -> RowArea | None:
        """The other side; known weakly, or the two would keep each other alive."""
        return None if self._beside is None else self._beside()

    @beside.setter
    def beside(self, other: RowArea) -> None:
        self._beside = weakref.ref(other)

    @property
    def side_scene(self) -> SideScene:
        """Its side of the scene."""
        return self._scene.side(self.side)

    @property
    def column(self) -> Column:
        """Its side of the layout."""
        return self._scene.layout.column(self.side)

    def visible_heights(self) -> tuple[int, int]:
        """First and last height in view; the last is less than the first where nothing is."""
        first = self.verticalScrollBar().value() // self.row_height
        bottom = self.verticalScrollBar().value() + self.viewport().height() - 1
        return first, min(bottom // self.row_height, len(self.column) - 1)

    def y_of(self, height: int) -> int:
        """Where the top of a height is in the viewport."""
        return height * self.row_height - self.verticalScrollBar().value()

    def height_at(self, y: int) -> int | None:
        """The height at a place of the viewport."""
        height = (y + self.verticalScrollBar().value()) // self.row_height
        return int(height) if 0 <= height < len(self.column) else None

    def row_under(self, y: float) -> int | None:
        """The row at a place of the viewport."""
        height = self.height_at(int(y))
        return None if height is None else self.column.row_at(height)

    def reveal(self, height: int) -> None:
        """Bring a height into view: a step further if it is near, else to the middle."""
        bar, view, step = self.verticalScrollBar(), self.viewport().height(), self.row_height
        y = self.y_of(height)
        if 0 <= y <= view - step:
            return
        if -2 * step <= y < 0:
            bar.setValue(bar.value() + y)
        elif view - step < y <= view + step:
            # A whole row at the top is calmer than a whole one at the bottom.
            bar.setValue(-(-(bar.value() + y - view + step) // step) * step)
        else:
            self.centre(height)

    def centre(self, height: int) -> None:
        """Bring a height to where most can be seen of what was compared with it."""
        rows = max(1, self.viewport().height() // self.row_height)
        self.place(height, round((rows - 1) * self._scene.eye_level()) * self.row_height)

    def stand(self, height: int, direction: Direction) -> None:
        """Bring a height near the edge of the view, so that what was compared fills the rest."""
        rows = self.viewport().height() // self.row_height
        if direction is Direction.UP:
            # Whole rows from the top on: that is calmer than a whole one at the bottom.
            self.place(height, max(0, rows - 1 - _BEYOND) * self.row_height)
        elif direction is Direction.DOWN:
            self.place(height, _BEYOND * self.row_height)
        else:
            self.centre(height)

    def place(self, height: int, y: int) -> None:
        """Scroll so that a height is at a place of the viewport."""
        self.verticalScrollBar().setValue(height * self.row_height - y)

    def updateRange(self) -> None:
        """Let the scroll bar know how much there is."""
        bar, view = self.verticalScrollBar(), self.viewport().height()
        rows = view // self.row_height
        bar.setRange(0, max(0, len(self.column) - rows) * self.row_height)
        bar.setPageStep(view)
        bar.setSingleStep(self.row_height)

    def _scrolled(self) -> None:
        self.viewport().update()
        self.viewChanged.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, or with Ctrl zoom."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoomed.emit(1 if event.angleDelta().y() > 0 else -1)
        else:
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the scroll bar right, and in view what the user looks at."""
        before, now = event.oldSize().height(), event.size().height()
        held = self._held_height(before) if 0 < before != now else None
        y = 0 if held is None else self.y_of(held)
        super().resizeEvent(event)
        self.updateRange()
        if self._follows and self.beside is not None:
            # One of two aligned sides says where both stand: neither is moved twice.
            self.verticalScrollBar().setValue(self.beside.verticalScrollBar().value())
        elif held is not None:
            # As far down as it was before, in proportion: what was near the bottom stays there.
            lowest = max(0, now // self.row_height - 1)
            row = min(lowest, round(y * now / before / self.row_height))
            self.place(held, row * self.row_height)
        self.viewChanged.emit()

    @property
    def _follows(self) -> bool:
        return self._scene.options.aligned and self.side is Side.RIGHT

    def _held_height(self, view: int) -> int | None:
        """The height to keep in view, which in an aligned layout may be that of the other side."""
        areas: list[RowArea] = [self]
        if self._scene.options.aligned and self.beside is not None:
            areas.append(self.beside)
        held = [(area, area.held_row(view)) for area in areas]
        # What the user is at comes before the anchor, on whichever side it is.
        held.sort(key=lambda each: each[1] is None or each[1] == each[0].side_scene.anchor)
        area, row = held[0]
        return None if row is None else area.column.height_of(row)

    def held_row(self, view: int) -> int | None:
        """The row to keep in view when the view, so many pixels high, changes: the anchor."""
        return self.row_in_view(self.side_scene.anchor, view)

    def row_in_view(self, row: int | None, view: int) -> int | None:
        """A row if it is in a view so many pixels high."""
        if row is None or not self.column.shows(row):
            return None
        y = self.y_of(self.column.height_of(row))
        return row if -self.row_height < y < view else None
