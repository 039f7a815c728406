"""The strip between the panes: who belongs with whom, and where the ends of the links are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from PySide6.QtCore import QLineF, QPointF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from opdiff.compare import Kind, Side, State, kind_of
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.theme import blend, current
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.panes.pane import TracePane
from opdiff.ui.panes.scene import Scene

_SHARE = 0.07
"""Of the width of the view."""


class Weight(IntEnum):
    """How much a link stands out; heavier ones are drawn over lighter ones."""

    FOLD = 0
    EQUAL = 1
    DIFFERENT = 2
    PIN = 3
    ANCHOR = 4


@dataclass(frozen=True, slots=True)
class DrawnLink:
    """A link: the middle of its row on either side, None where there is no row."""

    left: float | None
    right: float | None
    weight: Weight
    kind: Kind | None = None
    current: bool = False
    """Whether it belongs to the row the user is at."""


def links_in_view(scene: Scene, left: TracePane, right: TracePane) -> list[DrawnLink]:
    """The links of all rows in view, light ones first."""
    views = (left, right)
    found: list[DrawnLink] = []
    for side in Side:
        for row, height in _rows_in_view(views[side]):
            found.extend(_links_of(scene, views, side, row, height))
    found.extend(_fold_links(views))
    found.sort(key=lambda link: link.weight)
    return found


def counterparts(scene: Scene, side: Side, row: int) -> list[int]:
    """The rows on the other side that a row belongs with: its partner, or all it is fused with."""
    side_scene, comparison = scene.side(side), scene.comparison
    if comparison is not None and side_scene.state[row] >= State.DIFFERENT:
        for index in comparison.side(side).records_at(row):
            divergence = comparison.divergences[index]
            if divergence.kind is Kind.FUSED:
                return list(divergence.rows(side.other))
    partner = side_scene.partner_of(row)
    if partner is not None:
        return [partner]
    anchors = (scene.side(Side.LEFT).anchor, scene.side(Side.RIGHT).anchor)
    other = anchors[side.other]
    return [other] if row == anchors[side] and other is not None else []


def _rows_in_view(view: TracePane) -> Iterator[tuple[int, int]]:
    first, last = view.visible_heights()
    cells = view.column.cells[first : last + 1].tolist()
    return ((cell, height) for height, cell in enumerate(cells, first) if cell >= 0)


def _links_of(
    scene: Scene, views: tuple[TracePane, TracePane], side: Side, row: int, height: int
) -> Iterator[DrawnLink]:
    weight, kind = _style(scene, side, row)
    current = row == views[side].cursor_row()
    here = _middle(views[side], height)
    others = counterparts(scene, side, row)
    if not others and kind is not None:
        yield _link(side, here, None, weight, kind, current)
    view = views[side.other]
    first, last = view.visible_heights()
    for other in others:
        if not view.column.shows(other):
            continue
        place = view.column.height_of(other)
        # Links with both ends in view are found from the left.
        if side is Side.RIGHT and first <= place <= last and view.column.row_at(place) is not None:
            continue
        yield _link(side, here, _middle(view, place), weight, kind, current)


def _link(
    side: Side, here: float, there: float | None, weight: Weight, kind: Kind | None, current: bool
) -> DrawnLink:
    left, right = (here, there) if side is Side.LEFT else (there, here)
    return DrawnLink(left, right, weight, kind, current)


def _style(scene: Scene, side: Side, row: int) -> tuple[Weight, Kind | None]:
    side_scene = scene.side(side)
    kind = None if side_scene.greyed[row] else kind_of(int(side_scene.state[row]))
    if row == side_scene.anchor:
        return Weight.ANCHOR, None
    if row in side_scene.pins:
        return Weight.PIN, kind
    return (Weight.EQUAL, None) if kind is None else (Weight.DIFFERENT, kind)


def _fold_links(views: tuple[TracePane, TracePane]) -> Iterator[DrawnLink]:
    """Folded stretches that stand opposite each other, as they do in an aligned layout."""
    left, right = views
    if left.column.folds is not right.column.folds:
        return
    first, last = left.visible_heights()
    for height in range(first, last + 1):
        if left.column.fold_at(height) is not None:
            yield DrawnLink(_middle(left, height), _middle(right, height), Weight.FOLD)


def _middle(view: TracePane, height: int) -> float:
    return view.y_of(height) + view.row_height / 2


def least_strip() -> int:
    """How wide the links must be to be told apart and clicked."""
    return metrics().strip // 3


class LinkStrip(Retranslating, QWidget):
    """Links between the rows in view of two panes.

    Signal: ``endClicked(side, row)``, the user wants to follow the link from that row.
    """

    endClicked = Signal(int, int)

    def __init__(self, scene: Scene, left: TracePane, right: TracePane, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("linkStrip")
        self._scene = scene
        self._left, self._right = left, right
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.retranslate()

    def fit(self, room: int) -> None:
        """Take a small share of the view's *room* at most: in a narrow one the rows need it."""
        most = metrics().strip
        self.setFixedWidth(min(most, max(least_strip(), round(room * _SHARE))))

    def retranslate(self) -> None:
        """Speak the present language."""
        self.setAccessibleName(self.tr("Links between the traces"))
        self.setToolTip(self.tr("Click a link to go to its other end"))

    def links(self) -> list[DrawnLink]:
        """The links in view."""
        return links_in_view(self._scene, self._left, self._right)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Follow the link that begins at the nearer side."""
        pane = self._left if event.position().x() < self.width() / 2 else self._right
        row = pane.row_under(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and row is not None:
            self.endClicked.emit(int(pane.side), row)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll what lies beside it."""
        QApplication.sendEvent(self._left.verticalScrollBar(), event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint hairlines first, then what stands out."""
        painter, theme = QPainter(self), current()
        painter.fillRect(self.rect(), theme.background)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        links = self.links()
        width = self.width()
        plain = [link.left for link in links if _is_hairline(link) and link.left is not None]
        painter.setPen(QPen(_grey(), 1.0))
        painter.drawLines([QLineF(0, y, width, y) for y in plain])
        for link in links:
            if not _is_hairline(link):
                self._paint_link(painter, link)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(0, 0, 1, self.height(), theme.line)
        painter.fillRect(width - 1, 0, 1, self.height(), theme.line)
        painter.end()

    def _paint_link(self, painter: QPainter, link: DrawnLink) -> None:
        colour, thickness = self._pen_of(link)
        pen = QPen(colour, thickness)
        if link.weight is Weight.FOLD:
            pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if link.left is None or link.right is None:
            here = link.left if link.left is not None else link.right
            if here is not None:
                self._paint_stub(painter, here, here, link.left is not None, colour)
        elif self._in_sight(link.left) and self._in_sight(link.right):
            self._paint_curve(painter, link.left, link.right)
        elif self._in_sight(link.left):
            self._paint_stub(painter, link.left, link.right, True, colour)
        else:
            self._paint_stub(painter, link.right, link.left, False, colour)

    def _in_sight(self, y: float) -> bool:
        return -metrics().row / 2 <= y <= self.height() + metrics().row / 2

    def _paint_curve(self, painter: QPainter, left: float, right: float) -> None:
        width = self.width()
        if left == right:
            painter.drawLine(QPointF(0, left), QPointF(width, right))
            return
        path = QPainterPath(QPointF(0, left))
        path.cubicTo(QPointF(width * 0.5, left), QPointF(width * 0.5, right), QPointF(width, right))
        painter.drawPath(path)

    def _paint_stub(
        self, painter: QPainter, here: float, there: float, from_left: bool, colour: QColor
    ) -> None:
        """A short way into the strip, bent towards a far end that is out of sight, and a dot."""
        reach, radius = metrics().em * 0.62, metrics().em * 0.24
        lean = 0.0 if here == there else metrics().row * (0.4 if there > here else -0.4)
        start = QPointF(0 if from_left else self.width(), here)
        end = QPointF(reach if from_left else self.width() - reach, here + lean)
        path = QPainterPath(start)
        middle = (start.x() + end.x()) / 2
        path.cubicTo(QPointF(middle, here), QPointF(end.x(), here), end)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(end, radius, radius)

    def _pen_of(self, link: DrawnLink) -> tuple[QColor, float]:
        theme, unit = current(), metrics().em / 16
        if link.weight is Weight.ANCHOR:
            return theme.accent, 3 * unit
        if link.weight is Weight.PIN:
            return theme.accent if link.kind is None else theme.full(link.kind), 2.6 * unit
        if link.weight is Weight.DIFFERENT and link.kind is not None:
            return theme.full(link.kind), (2.6 if link.current else 1.8) * unit
        return (theme.dim, 1.6 * unit) if link.current else (_grey(), 1.0)


def _grey() -> QColor:
    """The colour of links between equal ops."""
    return blend(current().dim, current().background, 0.3)


def _is_hairline(link: DrawnLink) -> bool:
    """Whether a link is one of the many that are drawn all at once."""
    return link.weight is Weight.EQUAL and link.left == link.right and not link.current
