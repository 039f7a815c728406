"""The parts of the comparison view put together: they scroll, zoom and change colours as one."""

from __future__ import annotations

from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QWidget

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.ui.look.language import spoken
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import current
from opdiff.ui.panes.columns import ColumnShares, ColumnWishes, wishes_of
from opdiff.ui.panes.link_strip import LinkStrip, least_strip
from opdiff.ui.panes.overview import Overview
from opdiff.ui.panes.pane import TracePane
from opdiff.ui.panes.pane_header import PaneHeader, PathBar, reading_title, trace_title
from opdiff.ui.panes.row_area import RowArea
from opdiff.ui.panes.scene import Scene


class KeptRow(NamedTuple):
    """A row to keep where it is."""

    row: int
    y: int
    current: bool


ViewPlace = tuple[KeptRow | None, ...]
"""A side each: a row in view, and how far below the upper edge it stands."""


class SideBySide(QWidget):
    """Two panes with their headers, the strip between them and the overview beside them.

    Signal: ``overviewUsed()`` when the overview brings something else into view.
    """

    overviewUsed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._scene = Scene()
        self._shares: ColumnShares | None = None
        self._pulled: Side | None = None
        """The side whose scroll bar or wheel the user has just moved."""
        left, right = (TracePane(side, self._scene, self) for side in Side)
        self._panes = (left, right)
        left.beside, right.beside = right, left
        self._headers = tuple(PaneHeader(pane.side, pane.spans, self) for pane in self._panes)
        self._strip = LinkStrip(self._scene, left, right, self)
        self._overview = Overview(self._scene, self)
        self._paths = tuple(PathBar(side, self) for side in Side)
        self._lay_out()
        self._connect_parts()
        self._apply_scroll_bars()
        self._retitle()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        for side, beside in zip(Side, (self._strip, self._overview), strict=True):
            for row, part in enumerate((self._headers[side], self._paths[side], self._panes[side])):
                grid.addWidget(part, row, 2 * side)
            grid.addWidget(beside, 2, 2 * side + 1)
            self._paths[side].hide()
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)
        grid.setRowStretch(2, 1)

    def _connect_parts(self) -> None:
        for pane, header in zip(self._panes, self._headers, strict=True):
            side = pane.side
            pane.crossed.connect(self._panes[side.other].setFocus)
            pane.viewChanged.connect(lambda side=side: self._view_changed(side))
            pane.verticalScrollBar().actionTriggered.connect(lambda _, side=side: self._pull(side))
            header.dragged.connect(lambda boundary, x, side=side: self._drag(side, boundary, x))
            self._paths[side].clicked.connect(lambda side=side: self._go_to_part(side))
        self._overview.heightChosen.connect(self.overviewUsed)
        self._overview.heightChosen.connect(self._go_to_height)
        self._overview.wheeled.connect(self._wheel)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow view the links leave room to the rows."""
        super().resizeEvent(event)
        self._strip.fit(self.width())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Above the links and the overview there is nothing but their borders."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), current().panel)
        for part in (self._strip.geometry(), self._overview.geometry()):
            for x in (part.left(), part.right()):
                painter.fillRect(x, 0, 1, self.height(), current().line)
        painter.end()

    @property
    def leftPane(self) -> TracePane:
        """The left trace."""
        return self._panes[0]

    @property
    def rightPane(self) -> TracePane:
        """The right trace."""
        return self._panes[1]

    def pane(self, side: int) -> TracePane:
        """The trace of one side."""
        return self._panes[side]

    # Looks

    def saveState(self) -> dict[str, Any]:
        """The widths of columns that the user has dragged, to be remembered."""
        shares = self._shares
        return {} if shares is None else {"op": shares.op, "output": shares.output}

    def restoreState(self, state: dict[str, Any]) -> None:
        """Take up what was remembered; what makes no sense is left as it is."""
        try:
            shares = ColumnShares(float(state.get("op", 0)), float(state.get("output", 0)))
        except (TypeError, ValueError):
            return
        self._shares = shares if shares.is_sound else None
        self._set_columns()

    def dress(self) -> None:
        """Wear the present theme and size of text."""
        kept = [_kept(pane) for pane in self._panes]
        parts: tuple[PaneHeader | PathBar | TracePane | Overview, ...]
        parts = (*self._headers, *self._paths, *self._panes, self._overview)
        for part in parts:
            part.dress()
        self._strip.fit(self.width())
        self.update()
        self._keep(kept)

    def resetColumns(self) -> None:
        """Make the columns as wide as their text wants again."""
        self._shares = None
        self._set_columns()

    def _drag(self, side: Side, boundary: int, x: float) -> None:
        self._shares = self.pane(side).spans().dragged(boundary, x)
        self._set_columns()

    def leastWidth(self) -> int:
        """How wide it must be for the types of ops to be seen whole."""
        panes = sum(pane.leastWidth() for pane in self._panes)
        return panes + least_strip() + self._overview.width()

    def _set_columns(self) -> None:
        wishes = ColumnWishes()
        for scene in self._scene.sides:
            if scene.trace is not None:
                wishes = wishes.joined(wishes_of(scene.trace))
        for pane, header in zip(self._panes, self._headers, strict=True):
            pane.setColumns(wishes, self._shares)
            header.update()

    def _repaint(self) -> None:
        for pane in self._panes:
            pane.viewport().update()
        self._strip.update()

    # Scrolling

    def _apply_scroll_bars(self) -> None:
        # Aligned panes scroll as one, by the overview; on their own each needs its bar.
        policy = (
            Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            if self._scene.options.aligned
            else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        )
        for pane in self._panes:
            pane.setVerticalScrollBarPolicy(policy)

    def _say_paths(self) -> None:
        """Say above each pane where its topmost row is; nothing where nobody knows."""
        known = any(scene.names is not None for scene in self._scene.sides)
        for path in self._paths:
            path.setVisible(known)
        for header in self._headers:
            header.setTitleElsewhere(known)
        if known:
            for side in Side:
                self._say_path(side)

    def _say_path(self, side: Side) -> None:
        names, row = self._scene.side(side).names, self._top_row(side)
        place = None if names is None or row is None else names.of_row(row)
        self._paths[side].setText("" if place is None else spoken(place))

    def _top_row(self, side: Side) -> int | None:
        """The topmost row in view, also one that is folded away."""
        first, last = self.pane(side).visible_heights()
        column, heights = self.pane(side).column, range(first, last + 1)
        rows = (column.first_row_at(height, side) for height in heights)
        return next((row for row in rows if row is not None), None)

    def _go_to_part(self, side: Side) -> None:
        """Go to where the part that the path names begins."""
        names, row = self._scene.side(side).names, self._top_row(side)
        if names is not None and row is not None:
            part = int(names.structure.of_row[row])
            first = int(names.structure.first[part])
            pane = self.pane(side)
            if pane.column.shows(first):
                pane.select([first])
                pane.place(pane.column.height_of(first), 0)

    def _view_changed(self, side: Side) -> None:
        if self._scene.options.aligned:
            value = self.pane(side).verticalScrollBar().value()
            self.pane(side.other).verticalScrollBar().setValue(value)
        elif self._pulled is side:
            self._pulled = None
            self._bring_along(side)
        self._strip.update()
        self._update_overview_box()
        if self._scene.side(side).names is not None:
            self._say_path(side)

    def _pull(self, side: Side) -> None:
        """The user scrolls a side: Qt says so before the bar has its new value, if it gets one."""
        bar = self.pane(side).verticalScrollBar()
        self._pulled = side if bar.sliderPosition() != bar.value() else None

    def _bring_along(self, side: Side) -> None:
        """Keep the counterpart of what is in the middle of a side in view on the other side."""
        pane, other = self.pane(side), self.pane(side.other)
        found = self._middle_pair(side) if self._scene.options.following else None
        if found is None:
            return
        row, partner = found
        height = other.column.height_of(partner)
        if not 0 <= other.y_of(height) <= other.viewport().height() - other.row_height:
            other.place(height, pane.y_of(pane.column.height_of(row)))

    def _middle_pair(self, side: Side) -> tuple[int, int] | None:
        """The row nearest the middle of a side that has a counterpart, and that."""
        pane = self.pane(side)
        first, last = pane.visible_heights()
        middle = (first + last) // 2
        for height in sorted(range(first, last + 1), key=lambda height: abs(height - middle)):
            row = pane.column.row_at(height)
            partner = None if row is None else self._scene.side(side).partner_of(row)
            if row is not None and partner is not None:
                return row, partner
        return None

    def _update_overview_box(self) -> None:
        pane, aligned = self.leftPane, self._scene.aligned
        first, last = pane.visible_heights()
        if aligned is not self._scene.layout:
            heights = range(first, last + 1)
            rows = [row for row in map(pane.column.row_at, heights) if row is not None]
            if not rows:
                return
            first, last = aligned.left.height_of(rows[0]), aligned.left.height_of(rows[-1])
        self._overview.setView(first, last + 1)

    def _go_to_height(self, height: int) -> None:
        """Bring a height of the aligned layout to the middle of both panes."""
        aligned, shown = self._scene.aligned, self._scene.layout
        if aligned is shown:
            self.leftPane.centre(height)
            return
        for side in Side:
            row = aligned.column(side).row_at(height)
            if row is not None:
                self.pane(side).centre(shown.column(side).height_of(row))

    def _wheel(self, event: QWheelEvent) -> None:
        QApplication.sendEvent(self.leftPane.verticalScrollBar(), event)

    def viewPlace(self) -> ViewPlace:
        """What is in view, to come back to."""
        return tuple(_topmost(pane, *pane.visible_heights()) for pane in self._panes)

    def restoreView(self, place: ViewPlace) -> None:
        """Bring into view what was there."""
        self._keep(list(place))

    # Laying out anew

    def _rebuild(self) -> None:
        """Work out the layout anew, keeping what the user looks at where it is."""
        kept = [_kept(pane) for pane in self._panes]
        self._scene.rebuild()
        for pane in self._panes:
            pane.refresh()
        self._keep(kept)
        self._overview.refresh()
        self._update_overview_box()
        self._strip.update()
        self._say_paths()

    def _keep(self, kept: list[KeptRow | None]) -> None:
        """Bring back to where it was what was to be kept; aligned, one row says it for both."""
        found = [
            (pane, keep)
            for pane, keep in zip(self._panes, kept, strict=True)
            if keep is not None and keep.row < len(pane.side_scene)
        ]
        if self._scene.options.aligned:
            # An op that stands on one side only is looked at there.
            found = sorted(found, key=lambda each: not each[1].current)[:1]
        for pane, keep in found:
            pane.place(pane.column.height_of(keep.row), keep.y)

    # Language and titles

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language and the theme of the application."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            for pane in self._panes:
                pane.retranslate()
            self._retitle()
            self._say_paths()
        elif event.type() == QEvent.Type.PaletteChange:
            self.dress()

    def setReading(self, side: int, name: str, permille: int | None) -> None:
        """Say of a side that a file is being read, and how far; None: no more."""
        self.pane(side).setReading(name, permille)
        self._retitle()

    def setTrouble(self, side: int, error: OpdiffError | None) -> None:
        """Say of a side that its file cannot be read."""
        self.pane(side).setTrouble(error)

    def _retitle(self) -> None:
        for side, header in zip(Side, self._headers, strict=True):
            trace, reading = self._scene.side(side).trace, self._panes[side].reading
            header.setToolTip("" if trace is None else tip(trace.source.path))
            if reading is not None:
                title = reading_title(*reading)
            else:
                title = "" if trace is None else trace_title(trace)
            header.setTitle(title)
            self._paths[side].setTitle(title)


def _kept(pane: TracePane) -> KeptRow | None:
    """The row to keep where it is: the current one (or the anchor) if in view, else the topmost."""
    first, last = pane.visible_heights()
    held = pane.held_row(pane.viewport().height())
    if held is not None:
        return KeptRow(held, pane.y_of(pane.column.height_of(held)), held == pane.cursor_row())
    return _topmost(pane, first, last)


def _topmost(pane: RowArea, first: int, last: int) -> KeptRow | None:
    for height in range(first, last + 1):
        row = pane.column.row_at(height)
        if row is not None:
            return KeptRow(row, pane.y_of(height), current=False)
    return None
