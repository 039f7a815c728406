"""The rows above the panes: titles that can be dragged, what each trace is, the path."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from opdiff.compare import Side
from opdiff.trace import Role, Trace
from opdiff.trace.columns import EAGER, GRAPH
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import current
from opdiff.ui.panes.columns import ColumnSpans
from opdiff.ui.panes.metrics import metrics
from opdiff.wording.printable import printable

_REACH = 5
_TITLE_SHARE = 0.6
_LEAST_PATH = 0.7
"""Of the path, in letters, that is to be seen beside the title; else the title gives way."""
_STEP = " › "


class PaneHeader(QWidget):
    """Column titles, and at the right what the trace is. Signal: ``dragged(boundary, x)``."""

    dragged = Signal(int, float)

    def __init__(self, side: Side, spans: Callable[[], ColumnSpans], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("rightPaneHeader" if side else "leftPaneHeader")
        self._spans = spans
        self.title, self._elsewhere = "", False
        self._dragging: int | None = None
        self.setMouseTracking(True)
        self.dress()

    def dress(self) -> None:
        """Be as high as a row."""
        self.setFixedHeight(metrics().row)

    def setTitle(self, title: str) -> None:
        """What is said at the right."""
        self.title = title
        self.setAccessibleName(title)
        self.update()

    def setTitleElsewhere(self, elsewhere: bool) -> None:
        """Leave it to the bar below to say what the trace is: there is room for all titles then."""
        if elsewhere != self._elsewhere:
            self._elsewhere = elsewhere
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the titles; those that what the trace is leaves no room for are left out."""
        painter, sizes = QPainter(self), metrics()
        painter.fillRect(self.rect(), current().panel)
        painter.setFont(sizes.small)
        spans, letters = self._spans(), QFontMetricsF(sizes.small)
        limit = self.width() - sizes.pad
        if spans.error[1] > 0:
            self._write(painter, self.tr("error"), *spans.error, Qt.AlignmentFlag.AlignHCenter)
            limit = spans.error[0]
        if self.title and not self._elsewhere:
            room = max(0.0, limit - spans.op[0] - 3 * sizes.em)
            width = min(letters.horizontalAdvance(self.title) + 1, room)
            right = Qt.AlignmentFlag.AlignRight
            self._write(painter, self.title, limit - width, width, right)
            limit -= width + sizes.em
        for title, x in (
            (self.tr("line"), spans.line[0]),
            (self.tr("op"), spans.op[0]),
            (self.tr("output") if spans.output[1] > 0 else "", spans.output[0]),
            (self.tr("source"), spans.origin[0]),
        ):
            if x + letters.horizontalAdvance(title) <= limit:
                self._write(painter, title, x, limit - x, Qt.AlignmentFlag.AlignLeft)
        painter.end()

    def _write(
        self, painter: QPainter, text: str, x: float, width: float, flag: Qt.AlignmentFlag
    ) -> None:
        painter.setPen(current().dim)
        elided = QFontMetricsF(painter.font()).elidedText(
            text, Qt.TextElideMode.ElideRight, max(0.0, width)
        )
        box = QRectF(x, 0, max(0.0, width) + 1, self.height())
        painter.drawText(box, int(flag | Qt.AlignmentFlag.AlignVCenter), elided)

    def _boundary_at(self, x: float) -> int | None:
        for index, boundary in enumerate(self._spans().boundaries()):
            if abs(x - boundary) <= _REACH:
                return index
        return None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a boundary."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._dragging = self._boundary_at(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag a boundary."""
        if self._dragging is not None:
            self.dragged.emit(self._dragging, event.position().x())
            return
        near = self._boundary_at(event.position().x()) is not None
        self.setCursor(Qt.CursorShape.SplitHCursor if near else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Let go."""
        self._dragging = None


def trace_title(trace: Trace) -> str:
    """Such as ``eager · 206 ops``."""
    translate = QCoreApplication.translate  # lupdate knows calls by this name only
    name = _mode_name(trace)
    if not trace.source.execution_order:
        order = translate("TraceTitle", "topological order")
        name = f"{name}, {order}" if name else order
    count = translate("TraceTitle", "{count} ops").format(count=f"{len(trace):,}")
    return f"{name} · {count}" if name else count


def reading_title(name: str, permille: int) -> str:
    """Of a file that is being read, how far that is."""
    translate = QCoreApplication.translate
    said = translate("TraceTitle", "reading {name} {percent} %")
    return said.format(name=name, percent=permille // 10)


def _mode_name(trace: Trace) -> str:
    """Whether a trace was run eagerly, as a graph, or both."""
    translate = QCoreApplication.translate
    # Where the trace does not say, ops with a scope are those of graphs.
    scope = np.where(trace.scope > 0, GRAPH, EAGER)
    said = trace.columns.mode
    modes = np.where(said > 0, said, scope)[trace.role == Role.OP]
    if not len(modes):
        return ""
    if modes.min() != modes.max():
        return translate("TraceTitle", "eager + graph")
    if modes[0] == EAGER:
        return translate("TraceTitle", "eager")
    return translate("TraceTitle", "graph")


def fitted_path(path: str, letters: QFontMetricsF, room: float) -> str:
    """A way through the structure in the room there is: its long parts give way, all alike.

    ``layer 12`` says more than the whole name of a function.
    """
    if letters.horizontalAdvance(path) <= room:
        return path
    parts = path.split(_STEP)
    left = room - letters.horizontalAdvance(_STEP) * (len(parts) - 1)
    share = 0.0
    for number, width in enumerate(sorted(map(letters.horizontalAdvance, parts))):
        share = left / (len(parts) - number)
        if width > share:
            break
        left -= width
    middle = Qt.TextElideMode.ElideMiddle
    if share < letters.horizontalAdvance("m…m"):
        return letters.elidedText(path, middle, room)
    return _STEP.join(letters.elidedText(part, middle, share) for part in parts)


class PathBar(QWidget):
    """One line of text. Signal: ``clicked()``."""

    clicked = Signal()

    def __init__(self, side: Side, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("rightPath" if side else "leftPath")
        self._text = self._title = ""
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.dress()

    def dress(self) -> None:
        """Be nearly as high as a row."""
        self.setFixedHeight(round(metrics().row * 0.86))

    def text(self) -> str:
        """What it says."""
        return self._text

    def setText(self, text: str) -> None:
        """Say where the top of the pane is."""
        text = printable(text)
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.setToolTip(tip(text))
            self.update()

    def setTitle(self, title: str) -> None:
        """Say at the right what the trace is."""
        self._title = title
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to where this part begins."""
        if event.button() == Qt.MouseButton.LeftButton and self._text:
            self.clicked.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the path, where it is too long with its longest parts cut, and the title."""
        painter, theme, sizes = QPainter(self), current(), metrics()
        painter.fillRect(self.rect(), theme.panel)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.line)
        painter.setFont(sizes.small)
        letters, pad = QFontMetricsF(sizes.small), sizes.pad
        room = max(0.0, self.width() - 2 * pad)
        title = letters.elidedText(self._title, Qt.TextElideMode.ElideRight, room * _TITLE_SHARE)
        beside = room - letters.horizontalAdvance(title) - sizes.em
        if letters.horizontalAdvance(self._text) * _LEAST_PATH > beside:
            title, beside = "", room  # where one is says more than what the trace is
        box = QRectF(pad, 0, room + 1, self.height() - 1)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(theme.dim)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | middle), title)
        painter.setPen(theme.text)
        path = fitted_path(self._text, letters, max(0.0, beside))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | middle), path)
        painter.end()
