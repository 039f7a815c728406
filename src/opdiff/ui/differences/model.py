"""The groups of differences as a two-level item model; members are handed out a few at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

import numpy as np
from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from opdiff.compare import Comparison, Group
from opdiff.ui.differences.order import Order, ordered
from opdiff.ui.differences.texts import lines_text, place_text
from opdiff.ui.kind_names import kind_name
from opdiff.ui.language import spoken
from opdiff.ui.plain_text import tip
from opdiff.ui.theme import NOTE_SIGN

FIRST_SHOWN = 3
MORE_SHOWN = 200

Index: TypeAlias = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class Item(IntEnum):
    """What a row of the list is."""

    GROUP = 0
    MEMBER = 1
    EARLIER = 2
    MORE = 3


class Role(IntEnum):
    """What the delegate and the view ask for, besides Qt's own roles."""

    ITEM = Qt.ItemDataRole.UserRole
    KIND = Qt.ItemDataRole.UserRole + 1
    COUNT = Qt.ItemDataRole.UserRole + 2
    SENTENCE = Qt.ItemDataRole.UserRole + 3
    CAUSE = Qt.ItemDataRole.UserRole + 4
    """The divergence that explains the group, or None."""
    CAUSE_TEXT = Qt.ItemDataRole.UserRole + 5
    DIVERGENCE = Qt.ItemDataRole.UserRole + 6
    PLACE = Qt.ItemDataRole.UserRole + 7
    CAUSE_KIND = Qt.ItemDataRole.UserRole + 8
    KNOWN = Qt.ItemDataRole.UserRole + 9
    GREYED = Qt.ItemDataRole.UserRole + 10
    """Whether the table, a rule or the user calls it known."""
    NOTE = Qt.ItemDataRole.UserRole + 11


@dataclass(slots=True)
class _Entry:
    """A group and the stretch of its members that is shown."""

    group: Group
    start: int
    end: int
    taken_out: bool = False
    """While another stretch takes the place of this one."""

    @property
    def earlier(self) -> int:
        """1 where a row stands for members before the stretch."""
        return int(self.start > 0)

    @property
    def rows(self) -> int:
        """How many rows there are below the group."""
        if self.taken_out:
            return 0
        return self.earlier + (self.end - self.start) + int(self.end < self.group.count)

    def item(self, row: int) -> Item:
        """What one of these rows is."""
        if self.earlier and row == 0:
            return Item.EARLIER
        return Item.MEMBER if row - self.earlier < self.end - self.start else Item.MORE


