"""The ranks as a table: how each came out, and a heat map of ranks by groups."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QColor

from opdiff.compare import Kind
from opdiff.ranks.outcome import RankOutcome, Status
from opdiff.ranks.phrases import RankPhrases, heat_of, sign_of
from opdiff.ranks.result import RanksResult, SharedGroup
from opdiff.report.signs import COLOURS
from opdiff.ui import theme
from opdiff.ui.plain_text import tip
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
