"""The page of ranks: what they came to, the table, and where communication parts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QListWidget,
    QSplitter,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from opdiff.ranks.phrases import RankPhrases
from opdiff.ranks.result import RanksResult
from opdiff.ui.boxes import in_column
from opdiff.ui.language import Retranslating
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.ranks.model import FIRST, FIXED, SORT_ROLE, Index, RanksModel
from opdiff.ui.theme import styled
from opdiff.ui.translations import language

_WIDEST_FIRST = 340
_GROUP_WIDTH = 104
_HEAD_HEIGHT = 62
"""Three lines of a group's title."""


class _Warm(QStyledItemDelegate):
    """Leaves a cell its colour where its row is selected: how much differs stays in sight."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.data(Qt.ItemDataRole.BackgroundRole) is not None:
            option.state &= ~QStyle.StateFlag.State_Selected


class RanksTable(QTableView):
    """The table. Signal: ``activatedRow(row)`` on double click and Enter, of the model itself."""

    activatedRow = Signal(int)

    def __init__(self, model: RanksModel) -> None:
        super().__init__()
        self.setObjectName("ranksTable")
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(model)
        self._sorted.setSortRole(SORT_ROLE)
        self.setModel(self._sorted)
        self.setSortingEnabled(True)
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setItemDelegate(_Warm(self))
        self.verticalHeader().hide()
        head = self.horizontalHeader()
        head.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        head.setFixedHeight(_HEAD_HEIGHT)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap)
        self._first = self.columnWidth(FIRST)
        self.doubleClicked.connect(self._activate)

    def fit(self) -> None:
        """Give columns the room they need, within limits."""
        self.resizeColumnsToContents()
        self._first = min(_WIDEST_FIRST, self.columnWidth(FIRST))
        for column in range(FIXED, self._sorted.columnCount()):
            self.setColumnWidth(column, _GROUP_WIDTH)
        self._fill()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the room there is."""
        super().resizeEvent(event)
        self._fill()

    def _fill(self) -> None:
        """Give the room that the columns leave to the words."""
        others = self.horizontalHeader().length() - self.columnWidth(FIRST)
        self.setColumnWidth(FIRST, max(self._first, self.viewport().width() - others))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._activate(self.currentIndex())
            return
        super().keyPressEvent(event)

    def _activate(self, index: QModelIndex) -> None:
        self.activatedRow.emit(self._sorted.mapToSource(index).row())


class RanksPage(Retranslating, QWidget):
    """Everything about the ranks of two runs. Signal: ``rankChosen(rank)``."""

    rankChosen = Signal(int)

    says_again_on = (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange)

    def __init__(self) -> None:
        super().__init__()
        styled(self, "sheet", filled=True)
        self.model = RanksModel()
        self.table = RanksTable(self.model)
        self.counts = styled(PlainLabel(), "heading")
        self.remarks = styled(QListWidget(), name="ranksRemarks")
        self.remarks.setWordWrap(True)
        self._result: RanksResult | None = None
        self._ranks_of_remarks: list[int | None] = []
        self._lay_out()
        self.table.activatedRow.connect(
            lambda row: self.rankChosen.emit(self.model.outcome(row).rank)
        )
        self.remarks.itemActivated.connect(lambda _: self._choose_remark())

    def setResult(self, result: RanksResult) -> None:
        """Show what comparing the ranks came to, the first that differs selected."""
        self._result = result
        self._say()
        self.table.fit()
        first = next(
            (row for row, each in enumerate(result.outcomes) if str(each.status) != "equal"), 0
        )
        self.table.selectRow(first)

    def _lay_out(self) -> None:
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.addWidget(self.table)
        parts.addWidget(self.remarks)
        parts.setStretchFactor(0, 1)
        parts.setSizes([600, 140])
        in_column(self, self.counts, (parts, 1), margins=(12, 12, 12, 12))

    def _choose_remark(self) -> None:
        rank = self._ranks_of_remarks[self.remarks.currentRow()]
        if rank is not None:
            self.rankChosen.emit(rank)

    def _say(self) -> None:
        if self._result is None:
            return
        phrases = RankPhrases(self._result, language())
        self.model.setResult(self._result)
        self.counts.setText(phrases.counts())
        self.table.setAccessibleName(phrases.say("ranks.heat-map"))
        self.remarks.setAccessibleName(phrases.say("ranks.collectives"))
        partings = self._result.partings
        self._ranks_of_remarks = [found.parting.line_rank for found in partings]
        self._ranks_of_remarks += [None] * len(self._result.notes)
        self.remarks.clear()
        self.remarks.addItems([phrases.parting(found) for found in partings])
        self.remarks.addItems([phrases.sentence(note.sentence) for note in self._result.notes])
        self.remarks.setVisible(bool(self._ranks_of_remarks))

    retranslate = _say