class DifferenceModel(QAbstractItemModel):
    """Groups at the top, their members below them, "… 119 more" at the end of a long group."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._comparison: Comparison | None = None
        self._entries: list[_Entry] = []
        self._row_of_group: dict[int, int] = {}
        self._notes: Mapping[int, str] = {}
        self._group_notes: Mapping[int, str] = {}
        self._greyed: frozenset[int] = frozenset()

    def show(self, comparison: Comparison | None, groups: list[Group], order: Order) -> None:
        """List these groups of a comparison in an order."""
        self.beginResetModel()
        self._comparison = comparison
        listed = ordered(comparison, groups, order) if comparison is not None else []
        self._entries = [_Entry(group, 0, min(FIRST_SHOWN, group.count)) for group in listed]
        self._row_of_group = {group.id: row for row, group in enumerate(listed)}
        self.endResetModel()

    def setRemarks(
        self, notes: Mapping[int, str], group_notes: Mapping[int, str], greyed: frozenset[int]
    ) -> None:
        """What the user wrote on divergences and on groups, and the groups called known."""
        if (notes, group_notes, greyed) == (self._notes, self._group_notes, self._greyed):
            return
        self._notes, self._group_notes, self._greyed = notes, group_notes, greyed
        self.retranslate()

    def retranslate(self) -> None:
        """Everything reads differently now; nothing moved."""
        for row in range(len(self._entries)):
            here = self.index(row, 0)
            self.dataChanged.emit(here, here)
            last = self.rowCount(here) - 1
            if last >= 0:
                self.dataChanged.emit(self.index(0, 0, here), self.index(last, 0, here))

    def group_index(self, group: int) -> QModelIndex:
        """Where a group is; invalid where the filters hide it."""
        row = self._row_of_group.get(group)
        return _ROOT if row is None else self.index(row, 0)

    def member_index(self, divergence: int) -> QModelIndex:
        """Where a divergence is, shown now if it was not."""
        if self._comparison is None:
            return _ROOT
        row = self._row_of_group.get(self._comparison.divergences[divergence].group)
        if row is None:
            return _ROOT
        entry = self._entries[row]
        # Members are ascending: nearest the anchor first, as all divergences are.
        place = int(np.searchsorted(np.array(entry.group.members), divergence))
        if not entry.start <= place < entry.end:
            self._show_stretch(row, max(0, place - 1), min(entry.group.count, place + 2))
            entry = self._entries[row]
        return self.index(place - entry.start + entry.earlier, 0, self.index(row, 0))

    def reveal(self, index: QModelIndex) -> None:
        """Show more of what a "more" or "earlier" row stands for."""
        entry = self._entries[int(index.internalId()) - 1]
        row = int(index.internalId()) - 1
        if index.data(Role.ITEM) == Item.MORE:
            self._show_stretch(row, entry.start, min(entry.group.count, entry.end + MORE_SHOWN))
        else:
            self._show_stretch(row, max(0, entry.start - MORE_SHOWN), entry.end)

    def _show_stretch(self, row: int, start: int, end: int) -> None:
        entry, parent = self._entries[row], self.index(row, 0)
        self.beginRemoveRows(parent, 0, entry.rows - 1)
        entry.taken_out = True
        self.endRemoveRows()
        shown = _Entry(entry.group, start, end)
        self.beginInsertRows(parent, 0, shown.rows - 1)
        self._entries[row] = shown
        self.endInsertRows()

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        """The index of a group, or of a row below one."""
        if column != 0 or not 0 <= row < self.rowCount(parent):
            return _ROOT
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = _ROOT) -> Any:
        """The group of a row. Qt gives this name to the parent of an object too."""
        if not index.isValid() or index.internalId() == 0:
            return _ROOT
        return self.createIndex(int(index.internalId()) - 1, 0, 0)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many groups, or rows below a group."""
        if not parent.isValid():
            return len(self._entries)
        if parent.internalId() != 0 or parent.column() != 0:
            return 0
        return self._entries[parent.row()].rows

    def columnCount(self, parent: Index = _ROOT) -> int:
        """One."""
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a row says."""
        if not index.isValid() or self._comparison is None:
            return None
        if index.internalId() == 0:
            return self._group_data(self._comparison, self._entries[index.row()].group, role)
        entry = self._entries[int(index.internalId()) - 1]
        return self._member_data(self._comparison, entry, index.row(), role)

    def _group_data(self, comparison: Comparison, group: Group, role: int) -> Any:
        first = comparison.divergences[group.members[0]]
        if role == Role.ITEM:
            return Item.GROUP
        if role == Qt.ItemDataRole.DisplayRole:
            return spoken(group.title)
        if role == Role.KIND:
            return group.kind
        if role == Role.COUNT:
            return group.count
        if role == Role.SENTENCE:
            return spoken(first.sentence)
        if role == Role.DIVERGENCE:
            return group.members[0]
        if role in (Role.KNOWN, Role.GREYED, Role.NOTE):
            return self._remark_data(group, role)
        if role in (Role.CAUSE, Role.CAUSE_TEXT, Role.CAUSE_KIND):
            return self._cause_data(comparison, first.caused_by, role)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            text = self._spelled_out(comparison, group)
            return tip(text) if role == Qt.ItemDataRole.ToolTipRole else text
        return None

    def _remark_data(self, group: Group, role: int) -> Any:
        if role == Role.NOTE:
            return self._group_notes.get(group.id, "")
        return group.known if role == Role.KNOWN else group.id in self._greyed

    def _cause_data(self, comparison: Comparison, cause: int | None, role: int) -> Any:
        if role == Role.CAUSE or cause is None:
            return cause
        group = comparison.groups[comparison.divergences[cause].group]
        return group.kind if role == Role.CAUSE_KIND else spoken(group.title)

    def _spelled_out(self, comparison: Comparison, group: Group) -> str:
        first = comparison.divergences[group.members[0]]
        count = f" × {group.count}" if group.count > 1 else ""
        cause = self._cause_data(comparison, first.caused_by, Role.CAUSE_TEXT)
        translate = QCoreApplication.translate
        standing = (
            translate("Differences", "root")
            if cause is None
            else translate("Differences", "because of {cause}").format(cause=cause)
        )
        return (
            f"{kind_name(group.kind)}: {spoken(group.title)}{count}\n"
            f"{spoken(first.sentence)}\n{standing}{_note_text(self._group_notes.get(group.id))}"
        )

    def _member_data(self, comparison: Comparison, entry: _Entry, row: int, role: int) -> Any:
        item = entry.item(row)
        if role == Role.ITEM:
            return item
        if role == Role.KIND:
            return entry.group.kind
        shown = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        if item is not Item.MEMBER:
            left_out = entry.start if item is Item.EARLIER else entry.group.count - entry.end
            return _left_out_text(item, left_out) if role in shown else None
        divergence = entry.group.members[entry.start + row - entry.earlier]
        if role == Role.DIVERGENCE:
            return divergence
        if role in shown:
            # Found again by its mark; the note itself is in the tooltip.
            mark = f"{NOTE_SIGN} " if divergence in self._notes else ""
            return mark + lines_text(comparison, comparison.divergences[divergence])
        if role == Role.PLACE:
            return place_text(comparison, comparison.divergences[divergence])
        if role == Role.NOTE:
            return self._notes.get(divergence, "")
        if role == Qt.ItemDataRole.ToolTipRole:
            said = spoken(comparison.divergences[divergence].sentence)
            return tip(said + _note_text(self._notes.get(divergence)))
        return None


def _note_text(note: str | None) -> str:
    return f"\n✎ {note}" if note else ""


def _left_out_text(item: Item, count: int) -> str:
    if item is Item.EARLIER:
        return QCoreApplication.translate("Differences", "… {n} nearer the anchor").format(n=count)
    return QCoreApplication.translate("Differences", "… {n} more").format(n=count)
