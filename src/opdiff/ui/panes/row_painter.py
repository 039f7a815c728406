"""How a row looks in each state, and the painting of those in view, column by column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from opdiff.compare import Kind, Side, State, kind_of
from opdiff.report.flags import ERROR, WARNING, worst
from opdiff.report.flags import SIGN as FLAG_SIGN
from opdiff.trace import Trace
from opdiff.ui.look.theme import (
    ANCHOR_SIGN,
    NOTE_SIGN,
    PIN_SIGN,
    SWALLOWED_SIGN,
    Theme,
    current,
    sign_of,
)
from opdiff.ui.panes.alignment import GAP
from opdiff.ui.panes.columns import ColumnSpans, Extent
from opdiff.ui.panes.glyphs import Glyphs
from opdiff.ui.panes.layout import Column, fold_index
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.panes.scene import SideScene
from opdiff.ui.panes.texts import origin_text, output_text
from opdiff.ui.values.error_column import ErrorColumn

NOISE_SIGN = "·"
_FLAG_KINDS = {ERROR: Kind.CPU_FALLBACK, WARNING: Kind.OP_TYPE}
"""Kinds whose ink stands for a verdict; the sign is the same, the words are in the tooltip."""


@dataclass(frozen=True, slots=True)
class RowLook:
    """The colours and the sign of a row."""

    text: QColor
    dim: QColor
    line: QColor
    sign: str = ""
    ink: QColor | None = None
    tint: QColor | None = None
    edge: QColor | None = None
    bold: bool = False


class RowLooks:
    """The looks of one theme."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._known: dict[tuple[int, bool, bool, bool, bool], RowLook] = {}

    def of(self, scene: SideScene, row: int, swallowed_shown: bool) -> RowLook:
        """How a row of a side looks."""
        key = (
            int(scene.state[row]),
            bool(scene.greyed[row]),
            row == scene.anchor,
            row in scene.pins,
            swallowed_shown,
        )
        look = self._known.get(key)
        if look is None:
            look = self._known[key] = self._make(*key)
        return look

    def _make(
        self, state: int, greyed: bool, anchor: bool, pinned: bool, swallowed_shown: bool
    ) -> RowLook:
        theme, kind = self.theme, kind_of(state)
        if anchor:
            edge = theme.accent if kind is None or greyed else theme.full(kind)
            return RowLook(
                theme.text,
                theme.dim,
                theme.dim,
                ANCHOR_SIGN,
                theme.accent,
                theme.anchor_tint,
                edge,
                True,
            )
        line = theme.accent if pinned else theme.dim
        if kind is not None:
            return self._different(kind, greyed, line)
        if pinned:
            return RowLook(
                theme.text, theme.dim, line, PIN_SIGN, theme.accent, edge=theme.accent, bold=True
            )
        if state == State.OUTSIDE:
            return RowLook(theme.outside, theme.outside, theme.outside)
        if state == State.NOISE:
            return RowLook(theme.outside, theme.outside, theme.outside, NOISE_SIGN, theme.outside)
        if state == State.SWALLOWED and swallowed_shown:
            return RowLook(theme.dim, theme.dim, line, SWALLOWED_SIGN, theme.dim, edge=theme.line)
        return RowLook(theme.text, theme.dim, line)

    def _different(self, kind: Kind, greyed: bool, line: QColor) -> RowLook:
        theme, sign = self.theme, sign_of(kind)
        if greyed:
            return RowLook(theme.dim, theme.outside, line, sign, theme.outside, edge=theme.line)
        return RowLook(
            theme.text,
            theme.dim,
            line,
            sign,
            theme.ink(kind),
            theme.tint(kind),
            theme.full(kind),
            True,
        )


@dataclass(frozen=True, slots=True)
class Viewport:
    """What the painter is asked to paint: heights *first* to *last*, the first at *top*."""

    column: Column
    first: int
    last: int
    top: int
    width: int
    spans: ColumnSpans


@dataclass(frozen=True, slots=True)
class Touch:
    """What the user points at: heights under the mouse and of the cursor, and who is selected."""

    hovered: int | None
    cursor: int | None
    focused: bool
    selected: Callable[[int], bool]


def fold_words(text: str, metrics: QFontMetricsF, room: float) -> str:
    """What is said of a fold; where its words are cut, the sign that it opens is still there."""
    if metrics.horizontalAdvance(text) <= room:
        return text
    words, _, sign = text.rpartition("  ")
    end = f" {sign}"
    room -= metrics.horizontalAdvance(end)
    return metrics.elidedText(words, Qt.TextElideMode.ElideRight, room) + end


Drawn = tuple[int, int, RowLook]
"""A row, its y and its look."""


