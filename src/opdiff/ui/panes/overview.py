"""The whole compared range at a glance: what differs where and how densely, and where one is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from opdiff.compare import Kind, Side, State, kind_of
from opdiff.trace.columns import Floats, Longs
from opdiff.ui.differences.cards import place_of
from opdiff.ui.look.language import Retranslating, kind_name
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import PIN_SIGN, blend, current, draw_box, sign_of
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.panes.scene import LANES, Scene

MOST_PIXELS = 4
"""A height takes no more than this, however few there are."""
LANE_WIDTHS = (0.38, 0.18)
"""Of the map: what may change values stands broad, what cannot narrow beside it."""
_LEAST_SHARE = 0.4
"""One difference among a thousand ops is still to be seen."""
_STEPS = 6
"""So many shades of a colour: each is painted in one go."""
_MARK = 6
"""Pixels across the mark of a note or a pin."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Heights *first* to *last* on so many pixels each."""

    first: int
    last: int
    pixels: float

    def y_of(self, height: float) -> float:
        """Where a height is."""
        return (min(max(height, self.first), self.last + 1) - self.first) * self.pixels

    def heights_at(self, y: int) -> range:
        """All heights that fall on a pixel."""
        first = self.height_at(y)
        return range(first, max(first, self.height_at(y + 1) - 1) + 1)

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
    starts, worst = _starts(len(part), scale, pixels), np.zeros(pixels, np.uint8)
    if len(part):
        worst[: len(starts)] = np.maximum.reduceat(part, starts)
    return worst


def density_a_pixel(severity: NDArray[np.uint8], scale: Scale, pixels: int) -> Floats:
    """Of the heights that fall on each pixel, the share that differs."""
    part = (severity[scale.first : scale.last + 1] >= State.DIFFERENT).astype(np.float64)
    starts, share = _starts(len(part), scale, pixels), np.zeros(pixels)
    if len(part):
        counts = np.maximum(1, np.diff(starts, append=len(part)))
        share[: len(starts)] = np.add.reduceat(part, starts) / counts
    return share


def _starts(heights: int, scale: Scale, pixels: int) -> Longs:
    """The first height of each pixel that has any; several have the same where they are many."""
    used = min(pixels, max(1, round(heights * scale.pixels)))
    return np.arange(used) * heights // used


