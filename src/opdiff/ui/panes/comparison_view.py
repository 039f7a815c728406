"""Two traces side by side, what was found between them, and the way from one to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QPointF, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent

from opdiff.compare import Comparison, Side
from opdiff.report.flags import ToolFlags
from opdiff.structure.part_names import PartNames
from opdiff.trace import Trace
from opdiff.ui.panes.link_strip import counterparts
from opdiff.ui.panes.side_by_side import SideBySide

_LINKS_PAUSE = 120
"""Milliseconds at least between two layouts while links keep coming in."""
_MOST_ROWS_AT_ONCE = 50_000
"""Longer traces are laid out once the comparison is there: meanwhile only links are drawn."""


class ComparisonView(SideBySide):
    """Left pane, link strip, right pane, overview.

    Signals: ``rowSelected(side, row)`` whenever another row becomes current, by the user or by
    :meth:`selectRow`, also when it was selected before as the counterpart of one on the other
    side; ``filesDropped(paths, side)``, the side None between the panes.
    """

    rowSelected = Signal(int, int)
    filesDropped = Signal(list, object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("comparisonView")
        self.setAcceptDrops(True)
        self._late_links = QTimer(self, singleShot=True, interval=_LINKS_PAUSE)
        self._late_links.timeout.connect(self._rebuild)
        self._told: tuple[Side, int] | None = None
        self._strip.endClicked.connect(self._follow_link)
        for side in Side:
            pane = self.pane(side)
            pane.cursorMoved.connect(lambda row, side=side: self._follow(side, row))
            pane.foldToggled.connect(lambda row, opened, side=side: self._toggle(side, row, opened))

    # What is shown

    def setTrace(self, side: int, trace: Trace | None) -> None:
        """Show a trace; what was compared before is forgotten."""
        self._late_links.stop()
        self._scene.set_trace(Side(side), trace)
        for pane in self._panes:
            pane.resetSelection()
        self._retitle()
        self._set_columns()
        self._rebuild()
        self.pane(side).verticalScrollBar().setValue(0)

    def setPartNames(self, side: int, names: PartNames | None) -> None:
        """Name stretches of a side, and what is at the top of its pane, by its structure."""
        self._scene.side(Side(side)).names = names
        for pane in self._panes:
            pane.renameFolds()
        self._say_paths()

    def prepare(self, comparison: Comparison) -> None:
        """Work out what showing a comparison takes; on the thread that has compared."""
        self._scene.prepare(comparison)

    def setComparison(self, comparison: Comparison | None) -> None:
        """Show the outcome of a comparison of the two traces, or none."""
        self._late_links.stop()
        self._told = None
        self._scene.set_comparison(comparison)
        self._rebuild()

    def addLinks(self, left_rows: ArrayLike, right_rows: ArrayLike) -> None:
        """Show pairs that are known already while the comparison is still running."""
        self._scene.add_links(np.asarray(left_rows, np.int32), np.asarray(right_rows, np.int32))
        self._repaint()
        rows = max(len(scene) for scene in self._scene.sides)
        if rows <= _MOST_ROWS_AT_ONCE and not self._late_links.isActive():
            self._late_links.start()

    def setAnchors(self, left_row: int | None, right_row: int | None) -> None:
        """Mark the anchors."""
        wanted = (left_row, right_row)
        if wanted != tuple(scene.anchor for scene in self._scene.sides):
            for scene, row in zip(self._scene.sides, wanted, strict=True):
                scene.anchor = row
            self._rebuild()

    def setPins(self, pins: Iterable[tuple[int, int]]) -> None:
        """Mark pairs of (left row, right row) that the user has decreed."""
        self._scene.set_pins(pins)
        self._rebuild()

    def setFlags(self, flags: ToolFlags) -> None:
        """Mark what another tool flagged."""
        for side in Side:
            self._scene.side(side).flags = flags.rows(side)
        self._rebuild()

    def setSearchHits(self, side: int, rows: ArrayLike) -> None:
        """Mark what a search has found."""
        scene = self._scene.side(Side(side))
        scene.hits = np.zeros(len(scene), bool)
        scene.hits[np.asarray(rows, np.int64)] = True
        self.pane(side).viewport().update()
        self._overview.showHits()

    def setGreyed(self, indices: ArrayLike, hidden: ArrayLike = ()) -> None:
        """Paint these divergences as settled, of which some are *hidden* by the filters."""
        if self._scene.set_greyed(indices, hidden):
            self._rebuild()
        else:
            self._overview.refresh()
        self._repaint()

    def setNoted(self, indices: Iterable[int]) -> None:
        """Mark the rows of these divergences as having a note."""
        comparison = self._scene.comparison
        found = [] if comparison is None else [comparison.divergences[index] for index in indices]
        for side in Side:
            rows = frozenset(row for divergence in found for row in divergence.rows(side))
            self._scene.side(side).noted = rows
        self._overview.update()
        self._repaint()

    # Options

    def setOptions(self, **changed: bool) -> None:
        """Show the rows otherwise, as the fields of :class:`Options` say."""
        self._scene.options = replace(self._scene.options, **changed)
        self._apply_scroll_bars()
        self._rebuild()

    # Going places

    def selectRow(self, side: int, row: int) -> None:
        """Make a row current, and its counterpart on the other side, and bring them into view.

        A row that the trace there does not have is no place to go to.
        """
        if 0 <= row < len(self._scene.side(Side(side))):
            self._show_rows(Side(side), [row])

    def showDivergence(self, index: int) -> None:
        """Select all rows of a divergence and bring them into view."""
        if self._scene.comparison is None:
            return
        divergence = self._scene.comparison.divergences[index]
        side = Side.LEFT if divergence.left_rows else Side.RIGHT
        rows, others = divergence.rows(side), divergence.rows(side.other)
        if others:
            self._uncover(side.other, others[0])
        self._show_rows(side, rows)
        if len(others) > 1:
            self._select_other(side, others)

    def standAtAnchors(self) -> bool:
        """Bring the anchors to the edge from which was compared; False where there are none."""
        comparison = self._scene.comparison
        anchors = [scene.anchor for scene in self._scene.sides]
        if comparison is None or None in anchors:
            return False
        for pane, anchor in zip(self._panes, anchors, strict=True):
            pane.stand(pane.column.height_of(anchor or 0), comparison.request.direction)
        return True

    def isInView(self, index: int) -> bool:
        """Whether the first rows of a divergence can be seen now."""
        if self._scene.comparison is None:
            return False
        divergence = self._scene.comparison.divergences[index]
        side = Side.LEFT if divergence.left_rows else Side.RIGHT
        pane, row = self.pane(side), divergence.rows(side)[0]
        y = pane.y_of(pane.column.height_of(row))
        return 0 <= y <= pane.viewport().height() - pane.row_height

    def _show_rows(self, side: Side, rows: Sequence[int]) -> None:
        pane = self.pane(side)
        self._uncover(side, rows[0])
        pane.select(list(rows))
        pane.reveal(pane.column.height_of(rows[0]))

    def _uncover(self, side: Side, row: int) -> None:
        """Make sure that a row is shown: neither hidden nor folded away."""
        column = self._scene.layout.column(side)
        if not column.shows(row):
            self._scene.side(side).revealed.add(row)
            self._rebuild()
        elif column.fold_at(column.height_of(row)) is not None:
            self._toggle(side, row, True)

    def _toggle(self, side: Side, row: int, opened: bool) -> None:
        """Open or close the folded stretch around a row."""
        pane = self.pane(side)
        found = pane.column.folds.around(side, row)
        span = None if found is None else found.span(side)
        if found is None or span is None:
            return
        head_y = pane.y_of(pane.column.height_of(span[0]) - found.opened)
        self._scene.open_fold(found.left, found.right, opened)
        self._rebuild()
        # The head stays under the mouse; one that was out of sight comes to the edge.
        visible = min(max(head_y, 0), pane.viewport().height() - pane.row_height)
        pane.place(pane.column.height_of(span[0]) - opened, visible)

    def _follow(self, side: Side, row: int) -> None:
        """Select the counterpart of what was selected, and tell everyone."""
        if row < 0:
            self._told = None
            self._select_other(side, [])
            return
        self._select_other(side, counterparts(self._scene, side, row))
        if self.pane(side).currentRow() is not None and self._told != (side, row):
            self._told = (side, row)
            self.rowSelected.emit(int(side), row)

    def _follow_link(self, side: int, row: int) -> None:
        """Go to the other end of a link; to the row itself where it has none."""
        others = counterparts(self._scene, Side(side), row)
        if others:
            self.selectRow(Side(side).other, others[0])
        else:
            self.selectRow(side, row)

    def _select_other(self, side: Side, rows: Sequence[int]) -> None:
        other = self.pane(side.other)
        other.select(list(rows), announce=False)
        if rows and not self._scene.options.aligned:
            other.reveal(other.column.height_of(rows[0]))
        self._strip.update()

    # Files

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Show where the files would go: two fill both panes."""
        several = len(event.mimeData().urls()) > 1
        target = self._side_at(event.position())
        for pane in self._panes:
            pane.setDropTarget(several or pane.side is target)
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Nothing is dropped here."""
        self._end_drag()
        super().dragLeaveEvent(event)

    def _end_drag(self) -> None:
        for pane in self._panes:
            pane.setDropTarget(False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Hand over the files that were dropped."""
        self._end_drag()
        paths = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.filesDropped.emit(paths, self._side_at(event.position()))

    def _side_at(self, place: QPointF) -> Side | None:
        """The pane at a place, its header included."""
        for pane in self._panes:
            if pane.x() <= place.x() < pane.x() + pane.width():
                return pane.side
        return None
