"""A drawing of the dataflow that can be zoomed, moved and walked through by key."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsView

from opdiff.ui.details.flow_scene import FlowScene, NodeItem, spoken
from opdiff.ui.details.surroundings import More
from opdiff.ui.look.fonts import text_scale

_SMALLEST, _LARGEST = 0.35, 3.0
_LEAST_FIT = 0.5
"""Smaller than this nothing can be read: the drawing is then moved, not shrunk."""
_STEP = 1.2

_DIRECTIONS = {
    Qt.Key.Key_Up: QPointF(0, -1),
    Qt.Key.Key_Down: QPointF(0, 1),
    Qt.Key.Key_Left: QPointF(-1, 0),
    Qt.Key.Key_Right: QPointF(1, 0),
}


class FlowCanvas(QGraphicsView):
    """Shows a :class:`FlowScene`.

    Signals: ``activated(side, row)`` when a box is clicked or chosen by key, ``resized()``.
    Arrow keys go from box to box, Enter goes to the op, + − 0 zoom and fit.
    """

    activated = Signal(int, int)
    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.flow = FlowScene()
        """What is drawn."""
        self._lit: list[NodeItem] = []
        self._pressed_at: QPoint | None = None
        self.setFrameShape(QGraphicsView.Shape.NoFrame)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor)

    def showScene(self, scene: FlowScene) -> None:
        """Draw something else, fitted."""
        self._lit = []
        self.flow = scene
        self.setScene(scene)
        focus = self._focus_items()
        if focus:
            focus[0].setFocus()
        self._describe()
        self.fit()

    def fitting(self, scene: FlowScene) -> float:
        """The scale at which a drawing is seen as a whole, at most its own."""
        bounds, room = scene.sceneRect(), self.viewport().rect()
        if bounds.isEmpty() or room.isEmpty():
            return 1.0
        return min(room.width() / bounds.width(), room.height() / bounds.height(), 1.0)

    def fit(self) -> None:
        """See all of it, or the pair in the middle where all of it would be too small."""
        # However large the user wants the text: what is cut off cannot be read at all.
        bounds = self.flow.sceneRect()
        scale = max(self.fitting(self.flow), _LEAST_FIT / text_scale())
        self.resetTransform()
        self.scale(scale, scale)
        centre = bounds.center()
        focus = self._focus_items()
        if bounds.height() * scale > self.viewport().height() and focus:
            centre = QPointF(centre.x(), focus[0].y())
        self.centerOn(centre)

    def zoom(self, steps: float) -> None:
        """Enlarge, or with negative steps shrink."""
        wanted = self.transform().m11() * _STEP**steps
        factor = min(max(wanted, _SMALLEST), _LARGEST) / self.transform().m11()
        self.scale(factor, factor)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the mouse."""
        self.zoom(event.angleDelta().y() / 120)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, go, zoom."""
        key = Qt.Key(event.key())
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()  # Alt with an arrow goes back and forward
        elif key in _DIRECTIONS:
            self._walk(_DIRECTIONS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._activate(self._current())
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(1)
        elif key == Qt.Key.Key_Minus:
            self.zoom(-1)
        elif key == Qt.Key.Key_0:
            self.fit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where, to tell a click from a drag."""
        self._pressed_at = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go to the op whose box was clicked."""
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        pressed, self._pressed_at = self._pressed_at, None
        near = pressed is not None and (place - pressed).manhattanLength() < 4
        if near and event.button() == Qt.MouseButton.LeftButton:
            self._activate(self._box_at(place))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light up the box under the mouse and its counterpart."""
        super().mouseMoveEvent(event)
        box = self._box_at(event.position().toPoint())
        other = None if box is None else self.flow.counterpart(box)
        self._light([item for item in (box, other) if item is not None])

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which box the keys act on."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keys act elsewhere."""
        super().focusOutEvent(event)
        self._light([])
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell that there is other room."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.resized.emit()
        else:
            self.fit()

    def _light(self, items: list[NodeItem]) -> None:
        for item in self._lit:
            item.setLit(False)
        for item in items:
            item.setLit(True)
        self._lit = items

    def _box_at(self, place: QPoint) -> NodeItem | None:
        item = self.itemAt(place)
        return item if isinstance(item, NodeItem) else None

    def _boxes(self) -> list[NodeItem]:
        return list(self.flow.boxes.values())

    def _focus_items(self) -> list[NodeItem]:
        return [item for item in self._boxes() if item.box.focus]

    def _current(self) -> NodeItem | None:
        item = self.flow.focusItem()
        return item if isinstance(item, NodeItem) else None

    def _walk(self, direction: QPointF) -> None:
        here = self._current() or next(iter(self._focus_items()), None)
        if here is None:
            return
        nearest: tuple[float, NodeItem] | None = None
        for item in self._boxes():
            way = item.pos() - here.pos()
            along = way.x() * direction.x() + way.y() * direction.y()
            across = abs(way.x() * direction.y()) + abs(way.y() * direction.x())
            if along > 1 and (nearest is None or along + 2 * across < nearest[0]):
                nearest = (along + 2 * across, item)
        target = nearest[1] if nearest else here
        target.setFocus()
        self.ensureVisible(target, 12, 12)
        other = self.flow.counterpart(target)
        self._light([item for item in (target, other) if item is not None])
        self._describe()

    def _describe(self) -> None:
        """Tell screen readers which box is the current one, and its counterpart.

        The boxes are items of a scene, which screen readers do not see: the canvas speaks for them.
        """
        current = self._current()
        self.setAccessibleName(self.tr("Dataflow"))
        other = None if current is None else self.flow.counterpart(current)
        items = [item for item in (current, other) if item is not None]
        self.setAccessibleDescription("\n↔ ".join(spoken(item.box) for item in items))

    def _activate(self, item: NodeItem | None) -> None:
        if item is not None:
            node = item.box.node
            row = node.row if isinstance(node, More) else node
            self.activated.emit(int(item.box.side), row)
