"""The table of layers against kinds; a click on a cell leaves only what it counts."""

from __future__ import annotations

from typing import Any, TypeAlias

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from opdiff.compare import Kind
from opdiff.report.summary_table import SummaryTable
from opdiff.ui import theme as themes
from opdiff.ui.fonts import bold, number_width
from opdiff.ui.language import kind_name, spoken
from opdiff.ui.plain_text import tip
from opdiff.ui.theme import blend, sign_of

Index: TypeAlias = QModelIndex | QPersistentModelIndex
PLACE = 0
_ROOT = QModelIndex()
_FAINTEST, _STRONGEST = 0.35, 1.0


class SummaryModel(QAbstractTableModel):
    """The place first, a column a kind, all of them last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._table: SummaryTable | None = None

    def show(self, table: SummaryTable | None) -> None:
        """Show a table, or none."""
        self.beginResetModel()
        self._table = table
        self.endResetModel()

    def kind_of(self, column: int) -> Kind | None:
        """The kind of a column; None for those that hold all."""
        kinds = () if self._table is None else self._table.kinds
        return kinds[column - 1] if 1 <= column <= len(kinds) else None

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many places there are."""
        return 0 if self._table is None or parent.isValid() else len(self._table.places)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """The place, every kind that occurs, and all."""
        return 0 if self._table is None or parent.isValid() else len(self._table.kinds) + 2

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Signs of kinds, with their names as tooltips."""
        translate = QCoreApplication.translate  # lupdate knows calls by this name only
        if orientation != Qt.Orientation.Horizontal or self._table is None:
            return None
        kind = self.kind_of(section)
        if role == Qt.ItemDataRole.DisplayRole:
            if kind is not None:
                return sign_of(kind)
            return (
                translate("SummaryModel", "place")
                if section == PLACE
                else translate("SummaryModel", "all")
            )
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return None if kind is None else kind_name(kind)
        if role == Qt.ItemDataRole.TextAlignmentRole and section == PLACE:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Counts; the more there are, the stronger the colour of the kind."""
        if self._table is None or not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._colour(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column != PLACE:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.FontRole and self._table.suspect[row] and column == PLACE:
            return bold()
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return tip(self._said(row, column))
        return None

    def _count(self, row: int, column: int) -> int:
        table = self._table
        assert table is not None
        if self.kind_of(column) is None:
            return int(table.counts[row].sum())
        return int(table.counts[row, column - 1])

    def _text(self, row: int, column: int) -> str:
        if column == PLACE and self._table is not None:
            return spoken(self._table.places[row].name)
        count = self._count(row, column)
        return f"{count:,}" if count else ""

    def _said(self, row: int, column: int) -> str:
        """A cell in words."""
        translate = QCoreApplication.translate  # lupdate knows calls by this name only
        place, kind = self._text(row, PLACE), self.kind_of(column)
        said = translate("SummaryModel", "{place}: {count} differences").format(
            place=place, count=f"{self._count(row, column):,}"
        )
        if kind is not None:
            return f"{said} · {kind_name(kind)}"
        suspects = 0 if self._table is None else int(self._table.suspect[row])
        may = translate("SummaryModel", "{count} may change a value").format(count=f"{suspects:,}")
        return f"{said} · {may}" if suspects else said

    def _colour(self, row: int, column: int) -> QColor | None:
        kind, table = self.kind_of(column), self._table
        if kind is None or table is None or not table.counts[row, column - 1]:
            return None
        share = float(table.counts[row, column - 1] / table.counts[:, column - 1].max())
        worn = themes.current()
        strength = _FAINTEST + (_STRONGEST - _FAINTEST) * share
        return blend(worn.tint(kind), worn.background, strength)


class SummaryView(QTableView):
    """Signal: ``chosen(row, column)`` when the user wants to see only what a cell counts."""

    chosen = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
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
        if table is not self._table:
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
