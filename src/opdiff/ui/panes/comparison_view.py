"""Two traces side by side, the links between them and the overview."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QWidget

from opdiff.compare import Comparison, Side
from opdiff.trace import Trace
from opdiff.trace.columns import EAGER, GRAPH
from opdiff.ui import theme as themes
from opdiff.ui.panes.columns import ColumnShares
from opdiff.ui.panes.corner import Corner
from opdiff.ui.panes.link_strip import LinkStrip
from opdiff.ui.panes.links import counterparts
from opdiff.ui.panes.metrics import LARGEST, SMALLEST, metrics_at
from opdiff.ui.panes.overview import Overview
from opdiff.ui.panes.pane import TracePane
from opdiff.ui.panes.pane_header import PaneHeader
from opdiff.ui.panes.scene import Scene

_LINKS_PAUSE = 120
"""Milliseconds between two looks at links that keep coming in."""


class ComparisonView(QWidget):
    """Left pane, link strip, right pane, overview.

    Signals: ``rowSelected(side, row)`` whenever another row becomes current, by the user or by
    :meth:`selectRow`; ``rowActivated``, ``anchorRequested`` and ``contextMenuRequested(side, row,
    position)`` when the user asks for it; ``filesDropped(paths)``.
    """

    rowSelected = Signal(int, int)
    rowActivated = Signal(int, int)
    anchorRequested = Signal(int, int)
    contextMenuRequested = Signal(int, int, QPoint)
    filesDropped = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comparisonView")
        self._scene = Scene()
        self._theme = themes.current()
        self._zoom = 0
        self._shares = ColumnShares()
        self._titles: dict[Side, str] = {}
        metrics = metrics_at(self._zoom)
        self._panes = tuple(
            TracePane(side, self._scene, self._theme, metrics, self) for side in Side
        )
        left, right = self._panes
        self._headers = tuple(
            PaneHeader(pane.side, pane.spans, self._theme, metrics, self) for pane in self._panes
        )
        self._strip = LinkStrip(self._scene, left, right, self._theme, metrics, self)
        self._overview = Overview(self._scene, self._theme, metrics, self)
        self._corners = (Corner(self._theme, self), Corner(self._theme, self))
        self._late_links = QTimer(self, singleShot=True, interval=_LINKS_PAUSE)
        self._late_links.timeout.connect(self._rebuild)
        self.setAcceptDrops(True)
        self._lay_out()
        self._connect()
        self._apply_scroll_bars()
        self._retitle()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(0)
        top = (self._headers[0], self._corners[0], self._headers[1], self._corners[1])
        below = (self._panes[0], self._strip, self._panes[1], self._overview)
        for place, (head, body) in enumerate(zip(top, below, strict=True)):
            grid.addWidget(head, 0, place)
            grid.addWidget(body, 1, place)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(2, 1)
        grid.setRowStretch(1, 1)

    def _connect(self) -> None:
        for pane, header in zip(self._panes, self._headers, strict=True):
            side, other = pane.side, self._panes[pane.side.other]
            pane.cursorMoved.connect(lambda row, side=side: self._follow(side, row))
            pane.rowActivated.connect(lambda row, side=side: self.rowActivated.emit(side, row))
            pane.anchorRequested.connect(
                lambda row, side=side: self.anchorRequested.emit(side, row)
            )
            pane.contextMenuRequested.connect(
                lambda row, at, side=side: self.contextMenuRequested.emit(side, row, at)
            )
            pane.foldToggled.connect(lambda row, open_, side=side: self._toggle(side, row, open_))
            pane.crossed.connect(other.setFocus)
            pane.viewChanged.connect(lambda side=side: self._view_changed(side))
            header.dragged.connect(lambda boundary, x, side=side: self._drag(side, boundary, x))
        self._overview.heightChosen.connect(self._go_to_height)
        self._overview.wheeled.connect(self._wheel)

    # What is shown

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

    def currentPair(self) -> tuple[int | None, int | None]:
        """The current row of each side."""
        return self.leftPane.currentRow(), self.rightPane.currentRow()

    def setTrace(self, side: int, trace: Trace | None) -> None:
        """Show a trace; what was compared before is forgotten."""
        self._scene.set_trace(Side(side), trace)
        self._titles.pop(Side(side), None)
        for pane in self._panes:
            pane.resetSelection()
        self._retitle()
        self._rebuild()
        self.pane(side).verticalScrollBar().setValue(0)

    def setTitle(self, side: int, title: str) -> None:
        """What the header calls a trace, in place of what its ops say."""
        self._titles[Side(side)] = title
        self._retitle()

    def setComparison(self, comparison: Comparison | None) -> None:
        """Show the outcome of a comparison of the two traces, or none."""
        self._late_links.stop()
        self._scene.set_comparison(comparison)
        self._rebuild()

    def addLinks(self, left_rows: ArrayLike, right_rows: ArrayLike) -> None:
        """Show pairs that are known already while the comparison is still running."""
        self._scene.add_links(np.asarray(left_rows, np.int32), np.asarray(right_rows, np.int32))
        self._strip.update()
        if not self._late_links.isActive():
            self._late_links.start()

    def setAnchors(self, left_row: int | None, right_row: int | None) -> None:
        """Mark the anchors."""
        self._scene.side(Side.LEFT).anchor = left_row
        self._scene.side(Side.RIGHT).anchor = right_row
        self._rebuild()

    def setPins(self, pins: Iterable[tuple[int, int]]) -> None:
        """Mark pairs of (left row, right row) that the user has decreed."""
        self._scene.set_pins(pins)
        self._rebuild()

    def setSearchHits(self, side: int, rows: Iterable[int]) -> None:
        """Mark what a search has found."""
        self._scene.side(Side(side)).hits = frozenset(int(row) for row in rows)
        self.pane(side).viewport().update()

    def setGreyed(self, indices: Iterable[int]) -> None:
        """Paint these divergences as settled."""
        self._scene.set_greyed(indices)
        self._overview.refresh()
        self._repaint()

    # Options

    def setFolded(self, folded: bool) -> None:
        """Fold equal stretches, or show every row."""
        self._scene.options.folded = folded
        self._rebuild()

    def setNoiseHidden(self, hidden: bool) -> None:
        """Hide what is there for bookkeeping only."""
        self._scene.options.noise_hidden = hidden
        self._rebuild()

    def setAligned(self, aligned: bool) -> None:
        """Counterparts at the same height, or each side scrolling on its own."""
        self._scene.options.aligned = aligned
        self._apply_scroll_bars()
        self._rebuild()

    def setSwallowedShown(self, shown: bool) -> None:
        """Show what a rule made vanish."""
        self._scene.options.swallowed_shown = shown
        self._rebuild()

    def zoom(self, step: int) -> None:
        """Larger (1), smaller (-1), or as it was (0)."""
        wanted = 0 if step == 0 else min(max(self._zoom + step, SMALLEST), LARGEST)
        if wanted != self._zoom:
            self._zoom = wanted
            self._look()

    def setTheme(self, theme: themes.Theme) -> None:
        """Paint in other colours."""
        if theme is not self._theme:
            self._theme = theme
            self._look()

    def saveState(self) -> dict[str, Any]:
        """Column widths and zoom, to be remembered."""
        return {"op": self._shares.op, "output": self._shares.output, "zoom": self._zoom}

    def restoreState(self, state: dict[str, Any]) -> None:
        """Take up what was remembered; what makes no sense is left as it is."""
        try:
            shares = ColumnShares(float(state["op"]), float(state["output"]))
            zoom = int(state["zoom"])
        except (KeyError, TypeError, ValueError):
            return
        if shares.op > 0 and shares.output > 0 and shares.op + shares.output <= 1:
            self._set_shares(shares)
        self._zoom = min(max(zoom, SMALLEST), LARGEST)
        self._look()

    # Going places

    def selectRow(self, side: int, row: int) -> None:
        """Make a row current, and its counterpart on the other side."""
        pane = self.pane(side)
        self._unfold(Side(side), row)
        pane.select([row])
        pane.reveal(pane.column.height_of(row))

    def showDivergence(self, index: int) -> None:
        """Select all rows of a divergence and bring them into view."""
        comparison = self._scene.comparison
        if comparison is None:
            return
        divergence = comparison.divergences[index]
        side = Side.LEFT if divergence.left_rows else Side.RIGHT
        for each in Side:
            rows = divergence.rows(each)
            if rows:
                self._unfold(each, rows[0])
        rows = divergence.rows(side)
        pane = self.pane(side)
        pane.select(list(rows))
        pane.reveal(pane.column.height_of(rows[0]))
        others = divergence.rows(side.other)
        if len(rows) > 1 or len(others) > 1:
            self._select_other(side, list(others))

    def _unfold(self, side: Side, row: int) -> None:
        column = self._scene.layout.column(side)
        if column.fold_at(column.height_of(row)) is not None:
            self._toggle(side, row, True)

    def _toggle(self, side: Side, row: int, opened: bool) -> None:
        """Open or close the folded stretch around a row."""
        for found in self._scene.layout.column(side).folds:
            span = found.span(side)
            if span is not None and span[0] <= row <= span[1]:
                self._scene.open_fold(found.left, found.right, opened)
                self._rebuild()
                return

    def _follow(self, side: Side, row: int) -> None:
        """Select the counterpart of what was selected, and tell everyone."""
        if row < 0:
            self._select_other(side, [])
            return
        self._select_other(side, counterparts(self._scene, side, row))
        if self.pane(side).currentRow() is not None:
            self.rowSelected.emit(int(side), row)

    def _select_other(self, side: Side, rows: Sequence[int]) -> None:
        other = self.pane(side.other)
        other.select(list(rows), announce=False)
        if rows and not self._scene.options.aligned:
            other.reveal(other.column.height_of(rows[0]))
        self._strip.update()

    def _go_to_height(self, height: int) -> None:
        """Bring a height of the aligned layout to the middle of both panes."""
        aligned, shown = self._scene.aligned, self._scene.layout
        if aligned is shown:
            self.leftPane.centre(height)
            return
        for side in Side:
            column = aligned.column(side)
            row = column.row_at(height)
            if row is not None:
                self.pane(side).centre(shown.column(side).height_of(row))

    def _wheel(self, event: QWheelEvent) -> None:
        QApplication.sendEvent(self.leftPane.verticalScrollBar(), event)

    def _view_changed(self, side: Side) -> None:
        if self._scene.options.aligned:
            value = self.pane(side).verticalScrollBar().value()
            self.pane(side.other).verticalScrollBar().setValue(value)
        self._strip.update()
        self._update_overview_box()

    def _update_overview_box(self) -> None:
        pane, aligned = self.leftPane, self._scene.aligned
        first, last = pane.visible_heights()
        if aligned is not self._scene.layout:
            rows = [
                row
                for row in (pane.column.row_at(h) for h in range(first, last + 1))
                if row is not None
            ]
            if not rows:
                return
            first, last = aligned.left.height_of(rows[0]), aligned.left.height_of(rows[-1])
        self._overview.setView(first, last + 1)

    # Rebuilding

    def _rebuild(self) -> None:
        """Lay everything out anew, keeping what the user looks at where it is."""
        kept = [self._kept(pane) for pane in self._panes]
        self._scene.rebuild()
        for pane in self._panes:
            pane.refresh()
        for pane, keep in zip(self._panes, kept, strict=True):
            if keep is not None and keep[0] < len(pane.side_scene):
                pane.place(pane.column.height_of(keep[0]), keep[1])
                if self._scene.options.aligned:
                    break
        self._overview.refresh()
        self._update_overview_box()
        self._strip.update()

    @staticmethod
    def _kept(pane: TracePane) -> tuple[int, int] | None:
        """The row to keep where it is: the current one if in view, else the topmost."""
        first, last = pane.visible_heights()
        cursor = pane.cursor_row()
        if cursor is not None:
            height = pane.column.height_of(cursor)
            if first <= height <= last:
                return cursor, pane.y_of(height)
        for height in range(first, last + 1):
            row = pane.column.row_at(height)
            if row is not None:
                return row, pane.y_of(height)
        return None

    def _look(self) -> None:
        metrics = metrics_at(self._zoom)
        for header in self._headers:
            header.setLook(self._theme, metrics)
        self._strip.setLook(self._theme, metrics)
        self._overview.setLook(self._theme, metrics)
        for pane in self._panes:
            keep = self._kept(pane)
            pane.setLook(self._theme, metrics)
            if keep is not None:
                pane.place(pane.column.height_of(keep[0]), keep[1])
        for corner in self._corners:
            corner.setTheme(self._theme)

    def _repaint(self) -> None:
        for pane in self._panes:
            pane.viewport().update()
        self._strip.update()

    def _apply_scroll_bars(self) -> None:
        # Aligned panes scroll as one, by the overview; on their own each needs its bar.
        policy = (
            Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            if self._scene.options.aligned
            else Qt.ScrollBarPolicy.ScrollBarAsNeeded
        )
        for pane in self._panes:
            pane.setVerticalScrollBarPolicy(policy)

    def _drag(self, side: Side, boundary: int, x: float) -> None:
        self._set_shares(self._shares.dragged(boundary, x, self.pane(side).spans()))

    def _set_shares(self, shares: ColumnShares) -> None:
        self._shares = shares
        for pane, header in zip(self._panes, self._headers, strict=True):
            pane.setShares(shares)
            header.update()

    # Language, theme, files

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language and the theme of the application."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            for pane in self._panes:
                pane.retranslate()
            self._retitle()
        elif event.type() == QEvent.Type.PaletteChange:
            self.setTheme(themes.current())

    def _retitle(self) -> None:
        for side, header in zip(Side, self._headers, strict=True):
            trace = self._scene.side(side).trace
            if trace is None:
                header.setTitle(self._titles.get(side, ""))
                continue
            name = self._titles.get(side) or self._mode_name(trace)
            count = self.tr("{count} ops").format(count=f"{len(trace):,}")
            header.setTitle(f"{name} · {count}" if name else count)

    def _mode_name(self, trace: Trace) -> str:
        modes = set(np.unique(trace.columns.mode).tolist())
        eager, graph = EAGER in modes, GRAPH in modes
        if eager and graph:
            return self.tr("eager and graph")
        return self.tr("eager") if eager else self.tr("graph") if graph else ""

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Hand over the files that were dropped."""
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.filesDropped.emit(paths)
