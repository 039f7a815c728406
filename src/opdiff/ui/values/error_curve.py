"""The error along the execution order: where it starts, and how far it goes.

The axis of errors is logarithmic; the band at the bottom is noise, marks are causes. A click goes
to the op, the wheel zooms, dragging moves along, a double click shows everything again.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from opdiff.compare import Comparison, Kind, Side
from opdiff.compare.values.value_phrases import error_text
from opdiff.trace.columns import Floats, Longs
from opdiff.ui.look.fonts import text_scale, ui_font
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.theme import current
from opdiff.ui.values.log_colour import log_share

if TYPE_CHECKING:
    from opdiff.ui.panes import ComparisonView
    from opdiff.ui.store import Store

HEIGHTS = (62, 92)
"""In a low window the rows above need the room, in a high one more of it says no more."""
_ZOOM = 1.25
_FEWEST = 20.0
"""So few ops at least are in view."""
_REACH = 8
"""Pixels: a click so near a mark means the mark."""
_DRAGGED = 4


class ErrorCurve(Retranslating, QWidget):
    """The curve. Signal: ``rowChosen(left row)``."""

    rowChosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("errorCurve")
        self._row: Longs = np.zeros(0, np.int64)
        self._error: Floats = np.zeros(0)
        self._floor = 0.0
        self._roots: list[tuple[int, float]] = []
        self._comparison: Comparison | None = None
        self.span = (0.0, 1.0)
        """The rows in view: first and past the last."""
        self._pressed: float | None = None
        self._moved = False
        self._here: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.dress()
        self.retranslate()
        self.hide()

    # What is shown

    def setComparison(self, comparison: Comparison | None) -> None:
        """Show the errors of a comparison; nothing where it has none."""
        told = comparison.values if comparison is not None else None
        self._comparison = comparison
        self._here = None
        if told is None or not len(told):
            self._row, self._error, self._roots = np.zeros(0, np.int64), np.zeros(0), []
            self.hide()
            return
        known = np.flatnonzero(~np.isnan(told.error))
        self._row = told.compared.pairs.left_row[known].astype(np.int64)
        self._error = told.error[known]
        self._floor = float(np.median(told.floor[known]))
        self._roots = [
            (told.rows(pair)[0], float(told.causes.error[pair])) for pair in told.roots()
        ]
        self._show_all()
        self.show()

    def dress(self) -> None:
        """Be as high as the size of the text asks for."""
        self.setMinimumHeight(round(HEIGHTS[0] * text_scale()))
        self.setMaximumHeight(round(HEIGHTS[1] * text_scale()))

    def setCurrentRow(self, row: int | None) -> None:
        """Mark the op that is looked at."""
        if row != self._here:
            self._here = row
            self.update()

    def retranslate(self) -> None:
        """Speak the present language."""
        self.setAccessibleName(self.tr("Error along the execution order"))
        self.setToolTip("")

    def roots(self) -> list[int]:
        """The rows that are marked as causes."""
        return [row for row, _ in self._roots]

    def _show_all(self) -> None:
        self._look_at(0.0, math.inf)

    # Where things stand

    def _plot(self) -> QRectF:
        metrics = QFontMetricsF(ui_font(0.8))
        left = metrics.horizontalAdvance("1e-9") + 10
        return QRectF(left, 6, max(1.0, self.width() - left - 8), max(1.0, self.height() - 12))

    def x_of(self, row: float) -> float:
        """Where a row is."""
        plot, (first, last) = self._plot(), self.span
        return plot.left() + (row - first) / (last - first) * plot.width()

    def y_of(self, error: float) -> float:
        """Where an error is."""
        plot = self._plot()
        return plot.bottom() - log_share(error) * plot.height()

    def row_at(self, x: float) -> int | None:
        """The row with values nearest to a pixel; a mark near it counts first."""
        if not len(self._row):
            return None
        marks = [(abs(self.x_of(row + 0.5) - x), row) for row, _ in self._roots]
        if marks and min(marks)[0] <= _REACH:
            return min(marks)[1]
        plot, (first, last) = self._plot(), self.span
        wanted = first + (x - plot.left()) / plot.width() * (last - first)
        place = int(np.searchsorted(self._row, wanted - 0.5))
        near = [at for at in (place - 1, place) if 0 <= at < len(self._row)]
        return int(self._row[min(near, key=lambda at: abs(self._row[at] + 0.5 - wanted))])

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the band, the axis, the curve and the marks."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), current().panel)
        painter.fillRect(0, 0, self.width(), 1, current().line)
        if len(self._row):
            painter.setFont(ui_font(0.8))
            self._paint_axis(painter)
            painter.setClipRect(self._plot().adjusted(-6, -6, 6, 6))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
            self._paint_curve(painter)
            self._paint_here(painter)
            self._paint_roots(painter)
        if self.hasFocus():
            painter.setClipping(False)
            painter.setPen(QPen(current().accent, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(1, 1, -1, -1))
        painter.end()

    def _paint_axis(self, painter: QPainter) -> None:
        plot = self._plot()
        noise = QColor(current().dim)
        noise.setAlpha(36)
        top = self.y_of(self._floor)
        painter.fillRect(QRectF(plot.left(), top, plot.width(), plot.bottom() - top), noise)
        for power in (0, -3, -6, -9):
            y = self.y_of(10.0**power)
            painter.setPen(current().line)
            painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y))
            painter.setPen(current().dim)
            box = QRectF(0, y - 8, plot.left() - 4, 16)
            flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(box, int(flags), "1" if power == 0 else f"1e{power}")

    def points(self) -> list[tuple[float, float]]:
        """The curve: of all ops on one pixel the worst."""
        first, last = np.searchsorted(self._row, self.span).tolist()
        here = slice(max(first - 1, 0), last + 1)
        row, error = self._row[here], self._error[here]
        plot, (start, end) = self._plot(), self.span
        x = plot.left() + (row + 0.5 - start) / (end - start) * plot.width()
        pixel = np.round(x).astype(np.int64)
        if not len(pixel):
            return []
        starts = np.flatnonzero(np.diff(pixel, prepend=pixel[0] - 1))
        worst = np.maximum.reduceat(error, starts)
        y = [plot.bottom() - log_share(each) * plot.height() for each in worst.tolist()]
        return list(zip(pixel[starts].astype(float).tolist(), y, strict=True))

    def _paint_curve(self, painter: QPainter) -> None:
        painter.setPen(QPen(current().accent, 1.4))
        painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in self.points()]))

    def _paint_here(self, painter: QPainter) -> None:
        if self._here is None:
            return
        x = self.x_of(self._here + 0.5)
        plot = self._plot()
        painter.setPen(QPen(current().text, 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))

    def _paint_roots(self, painter: QPainter) -> None:
        painter.setPen(QPen(current().panel, 1.2))
        painter.setBrush(current().full(Kind.VALUE))
        size = 4.5 * text_scale()
        for row, error in self._roots:
            place = QPointF(self.x_of(row + 0.5), self.y_of(error))
            corners = ((0, -size), (size, 0), (0, size), (-size, 0))
            painter.drawPolygon(QPolygonF([place + QPointF(x, y) for x, y in corners]))

    # What the user does

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._moved = event.position().x(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move along, if the curve is held."""
        if self._pressed is None:
            return
        apart = event.position().x() - self._pressed
        if self._moved or abs(apart) >= _DRAGGED:
            self._moved, self._pressed = True, event.position().x()
            self._shift(-apart / self._plot().width())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Go there, unless the curve was moved."""
        if self._pressed is not None and not self._moved:
            row = self.row_at(event.position().x())
            if row is not None:
                self.rowChosen.emit(row)
        self._pressed = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Show everything again."""
        self._show_all()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the mouse; sideways, move along."""
        steps = event.angleDelta()
        if steps.x() and not steps.y():
            self._shift(-steps.x() / 120 / 8)
        elif steps.y():
            self.zoom(_ZOOM ** (steps.y() / 120), event.position().x())
        event.accept()

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Show so many times less, around a pixel."""
        plot, (first, last) = self._plot(), self.span
        share = 0.5 if x is None else min(max((x - plot.left()) / plot.width(), 0.0), 1.0)
        middle = first + share * (last - first)
        width = (last - first) / factor
        self._look_at(middle - share * width, middle + (1 - share) * width)

    def _shift(self, share: float) -> None:
        first, last = self.span
        by = share * (last - first)
        self._look_at(first + by, last + by)

    def _look_at(self, first: float, last: float) -> None:
        whole = float(self._row[-1] + 1) if len(self._row) else 1.0
        width = min(max(last - first, min(_FEWEST, whole)), whole)
        first = min(max(first, 0.0), whole - width)
        self.span = (first, first + width)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the marks with the arrows; zoom with plus and minus."""
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._walk(1 if key == Qt.Key.Key_Right else -1)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_ZOOM)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / _ZOOM)
        elif key == Qt.Key.Key_Home:
            self._show_all()
        else:
            super().keyPressEvent(event)

    def _walk(self, step: int) -> None:
        """Go to the next cause, or to the one before."""
        rows = self.roots()
        here = -1 if self._here is None else self._here
        rest = [row for row in rows if (row > here if step > 0 else row < here)]
        if rest:
            self.rowChosen.emit(min(rest) if step > 0 else max(rest))

    def event(self, event: QEvent) -> bool:
        """Say what is at a pixel."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.text_at(event.pos().x()), self)
            return True
        return super().event(event)

    def text_at(self, x: float) -> str:
        """What the tooltip says at a pixel: line, op and error."""
        row = self.row_at(x)
        if row is None or self._comparison is None:
            return ""
        trace = self._comparison.left.trace
        error = float(self._error[int(np.searchsorted(self._row, row))])
        return f"{trace.line_of(row):,} {trace.type_name(row)}: {error_text(error)}"


def connect_curve(curve: ErrorCurve, view: ComparisonView, store: Store) -> None:
    """Let the curve show what is compared, and a click on it select the op."""

    def selected(side: int, row: int) -> None:
        if row < 0:
            curve.setCurrentRow(None)
        elif side == Side.LEFT:
            curve.setCurrentRow(row)
        elif store.comparison is not None:
            partner = int(store.comparison.right.partner[row])
            curve.setCurrentRow(partner if partner >= 0 else None)

    store.comparisonChanged.connect(curve.setComparison)
    view.rowSelected.connect(selected)
    curve.rowChosen.connect(lambda row: view.selectRow(Side.LEFT, row))
