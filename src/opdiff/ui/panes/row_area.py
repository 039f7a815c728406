"""A scrolled area of equally high rows: where each is, and how to get there."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from opdiff.compare import Side
from opdiff.ui.panes.layout import Column
from opdiff.ui.panes.metrics import Metrics
from opdiff.ui.panes.scene import Scene, SideScene


class RowArea(QAbstractScrollArea):
    """One side of a scene, scrolled by the pixel.

    Signals: ``viewChanged()``, other rows are in view; ``zoomed(step)``, the wheel was turned with
    Ctrl held down.
    """

    viewChanged = Signal()
    zoomed = Signal(int)

    def __init__(
        self, side: Side, scene: Scene, metrics: Metrics, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.side = side
        self._scene = scene
        self._metrics = metrics
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    @property
    def side_scene(self) -> SideScene:
        """Its side of the scene."""
        return self._scene.side(self.side)

    @property
    def column(self) -> Column:
        """Its side of the layout."""
        return self._scene.layout.column(self.side)

    @property
    def row_height(self) -> int:
        """Pixels from one height to the next."""
        return self._metrics.row

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
        """Keep the scroll bar right."""
        super().resizeEvent(event)
        self.updateRange()
        self.viewChanged.emit()
