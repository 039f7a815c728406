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
    draw_box,
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
        text, dim, outside, accent = theme.text, theme.dim, theme.outside, theme.accent
        full = None if kind is None else theme.full(kind)
        if anchor:
            edge = accent if full is None or greyed else full
            return RowLook(text, dim, dim, ANCHOR_SIGN, accent, theme.anchor_tint, edge, bold=True)
        line = accent if pinned else dim
        if kind is not None and greyed:
            return RowLook(dim, outside, line, sign_of(kind), outside, edge=theme.line)
        if kind is not None:
            ink, tint = theme.ink(kind), theme.tint(kind)
            return RowLook(text, dim, line, sign_of(kind), ink, tint, full, bold=True)
        if pinned:
            return RowLook(text, dim, line, PIN_SIGN, accent, edge=accent, bold=True)
        if state == State.OUTSIDE:
            return RowLook(outside, outside, outside)
        if state == State.NOISE:
            return RowLook(outside, outside, outside, NOISE_SIGN, outside)
        if state == State.SWALLOWED and swallowed_shown:
            return RowLook(dim, dim, line, SWALLOWED_SIGN, dim, edge=theme.line)
        return RowLook(text, dim, line)


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
TextCell = tuple[str, int, QColor]
"""A text of a column, its y and its colour."""


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
        self._painter, self._scene, self._place, self._touch = painter, scene, place, touch
        self._rows: list[Drawn] = []
        folds: list[tuple[int, int]] = []
        gaps: list[int] = []
        y, step = place.top, self._metrics.row
        for cell in place.column.cells[place.first : place.last + 1].tolist():
            if cell >= 0:
                self._rows.append((cell, y, self._looks.of(scene, cell, swallowed_shown)))
            elif (index := fold_index(cell)) is not None:
                folds.append((index, y))
            elif cell == GAP:
                gaps.append(y)
            y += step
        self._paint_gaps(gaps)
        self._paint_backgrounds(folds)
        self._paint_touch()
        self._paint_folds(folds, fold_text)
        self._paint_cells()
        if scene.errors is not None and scene.floors is not None:
            places = [(row, y) for row, y, _ in self._rows]
            self._errors.paint(painter, places, scene.errors, scene.floors, place.spans.error)
        self._paint_edges()
        self._paint_ring()

    def _paint_gaps(self, gaps: list[int]) -> None:
        if not gaps:
            return
        painter, place = self._painter, self._place
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

    def _paint_backgrounds(self, folds: list[tuple[int, int]]) -> None:
        step, width = self._metrics.row, self._place.width
        for _, y in folds:
            self._painter.fillRect(0, y, width, step, self._theme.fold)
        for _, y, look in self._rows:
            if look.tint is not None:
                self._painter.fillRect(0, y, width, step, look.tint)

    def _paint_touch(self) -> None:
        painter, place, touch = self._painter, self._place, self._touch
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

    def _paint_folds(self, folds: list[tuple[int, int]], fold_text: Callable[[int], str]) -> None:
        if not folds:
            return
        painter, x = self._painter, self._place.spans.op[0]
        font = self._metrics.fold
        metrics = QFontMetricsF(font)
        # Its dashes come from another, taller font: place the baseline, not the box.
        baseline = (self._metrics.row + metrics.ascent() - metrics.descent()) / 2
        painter.setFont(font)
        painter.setPen(self._theme.dim)
        room = self._place.width - x - self._metrics.pad
        for index, y in folds:
            painter.drawText(QPointF(x, y + baseline), fold_words(fold_text(index), metrics, room))

    def _paint_cells(self) -> None:
        scene, spans = self._scene, self._place.spans
        trace = scene.trace
        if trace is None:
            return
        self._paint_hits(spans.line)
        if scene.noted:
            accent = self._theme.accent
            marks = [(NOTE_SIGN, y, accent) for row, y, _ in self._rows if row in scene.noted]
            taken = self._metrics.em * 1.2 if scene.flags else 0.0
            free = (spans.op[0], spans.op[1] - taken)
            self._column(self._bold, marks, self._inset(free), align=1.0)
        lines, pad = trace.columns.line, self._metrics.pad
        numbers = [(str(lines[row]), y, look.line) for row, y, look in self._rows]
        self._column(self._code, numbers, (spans.line[0] - pad, spans.line[1] + pad), align=1.0)
        signs = [(look.sign, y, look.ink) for _, y, look in self._rows if look.ink is not None]
        self._column(self._bold, signs, spans.sign, align=0.5)
        self._paint_texts(trace, spans)
        self._paint_flags(spans.op)

    def _paint_flags(self, span: Extent) -> None:
        """What another tool flagged, at the end of the op's name."""
        flags = self._scene.flags
        if not flags:
            return
        inks = {verdict: self._theme.ink(kind) for verdict, kind in _FLAG_KINDS.items()}
        some = [
            (FLAG_SIGN, y, inks.get(worst(flags[row]), self._theme.dim))
            for row, y, _ in self._rows
            if row in flags
        ]
        width = self._metrics.em * 1.2
        self._column(self._bold, some, (span[0] + span[1] - width, width), align=0.5)

    def _paint_texts(self, trace: Trace, spans: ColumnSpans) -> None:
        """Type, output and origin: a long type takes of the others' room, and is not cut."""
        start, end = spans.op[0], spans.origin[0] + spans.origin[1]
        ends: list[float] = []
        for row, y, look in self._rows:
            glyphs = self._bold if look.bold else self._medium
            cell, span = (trace.type_name(row), y, look.text), self._inset((start, end - start))
            self._column(glyphs, [cell], span)
            width = glyphs.laid_out(cell[0], span[1])[1]
            ends.append(start + width + self._metrics.em * 0.5)
        short, rows = spans.short, self._rows
        outputs = [(output_text(trace, row, short=short), y, look.text) for row, y, look in rows]
        origins = [(origin_text(trace, row), y, look.dim) for row, y, look in rows]
        self._beside(self._code, outputs, spans.output, ends)
        self._beside(self._small, origins, spans.origin, ends)

    def _beside(
        self, glyphs: Glyphs, cells: list[TextCell], span: Extent, taken: list[float]
    ) -> None:
        """A column whose cells begin further right where something to their left is longer."""
        end = span[0] + span[1]
        for cell, least in zip(cells, taken, strict=True):
            start = max(span[0], least)
            self._column(glyphs, [cell], self._inset((start, end - start)))

    def _paint_hits(self, span: Extent) -> None:
        hits, painter = self._scene.hits, self._painter
        if not hits.any():
            return
        colour = QColor(self._theme.accent)
        colour.setAlpha(60)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        margin, step = self._metrics.em * 0.25, self._metrics.row
        for row, y, _ in self._rows:
            if hits[row]:
                box = QRectF(span[0] - margin, y + margin, span[1] + 2 * margin, step - 2 * margin)
                draw_box(painter, box, margin, colour)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _inset(self, span: Extent) -> Extent:
        return span[0], span[1] - self._metrics.em * 0.35

    def _column(
        self, glyphs: Glyphs, cells: list[TextCell], span: Extent, align: float = 0.0
    ) -> None:
        if span[1] <= 0:
            return
        painter = self._painter
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

    def _paint_edges(self) -> None:
        width = self._metrics.edge
        x = 0 if self._side is Side.LEFT else self._place.width - width
        for _, y, look in self._rows:
            if look.edge is not None:
                self._painter.fillRect(x, y, width, self._metrics.row, look.edge)

    def _paint_ring(self) -> None:
        painter, place, touch = self._painter, self._place, self._touch
        if touch.cursor is None or not place.first <= touch.cursor <= place.last:
            return
        if not touch.focused:
            return
        step = self._metrics.row
        y = place.top + (touch.cursor - place.first) * step
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        box = QRectF(1, y + 1, place.width - 2, step - 2)
        draw_box(painter, box, 3, edge=self._theme.accent, width=1.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
