"""The table of layers against kinds; a click on a cell leaves only what it counts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from opdiff.report.summary_table import SummaryTable
from opdiff.ui.structure.number_width import number_width
from opdiff.ui.structure.summary_model import PLACE, SummaryModel


class SummaryView(QTableView):
    """Signal: ``chosen(row, column)`` when the user wants to see only what a cell counts."""

    chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("summaryTable")
        self._table: SummaryTable | None = None
        self.cells = SummaryModel(self)
        self.setModel(self.cells)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setMinimumSectionSize(24)
        self.retranslate()

    def retranslate(self) -> None:
        """Speak the present language."""
        self.setAccessibleName(self.tr("Differences by layer and kind"))
        self.viewport().update()
        self.horizontalHeader().viewport().update()

    def show_table(self, table: SummaryTable | None) -> None:
        """Show a table, or none."""
        self._table = table
        self.cells.show(table)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger text needs more room."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        table = self._table
        if table is None:
            return
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(PLACE, QHeaderView.ResizeMode.Stretch)
        most = [*table.counts.max(axis=0, initial=0), table.counts.sum(axis=1).max(initial=0)]
        for column, count in enumerate(most, 1):
            title = str(self.cells.headerData(column, Qt.Orientation.Horizontal))
            header.resizeSection(column, number_width(self, f"{int(count):,}", title))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)

    def minimumSizeHint(self) -> QSize:
        """It scrolls, so it need not be large."""
        return QSize(80, 60)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the cell under the mouse."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self.indexAt(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the current cell by Enter or the space bar."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.row(), index.column())
