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
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from opdiff.compare import Kind
from opdiff.report.summary_table import SummaryTable
from opdiff.ui.look import theme as themes
from opdiff.ui.look.fonts import bold, number_width
from opdiff.ui.look.language import kind_name, spoken
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import blend, sign_of

Index: TypeAlias = QModelIndex | QPersistentModelIndex
PLACE, ALL, KINDS = 0, 1, 2
"""The columns; the kinds are those from there on."""
_LEAST_PLACE = 84
_ROOT = QModelIndex()
_FAINTEST, _STRONGEST = 0.35, 1.0


class SummaryModel(QAbstractTableModel):
    """The place first, then all of its differences, then a column a kind."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.table: SummaryTable | None = None

    def show(self, table: SummaryTable | None) -> None:
        """Show a table, or none."""
        self.beginResetModel()
        self.table = table
        self.endResetModel()

    def kind_of(self, column: int) -> Kind | None:
        """The kind of a column; None for those that hold all."""
        kinds = () if self.table is None else self.table.kinds
        return kinds[column - KINDS] if KINDS <= column < KINDS + len(kinds) else None

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many places there are."""
        return 0 if self.table is None or parent.isValid() else len(self.table.places)

    def columnCount(self, parent: Index = _ROOT) -> int:
        """The place, all, and every kind that occurs."""
        return 0 if self.table is None or parent.isValid() else len(self.table.kinds) + KINDS

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Signs of kinds, with their names as tooltips."""
        translate = QCoreApplication.translate  # lupdate knows calls by this name only
        if orientation != Qt.Orientation.Horizontal or self.table is None:
            return None
        kind = self.kind_of(section)
        if role == Qt.ItemDataRole.DisplayRole:
            if kind is not None:
                return _heading(kind)
            return (
                translate("SummaryModel", "place")
                if section == PLACE
                else translate("SummaryModel", "all")
            )
        if role == Qt.ItemDataRole.ToolTipRole and kind is not None:
            return f"{_heading(kind)}  {kind_name(kind)}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return None if kind is None else kind_name(kind)
        if role == Qt.ItemDataRole.TextAlignmentRole and section == PLACE:
            return int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Counts; the more there are, the stronger the colour of the kind."""
        if self.table is None or not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._colour(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column != PLACE:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.FontRole and self.table.suspect[row] and column == PLACE:
            return bold()
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return tip(self._said(row, column))
        return None

    def _count(self, row: int, column: int) -> int:
        table = self.table
        assert table is not None
        if self.kind_of(column) is None:
            return int(table.counts[row].sum())
        return int(table.counts[row, column - KINDS])

    def _text(self, row: int, column: int) -> str:
        if column == PLACE and self.table is not None:
            return spoken(self.table.places[row].name)
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
        suspects = 0 if self.table is None else int(self.table.suspect[row])
        may = translate("SummaryModel", "{count} may change a value").format(count=f"{suspects:,}")
        return f"{said} · {may}" if suspects else said

    def _colour(self, row: int, column: int) -> QColor | None:
        kind, table = self.kind_of(column), self.table
        if kind is None or table is None or not table.counts[row, column - KINDS]:
            return None
        counts = table.counts[:, column - KINDS]
        share = float(counts[row] / counts.max())
        worn = themes.current()
        strength = _FAINTEST + (_STRONGEST - _FAINTEST) * share
        return blend(worn.tint(kind), worn.background, strength)


def _heading(kind: Kind) -> str:
    """The sign of a kind; with a short word where others have the same."""
    translate = QCoreApplication.translate  # lupdate knows calls by this name only
    words = {
        Kind.LAYOUT_MISSING: "−",
        Kind.DTYPE: translate("SummaryModel", "type"),
        Kind.SHAPE: translate("SummaryModel", "shape"),
        Kind.OPERANDS: translate("SummaryModel", "inputs"),
        Kind.ATTRS: translate("SummaryModel", "attrs"),
        Kind.ONLY_LEFT: translate("SummaryModel", "L"),
        Kind.ONLY_RIGHT: translate("SummaryModel", "R"),
    }
    return f"{sign_of(kind)}{words.get(kind, '')}"


class _CellDelegate(QStyledItemDelegate):
    """The current cell wears a frame while the keys go there; its colour is that of its kind."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        focus = bool(option.state & QStyle.StateFlag.State_HasFocus)
        super().paint(painter, option, index)
        if focus:
            painter.setPen(QPen(themes.current().accent, 2))
            painter.drawRect(option.rect.adjusted(1, 1, -1, -1))


class SummaryView(QTableView):
    """Signal: ``chosen(row, column)`` when the user wants to see only what a cell counts."""

    chosen = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("summaryTable")
        self.cells = SummaryModel(self)
        self.setModel(self.cells)
        self.setItemDelegate(_CellDelegate(self))
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
        if table is not self.cells.table:
            self.cells.show(table)
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger text needs more room."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        table = self.cells.table
        if table is None:
            return
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        most = [table.counts.sum(axis=1).max(initial=0), *table.counts.max(axis=0, initial=0)]
        for column, count in enumerate(most, 1):
            title = str(self.cells.headerData(column, Qt.Orientation.Horizontal))
            header.resizeSection(column, number_width(self, f"{int(count):,}", title))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        self._fit_place()

    def _fit_place(self) -> None:
        """The names have what the numbers leave, and never less than can be read."""
        columns = range(ALL, self.cells.columnCount())
        taken = sum(self.columnWidth(column) for column in columns)
        room = max(_LEAST_PLACE, self.viewport().width() - taken)
        self.horizontalHeader().resizeSection(PLACE, room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the room there is."""
        super().resizeEvent(event)
        if self.cells.table is not None:
            self._fit_place()

    def minimumSizeHint(self) -> QSize:
        """It scrolls, so it need not be large."""
        return QSize(80, 60)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the cell under the mouse."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self.indexAt(event.position().toPoint()))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """There is always a cell that the keys move from."""
        super().focusInEvent(event)
        if not self.currentIndex().isValid():
            self.setCurrentIndex(self.cells.index(0, PLACE))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the current cell by Enter or the space bar."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.row(), index.column())
