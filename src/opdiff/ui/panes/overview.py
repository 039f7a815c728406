"""The whole compared range at a glance: the most severe kind a pixel, and where the view is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from opdiff.compare import Side, State, kind_of
from opdiff.ui.kind_names import kind_name
from opdiff.ui.panes.metrics import Metrics
from opdiff.ui.panes.scene import Scene
from opdiff.ui.theme import Theme, sign_of

MOST_PIXELS = 4
"""A height takes no more than this, however few there are."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Heights *first* to *last* on so many pixels each."""

    first: int
    last: int
    pixels: float

    def y_of(self, height: float) -> float:
        """Where a height is."""
        return (min(max(height, self.first), self.last + 1) - self.first) * self.pixels

    def height_at(self, y: float) -> int:
        """The height at a pixel."""
        found = self.first + int(y / self.pixels) if self.pixels > 0 else self.first
        return min(max(found, self.first), self.last)


def scale_for(severity: NDArray[np.uint8], pixels: int) -> Scale:
    """The compared range on so many pixels; all heights where nothing was compared."""
    inside = np.flatnonzero(severity > State.OUTSIDE)
    first, last = (int(inside[0]), int(inside[-1])) if len(inside) else (0, len(severity) - 1)
    count = max(1, last - first + 1)
    return Scale(first, max(first, last), min(float(MOST_PIXELS), pixels / count))


def worst_a_pixel(severity: NDArray[np.uint8], scale: Scale, pixels: int) -> NDArray[np.uint8]:
    """The most severe state that falls on each pixel, OUTSIDE where none does."""
    part = severity[scale.first : scale.last + 1]
    worst = np.zeros(pixels, np.uint8)
    if not len(part):
        return worst
    used = min(pixels, max(1, round(len(part) * scale.pixels)))
    starts = np.arange(used) * len(part) // used
    if used >= len(part):
        worst[:used] = part[starts]
    else:
        worst[:used] = np.maximum.reduceat(part, starts)
    return worst


class Overview(QWidget):
    """A map of the comparison. Signals: ``heightChosen(height)``, ``wheeled(QWheelEvent)``."""

    heightChosen = Signal(int)
    wheeled = Signal(QWheelEvent)

    def __init__(
        self, scene: Scene, theme: Theme, metrics: Metrics, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("overview")
        self._scene = scene
        self._severity = np.zeros(0, np.uint8)
        self._worst: NDArray[np.uint8] | None = None
        self._scale = Scale(0, 0, 1.0)
        self._view = (0.0, 0.0)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setLook(theme, metrics)
        self.retranslate()

    def setLook(self, theme: Theme, metrics: Metrics) -> None:
        """Paint in other colours or sizes."""
        self._theme, self._metrics = theme, metrics
        self.setFixedWidth(metrics.overview)
        self.update()

    def retranslate(self) -> None:
        """Speak the present language."""
        self.setAccessibleName(self.tr("Overview of the differences"))

    def refresh(self) -> None:
        """Take over a changed scene."""
        self._severity = self._scene.severity()
        self._worst = None
        self.update()

    def setView(self, first: float, last: float) -> None:
        """Which heights are in view."""
        self._view = (first, last)
        self.update()

    def worst(self) -> NDArray[np.uint8]:
        """The most severe state a pixel, at the present size."""
        if self._worst is None or len(self._worst) != self.height():
            pixels = max(1, self.height())
            self._scale = scale_for(self._severity, pixels)
            self._worst = worst_a_pixel(self._severity, self._scale, pixels)
        return self._worst

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the map and the box of the view."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.panel)
        inset = round(self.width() * 0.22)
        width = self.width() - 2 * inset
        for top, bottom, state in _runs(self.worst()):
            kind = kind_of(state)
            if kind is not None:
                painter.fillRect(inset, top, width, bottom - top, self._theme.full(kind))
        self._paint_anchor(painter, inset, width)
        self._paint_hits(painter, inset)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self._theme.line)
        painter.fillRect(0, 0, 1, self.height(), self._theme.line)
        self._paint_view(painter)
        painter.end()

    def _paint_anchor(self, painter: QPainter, inset: int, width: int) -> None:
        anchor = self._scene.side(Side.LEFT).anchor
        if anchor is not None:
            y = self._scale.y_of(self._scene.aligned.left.height_of(anchor))
            painter.fillRect(QRectF(inset / 2, y - 1, width + inset, 2), self._theme.accent)

    def _paint_hits(self, painter: QPainter, inset: int) -> None:
        """What a search has found, as ticks at the edge of its side."""
        tick = max(2, inset - 2)
        for side in Side:
            place = self._scene.aligned.column(side).place
            hits = np.fromiter(self._scene.side(side).hits, np.int64)
            heights = place[hits]
            shown = heights[(heights >= self._scale.first) & (heights <= self._scale.last)]
            x = self.width() - tick - 1 if side else 1
            ticks = ((shown - self._scale.first) * self._scale.pixels).astype(int)
            for y in set(ticks.tolist()):
                painter.fillRect(x, y, tick, 2, self._theme.accent)

    def _paint_view(self, painter: QPainter) -> None:
        if not len(self._severity):
            return
        top, bottom = self._scale.y_of(self._view[0]), self._scale.y_of(self._view[1])
        least = self._metrics.em * 0.75
        if bottom - top < least:
            top = min(max(0.0, (top + bottom - least) / 2), self.height() - least)
            bottom = top + least
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        fill = QColor(self._theme.accent)
        fill.setAlpha(28)
        painter.setPen(QPen(self._theme.accent, 1.6))
        painter.setBrush(fill)
        painter.drawRoundedRect(QRectF(1.5, top + 1, self.width() - 3, bottom - top - 2), 3, 3)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go there."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Go along."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._choose(event.position())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave scrolling to the panes."""
        self.wheeled.emit(event)

    def _choose(self, position: QPointF) -> None:
        if len(self._severity):
            self.worst()
            self.heightChosen.emit(self._scale.height_at(position.y()))

    def event(self, event: QEvent) -> bool:
        """Say what is at a pixel; speak another language when told to."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.text_at(event.pos().y()), self)
            return True
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        return super().event(event)

    def text_at(self, y: int) -> str:
        """What the tooltip says at a pixel: the lines there and the most severe kind."""
        worst = self.worst()
        if not len(self._severity) or not 0 <= y < len(worst):
            return ""
        words = []
        height = self._scale.height_at(y)
        lines = []
        for side in Side:
            row = self._scene.aligned.column(side).row_at(height)
            trace = self._scene.side(side).trace
            lines.append("–" if row is None or trace is None else f"{trace.line_of(row):,}")
        words.append(" ↔ ".join(lines))
        kind = kind_of(int(worst[y]))
        if kind is not None:
            words.append(f"{sign_of(kind)} {kind_name(kind)}")
        return "\n".join(words)


def _runs(states: NDArray[np.uint8]) -> list[tuple[int, int, int]]:
    """Stretches of one state, as (first, past the last, state)."""
    if not len(states):
        return []
    cuts = np.flatnonzero(np.diff(states)) + 1
    starts = [0, *cuts.tolist()]
    return [
        (start, end, int(states[start]))
        for start, end in zip(starts, [*starts[1:], len(states)], strict=True)
    ]