class Overview(Retranslating, QWidget):
    """A map of the comparison. Signals: ``heightChosen(height)``, ``wheeled(QWheelEvent)``."""

    heightChosen = Signal(int)
    wheeled = Signal(QWheelEvent)

    def __init__(self, scene: Scene, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("overview")
        self._scene = scene
        self._severity = np.zeros(0, np.uint8)
        self._lanes: list[NDArray[np.uint8]] = []
        self._pixels: list[tuple[NDArray[np.uint8], Longs]] | None = None
        self._scale = Scale(0, 0, 1.0)
        self._hits: list[set[int]] = []
        """Where hits of a search are on the map: they may be very many, so it is kept."""
        self._view = (0.0, 0.0)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.dress()
        self.retranslate()

    def dress(self) -> None:
        """Be as wide as the size of the text asks for."""
        self.setFixedWidth(metrics().overview)

    def retranslate(self) -> None:
        """Speak the present language."""
        self.setAccessibleName(self.tr("Overview of the differences"))

    def refresh(self) -> None:
        """Take over a changed scene."""
        self._severity = self._scene.severity()
        self._lanes = [self._scene.lane(lane) for lane in range(LANES)]
        self.showHits()

    def showHits(self) -> None:
        """Take over what a search has found: nothing else of the scene has changed."""
        self._pixels = None
        self.update()

    def setView(self, first: float, last: float) -> None:
        """Which heights are in view."""
        self._view = (first, last)
        self.update()

    def lane(self, lane: int) -> NDArray[np.uint8]:
        """The gravest state a pixel of what may change values (0) or of the rest (1)."""
        return self._measured()[lane][0]

    def lane_span(self, lane: int) -> tuple[int, int]:
        """Where a lane begins and ends across the map."""
        inset = round(self.width() * 0.2)
        first = inset + round(self.width() * LANE_WIDTHS[0])
        if lane == 0:
            return inset, first
        return first + 1, first + 1 + round(self.width() * LANE_WIDTHS[1])

    def _measured(self) -> list[tuple[NDArray[np.uint8], Longs]]:
        """The gravest state and the shade a pixel of each lane, at the present size."""
        if self._pixels is None or len(self._pixels[0][0]) != self.height():
            pixels = max(1, self.height())
            self._scale = scale_for(self._severity, pixels)
            lanes = self._lanes or [np.zeros(0, np.uint8)] * LANES
            self._pixels = [
                (
                    worst_a_pixel(lane, self._scale, pixels),
                    np.ceil(density_a_pixel(lane, self._scale, pixels) * _STEPS).astype(np.int64),
                )
                for lane in lanes
            ]
            hits = [np.flatnonzero(self._scene.side(side).hits) for side in Side]
            self._hits = [self._pixels_of(side, hits[side]) for side in Side]
        return self._pixels

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the map and the box of the view."""
        painter, theme = QPainter(self), current()
        painter.fillRect(self.rect(), theme.panel)
        for lane, (worst, shades) in enumerate(self._measured()):
            start, end = self.lane_span(lane)
            for top, bottom, state, shade in _runs(worst, shades):
                kind = kind_of(state)
                if kind is not None:
                    colour = _shaded(theme.full(kind), shade)
                    painter.fillRect(start, top, end - start, bottom - top, colour)
        self._paint_anchor(painter)
        self._paint_hits(painter)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), theme.line)
        painter.fillRect(0, 0, 1, self.height(), theme.line)
        self._paint_view(painter)
        self._paint_marks(painter)
        painter.end()

    def _paint_anchor(self, painter: QPainter) -> None:
        anchor = self._scene.side(Side.LEFT).anchor
        if anchor is not None:
            y = self._scale.y_of(self._scene.aligned.left.height_of(anchor))
            painter.fillRect(QRectF(2, y - 1, self.width() - 4, 2), current().accent)

    def _paint_hits(self, painter: QPainter) -> None:
        """What a search has found, as ticks at the edge of its side."""
        tick = max(2, round(self.width() * 0.2) - 2)
        for side in Side:
            x = self.width() - tick - 1 if side else 1
            for y in self._hits[side]:
                painter.fillRect(x, y, tick, 2, current().accent)

    def _pixels_of(self, side: Side, rows: Longs) -> set[int]:
        """Where rows of a side are on the map."""
        heights = self._scene.aligned.column(side).heights_of(rows)
        shown = heights[(heights >= self._scale.first) & (heights <= self._scale.last)]
        pixels = ((shown - self._scale.first) * self._scale.pixels).astype(np.int64)
        return set(np.flatnonzero(np.bincount(pixels)).tolist())

    def _paint_marks(self, painter: QPainter) -> None:
        """Pins as diamonds at the left edge, notes as dots at the right one."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(QPen(current().background, 1))
        half = _MARK / 2
        painter.setBrush(current().accent)
        for y in self._marked("pins"):
            x = half + 1
            corners = [QPointF(x, y - half), QPointF(x + half, y), QPointF(x, y + half)]
            painter.drawPolygon(QPolygonF([*corners, QPointF(x - half, y)]))
        painter.setBrush(current().text)
        for y in self._marked("noted"):
            painter.drawEllipse(QPointF(self.width() - half - 2, y), half, half)

    def _marked(self, what: str) -> set[int]:
        found: set[int] = set()
        for side in Side:
            rows: frozenset[int] = getattr(self._scene.side(side), what)
            found |= self._pixels_of(side, np.fromiter(rows, np.int64, len(rows)))
        return found

    def _paint_view(self, painter: QPainter) -> None:
        if not len(self._severity):
            return
        top, bottom = self._scale.y_of(self._view[0]), self._scale.y_of(self._view[1])
        least = metrics().em * 0.75
        if bottom - top < least:
            top = min(max(0.0, (top + bottom - least) / 2), self.height() - least)
            bottom = top + least
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        fill = QColor(current().accent)
        fill.setAlpha(28)
        box = QRectF(1.5, top + 1, self.width() - 3, bottom - top - 2)
        draw_box(painter, box, 3, fill, current().accent, 1.6)

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
            self._measured()
            self.heightChosen.emit(self._scale.height_at(position.y()))

    def event(self, event: QEvent) -> bool:
        """Say what is at a pixel."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), tip(self.text_at(event.pos().y())), self)
            return True
        return super().event(event)

    def text_at(self, y: int) -> str:
        """What the tooltip says at a pixel: lines, place, how many differences of which kinds."""
        if not len(self._severity) or not 0 <= y < self.height():
            return ""
        self._measured()
        return text_of(self._scene, self._scale.heights_at(y))


def _shaded(colour: QColor, shade: int) -> QColor:
    share = _LEAST_SHARE + (1 - _LEAST_SHARE) * shade / _STEPS
    return colour if shade >= _STEPS else blend(colour, current().panel, share)


def _runs(states: NDArray[np.uint8], shades: Longs) -> list[tuple[int, int, int, int]]:
    """Stretches of one state and shade, as (first, past the last, state, shade)."""
    if not len(states):
        return []
    changes = (np.diff(states) != 0) | (np.diff(shades) != 0)
    starts = [0, *(np.flatnonzero(changes) + 1).tolist()]
    return [
        (start, end, int(states[start]), int(shades[start]))
        for start, end in zip(starts, [*starts[1:], len(states)], strict=True)
    ]


def text_of(scene: Scene, heights: range) -> str:
    """The lines at some heights, where in the model that is, and what is found there."""
    rows = {side: _rows_at(scene, side, heights) for side in Side}
    words = [" ↔ ".join(_lines(scene, side, rows[side]) for side in Side), _place(scene, rows)]
    words += [
        f"{sign_of(kind)} {kind_name(kind)}" + (f" × {count:,}" if count > 1 else "")
        for kind, count in _kinds(scene, rows).most_common()
    ]
    words += _marks(scene, rows)
    return "\n".join(filter(None, words))


def _rows_at(scene: Scene, side: Side, heights: range) -> list[int]:
    """The rows at some heights; those of a fold are all alike, its first one stands for them."""
    column = scene.aligned.column(side)
    rows = (column.first_row_at(height, side) for height in heights)
    return [row for row in rows if row is not None]


def _lines(scene: Scene, side: Side, rows: list[int]) -> str:
    trace = scene.side(side).trace
    if not rows or trace is None:
        return "–"
    first, last = (trace.line_of(row) for row in (rows[0], rows[-1]))
    return f"{first}" if first == last else f"{first} … {last}"


def _place(scene: Scene, rows: dict[Side, list[int]]) -> str:
    for side in Side:
        trace = scene.side(side).trace
        if trace is not None and rows[side]:
            place = place_of(trace, rows[side][0])
            if place:
                return place
    return ""


def _kinds(scene: Scene, rows: dict[Side, list[int]]) -> Counter[Kind]:
    """How many of the differences shown there are of each kind."""
    comparison = scene.comparison
    if comparison is None:
        return Counter()
    records = {
        index
        for side in Side
        for row in rows[side]
        for index in comparison.side(side).records_at(row)
    }
    shown: Iterable[int] = (index for index in records if not scene.settled[index])
    return Counter(comparison.groups[int(comparison.group_of[index])].kind for index in shown)


def _marks(scene: Scene, rows: dict[Side, list[int]]) -> list[str]:
    translate = QCoreApplication.translate
    marked = {
        f"{PIN_SIGN} " + translate("Overview", "a pin"): "pins",
        "✎ " + translate("Overview", "a note"): "noted",
    }
    found = "⌕ " + translate("Overview", "found by the search")
    hit = any(scene.side(side).hits[rows[side]].any() for side in Side)
    return [
        words
        for words, what in marked.items()
        if any(not getattr(scene.side(side), what).isdisjoint(rows[side]) for side in Side)
    ] + [found] * hit