class RowPainter:
    """Paints rows, folds and gaps of one side."""

    def __init__(self, side: Side) -> None:
        """It paints in the theme and the size of text that there are now."""
        self._side = side
        self._theme, self._metrics = current(), metrics()
        self._looks = RowLooks(self._theme)
        self._code = Glyphs(self._metrics.code)
        self._small = Glyphs(self._metrics.small)
        # What tells StridedSlice from StridedSliceGrad is at its end.
        self._medium = Glyphs(self._metrics.medium, Qt.TextElideMode.ElideMiddle)
        self._bold = Glyphs(self._metrics.bold, Qt.TextElideMode.ElideMiddle)
        self._errors = ErrorColumn()

    def paint(
        self,
        painter: QPainter,
        scene: SideScene,
        place: Viewport,
        touch: Touch,
        fold_text: Callable[[int], str],
        swallowed_shown: bool,
    ) -> None:
        """Paint everything in view."""
        rows: list[Drawn] = []
        folds: list[tuple[int, int]] = []
        gaps: list[int] = []
        y, step = place.top, self._metrics.row
        for cell in place.column.cells[place.first : place.last + 1].tolist():
            if cell >= 0:
                rows.append((cell, y, self._looks.of(scene, cell, swallowed_shown)))
            elif (index := fold_index(cell)) is not None:
                folds.append((index, y))
            elif cell == GAP:
                gaps.append(y)
            y += step
        self._paint_gaps(painter, gaps, place)
        self._paint_backgrounds(painter, rows, folds, place)
        self._paint_touch(painter, place, touch)
        self._paint_folds(painter, folds, place, fold_text)
        self._paint_cells(painter, scene, rows, place.spans)
        if scene.errors is not None and scene.floors is not None:
            places = [(row, y) for row, y, _ in rows]
            self._errors.paint(painter, places, scene.errors, scene.floors, place.spans.error)
        self._paint_edges(painter, rows, place)
        self._paint_ring(painter, place, touch)

    def _paint_gaps(self, painter: QPainter, gaps: list[int], place: Viewport) -> None:
        if not gaps:
            return
        step, spacing = self._metrics.row, max(5, round(self._metrics.em * 0.5))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(QPen(self._theme.hatch, 1.0))
        # Lines hang on the content, not on the window: they must not crawl while scrolling.
        origin = place.top - place.first * step
        for top in gaps:
            painter.setClipRect(QRect(0, top, place.width, step))
            start = -((top + step - origin) % spacing) - (step // spacing + 1) * spacing
            painter.drawLines(
                [
                    QLineF(x, top + step, x + step, top)
                    for x in range(start, place.width + spacing, spacing)
                ]
            )
        painter.setClipping(False)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_backgrounds(
        self, painter: QPainter, rows: list[Drawn], folds: list[tuple[int, int]], place: Viewport
    ) -> None:
        step, width = self._metrics.row, place.width
        for _, y in folds:
            painter.fillRect(0, y, width, step, self._theme.fold)
        for _, y, look in rows:
            if look.tint is not None:
                painter.fillRect(0, y, width, step, look.tint)

    def _paint_touch(self, painter: QPainter, place: Viewport, touch: Touch) -> None:
        step, width = self._metrics.row, place.width
        over = self._theme.row_selection
        pale = QColor(over)
        pale.setAlpha(over.alpha() // 2)
        cells = place.column.cells
        for height in range(place.first, place.last + 1):
            cell = int(cells[height])
            y = place.top + (height - place.first) * step
            if (cell >= 0 and touch.selected(cell)) or height == touch.cursor:
                painter.fillRect(0, y, width, step, over)
            elif height == touch.hovered:
                painter.fillRect(0, y, width, step, pale)

    def _paint_folds(
        self,
        painter: QPainter,
        folds: list[tuple[int, int]],
        place: Viewport,
        fold_text: Callable[[int], str],
    ) -> None:
        if not folds:
            return
        x = place.spans.op[0]
        font = self._metrics.fold
        metrics = QFontMetricsF(font)
        # Its dashes come from another, taller font: place the baseline, not the box.
        baseline = (self._metrics.row + metrics.ascent() - metrics.descent()) / 2
        painter.setFont(font)
        painter.setPen(self._theme.dim)
        room = place.width - x - self._metrics.pad
        for index, y in folds:
            painter.drawText(QPointF(x, y + baseline), fold_words(fold_text(index), metrics, room))

    def _paint_cells(
        self, painter: QPainter, scene: SideScene, rows: list[Drawn], spans: ColumnSpans
    ) -> None:
        trace = scene.trace
        if trace is None:
            return
        self._paint_hits(painter, scene, rows, spans.line)
        if scene.noted:
            marks = [(NOTE_SIGN, y, self._theme.accent) for row, y, _ in rows if row in scene.noted]
            taken = self._metrics.em * 1.2 if scene.flags else 0.0
            free = (spans.op[0], spans.op[1] - taken)
            self._column(painter, self._bold, marks, self._inset(free), align=1.0)
        lines = trace.columns.line
        self._column(
            painter,
            self._code,
            [(str(lines[row]), y, look.line) for row, y, look in rows],
            (spans.line[0] - self._metrics.pad, spans.line[1] + self._metrics.pad),
            align=1.0,
        )
        self._column(
            painter,
            self._bold,
            [(look.sign, y, look.ink) for _, y, look in rows if look.ink is not None],
            spans.sign,
            align=0.5,
        )
        self._paint_texts(painter, trace, rows, spans)
        self._paint_flags(painter, scene, rows, spans.op)

    def _paint_flags(
        self, painter: QPainter, scene: SideScene, rows: list[Drawn], span: Extent
    ) -> None:
        """What another tool flagged, at the end of the op's name."""
        if not scene.flags:
            return
        inks = {verdict: self._theme.ink(kind) for verdict, kind in _FLAG_KINDS.items()}
        some = [
            (FLAG_SIGN, y, inks.get(worst(scene.flags[row]), self._theme.dim))
            for row, y, _ in rows
            if row in scene.flags
        ]
        width = self._metrics.em * 1.2
        self._column(painter, self._bold, some, (span[0] + span[1] - width, width), align=0.5)

    def _paint_texts(
        self, painter: QPainter, trace: Trace, rows: list[Drawn], spans: ColumnSpans
    ) -> None:
        """Type, output and origin: a long type takes of the others' room, and is not cut."""
        start, end = spans.op[0], spans.origin[0] + spans.origin[1]
        ends: list[float] = []
        for row, y, look in rows:
            glyphs = self._bold if look.bold else self._medium
            cell, span = (trace.type_name(row), y, look.text), self._inset((start, end - start))
            self._column(painter, glyphs, [cell], span)
            width = glyphs.laid_out(cell[0], span[1])[1]
            ends.append(start + width + self._metrics.em * 0.5)
        outputs = [(output_text(trace, r, short=spans.short), y, look.text) for r, y, look in rows]
        origins = [(origin_text(trace, row), y, look.dim) for row, y, look in rows]
        self._beside(painter, self._code, outputs, spans.output, ends)
        self._beside(painter, self._small, origins, spans.origin, ends)

    def _beside(
        self,
        painter: QPainter,
        glyphs: Glyphs,
        cells: list[tuple[str, int, QColor]],
        span: Extent,
        taken: list[float],
    ) -> None:
        """A column whose cells begin further right where something to their left is longer."""
        end = span[0] + span[1]
        for cell, least in zip(cells, taken, strict=True):
            start = max(span[0], least)
            self._column(painter, glyphs, [cell], self._inset((start, end - start)))

    def _paint_hits(
        self, painter: QPainter, scene: SideScene, rows: list[Drawn], span: Extent
    ) -> None:
        if not scene.hits.any():
            return
        colour = QColor(self._theme.accent)
        colour.setAlpha(60)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        margin, step = self._metrics.em * 0.25, self._metrics.row
        for row, y, _ in rows:
            if scene.hits[row]:
                box = QRectF(span[0] - margin, y + margin, span[1] + 2 * margin, step - 2 * margin)
                painter.drawRoundedRect(box, margin, margin)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _inset(self, span: Extent) -> Extent:
        return span[0], span[1] - self._metrics.em * 0.35

    def _column(
        self,
        painter: QPainter,
        glyphs: Glyphs,
        cells: list[tuple[str, int, QColor]],
        span: Extent,
        align: float = 0.0,
    ) -> None:
        if span[1] <= 0:
            return
        pen: QColor | None = None
        painter.setFont(glyphs.font)
        step = self._metrics.row
        for text, y, colour in cells:
            if not text:
                continue
            if colour is not pen:
                painter.setPen(colour)
                pen = colour
            static, width, height = glyphs.laid_out(text, span[1])
            x = span[0] + (span[1] - width) * align
            painter.drawStaticText(QPointF(x, y + (step - height) / 2), static)

    def _paint_edges(self, painter: QPainter, rows: list[Drawn], place: Viewport) -> None:
        width = self._metrics.edge
        x = 0 if self._side is Side.LEFT else place.width - width
        for _, y, look in rows:
            if look.edge is not None:
                painter.fillRect(x, y, width, self._metrics.row, look.edge)

    def _paint_ring(self, painter: QPainter, place: Viewport, touch: Touch) -> None:
        if touch.cursor is None or not place.first <= touch.cursor <= place.last:
            return
        if not touch.focused:
            return
        step = self._metrics.row
        y = place.top + (touch.cursor - place.first) * step
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(QPen(self._theme.accent, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(1, y + 1, place.width - 2, step - 2), 3, 3)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
