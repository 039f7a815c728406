"""The page of ranks: what they came to, the table with its heat map, where communication parts."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QColor, QKeyEvent, QResizeEvent
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

from opdiff.compare import Kind
from opdiff.ranks.outcome import RankOutcome, Status
from opdiff.ranks.phrases import RankPhrases, heat_of, sign_of
from opdiff.ranks.result import RanksResult, SharedGroup
from opdiff.report.signs import COLOURS
from opdiff.ui.frame.boxes import in_column, in_row
from opdiff.ui.look import theme
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import PlainLabel, tip
from opdiff.ui.look.theme import styled
from opdiff.ui.translations import language
from opdiff.wording.printable import thousands

RANK, STATUS, COUNT, FIRST = range(4)
FIXED = 4
MOST_GROUPS = 100
SORT_ROLE = Qt.ItemDataRole.UserRole
_SHARES = (0.0, 0.20, 0.34, 0.48, 0.62)
"""How much of its colour a cell takes on, by its heat."""
_LONGEST_HEAD = 40
_HEADS = ("ranks.column-rank", "ranks.column-status", "ranks.column-count", "ranks.column-first")

Index = QModelIndex | QPersistentModelIndex
_WIDEST_FIRST = 340
_GROUP_WIDTH = 104
_HEAD_HEIGHT = 62
"""Three lines of a group's title."""


class RanksModel(QAbstractTableModel):
    """A row a rank, a column a group after those that say how the rank came out."""

    def __init__(self) -> None:
        super().__init__()
        self._phrases: RankPhrases | None = None
        self._groups: tuple[SharedGroup, ...] = ()
        self._most: list[int] = []

    def setResult(self, result: RanksResult) -> None:
        """Show what comparing ranks came to."""
        self.beginResetModel()
        self._phrases = RankPhrases(result, language())
        self._groups = result.groups[:MOST_GROUPS]
        self._most = [max(group.counts.values()) for group in self._groups]
        self.endResetModel()

    def outcome(self, row: int) -> RankOutcome:
        """The rank of a row."""
        assert self._phrases is not None
        return self._phrases.result.outcomes[row]

    def rowCount(self, parent: Index | None = None) -> int:
        """One a rank."""
        if self._phrases is None or (parent is not None and parent.isValid()):
            return 0
        return len(self._phrases.result.outcomes)

    def columnCount(self, parent: Index | None = None) -> int:
        """How it came out, and the groups."""
        return 0 if parent is not None and parent.isValid() else FIXED + len(self._groups)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The titles of groups, cut short; whole in the tooltip."""
        if orientation is Qt.Orientation.Vertical or self._phrases is None:
            return None
        if section < FIXED:
            text = self._phrases.say(_HEADS[section])
        else:
            group = self._groups[section - FIXED]
            text = f"{sign_of(group.kind)} {self._phrases.sentence(group.title)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(text)
        if role == Qt.ItemDataRole.DisplayRole:
            return text if len(text) <= _LONGEST_HEAD else text[: _LONGEST_HEAD - 1] + "…"
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows."""
        if self._phrases is None or not index.isValid():
            return None
        outcome = self.outcome(index.row())
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(outcome, column)
        if role == SORT_ROLE:
            return self._sort_key(outcome, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self._hint(outcome, column))
        if role == Qt.ItemDataRole.BackgroundRole:
            return self._background(outcome, column)
        if role == Qt.ItemDataRole.ForegroundRole and column == STATUS:
            lacking = outcome.status not in (Status.EQUAL, Status.DIFFERS)
            return QBrush(theme.current().error) if lacking else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft
            if column in (RANK, COUNT) or column >= FIXED:
                side = Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _text(self, outcome: RankOutcome, column: int) -> str:
        assert self._phrases is not None
        verdict = outcome.verdict
        if column == RANK:
            return str(outcome.rank)
        if column == STATUS:
            return self._phrases.status(outcome.status)
        if column == COUNT:
            return thousands(verdict.divergences) if verdict else ""
        if column == FIRST:
            if verdict is None or verdict.first is None:
                return self._phrases.trouble(outcome)
            place = self._phrases.place(verdict.first.first)
            return f"{self._phrases.sentence(verdict.first.title)}  ({place})"
        count = self._groups[column - FIXED].counts.get(outcome.rank, 0)
        return thousands(count) if count else ""

    def _hint(self, outcome: RankOutcome, column: int) -> str:
        assert self._phrases is not None
        if column >= FIXED:
            return self._phrases.sentence(self._groups[column - FIXED].title)
        return self._phrases.trouble(outcome) or self._text(outcome, FIRST)

    def _sort_key(self, outcome: RankOutcome, column: int) -> int | str:
        if column == RANK:
            return outcome.rank
        if column == COUNT:
            return outcome.verdict.divergences if outcome.verdict else -1
        if column >= FIXED:
            return self._groups[column - FIXED].counts.get(outcome.rank, 0)
        return self._text(outcome, column)

    def _background(self, outcome: RankOutcome, column: int) -> QBrush | None:
        if column < FIXED:
            return None
        group = self._groups[column - FIXED]
        count = group.counts.get(outcome.rank, 0)
        if not count:
            return None
        worn = theme.current()
        colour = QColor(COLOURS[Kind.CONTIGUOUS if group.harmless else Kind.CPU_FALLBACK])
        share = _SHARES[heat_of(count, self._most[column - FIXED])]
        return QBrush(theme.blend(colour, worn.background, share))


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
        self.hint = styled(PlainLabel(), "dim")
        self.parted = styled(PlainLabel(), "heading")
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
        below = QWidget()
        in_column(below, self.parted, (self.remarks, 1), margins=(0, 10, 0, 0), spacing=4)
        parts.addWidget(below)
        parts.setStretchFactor(0, 1)
        parts.setSizes([600, 140])
        top = in_row(None, (self.counts, 1), self.hint)
        in_column(self, top, (parts, 1), margins=(12, 12, 12, 12))

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
        self.hint.setText(self.tr("Enter, or a double click, opens a rank"))
        self.table.setAccessibleName(phrases.say("ranks.heat-map"))
        self.remarks.setAccessibleName(phrases.say("ranks.collectives"))
        partings = self._result.partings
        self._ranks_of_remarks = [found.parting.line_rank for found in partings]
        self._ranks_of_remarks += [None] * len(self._result.notes)
        self.remarks.clear()
        self.remarks.addItems([phrases.parting(found) for found in partings])
        self.remarks.addItems([phrases.sentence(note.sentence) for note in self._result.notes])
        self.parted.setText(self.tr("Communication and what else there is to say"))
        below = self.remarks.parentWidget()
        assert below is not None, "it stands below the table"
        below.setVisible(bool(self._ranks_of_remarks))

    retranslate = _say
