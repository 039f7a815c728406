"""The groups of differences as an item model; members are handed out a few at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from opdiff.trace.columns import Longs
from opdiff.ui.differences.cards import Card, Cards, GroupCard, card_of
from opdiff.ui.differences.outline import Outline
from opdiff.ui.differences.rows import (
    CARD,
    FIRST_SHOWN,
    GROUPS_SHOWN,
    MORE_SHOWN,
    MOST_GROUPS_SHOWN,
    Index,
    Item,
    TopRow,
)
from opdiff.ui.look.plain_text import tip

_ROOT = QModelIndex()
_SAID: dict[int, Callable[[Card], Any]] = {
    CARD: lambda card: card,
    Qt.ItemDataRole.DisplayRole: lambda card: card.words,
    # Who cannot see the list hears how a group stands in it.
    Qt.ItemDataRole.AccessibleTextRole: lambda card: (
        card.told if isinstance(card, GroupCard) else card.words
    ),
    Qt.ItemDataRole.ToolTipRole: lambda card: tip(card.told),
}
"""What is said of a card in each role."""


class DifferenceModel(QAbstractItemModel):
    """Groups at the top, their members below them, "… 119 more" at the end of a long group.

    What a group explains stands right after it, one step deeper, and can be folded away; what
    cannot change values comes last, under a heading that is closed where there is anything else.
    Of very many groups a stretch is listed, and moves to where one goes.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._outline = Outline()
        self._cards = Cards(self._outline)
        self._places: Longs = np.empty(0, np.int64)
        """All that could be listed now, ascending: ``2 * row + 1`` for a row of the outline,
        ``2 * row`` for the heading before it."""
        self._first = self._end = 0
        """The stretch of these places that is listed."""
        self._entries: list[TopRow] = []
        self._row_of_group: dict[int, int] = {}
        self._folded: set[int] = set()
        self._wanted_open: bool | None = None

    # What is listed

    def show(self, outline: Outline) -> None:
        """List the groups of an outline."""
        self.beginResetModel()
        if outline.comparison is not self._outline.comparison:
            # What follows from a copy or a layout is many cards that say the same.
            harmless = (outline.listed[row] for row in outline.harmless)
            self._folded = {here.group.id for here in harmless if here.explains}
        self._outline = outline
        self._cards.show(outline)
        self._places = self._all_places()
        self._first, self._end = 0, min(GROUPS_SHOWN, len(self._places))
        self._take(self._stretch())
        self.endResetModel()

    @property
    def section_open(self) -> bool:
        """Whether what cannot change values is listed; of its own accord where it is all."""
        if self._wanted_open is not None:
            return self._wanted_open
        return len(self._outline.harmless) == len(self._outline.listed)

    def set_section_open(self, wanted: bool) -> None:
        """List what cannot change values, or only how much of it there is."""
        if wanted == self.section_open:
            return
        self._wanted_open = wanted
        self._list_again()
        for row, entry in enumerate(self._entries):
            if entry.what is Item.SECTION:
                self._say_again(row)

    def set_effects_shown(self, index: Index, shown: bool) -> None:
        """List what a group explains, or fold it away."""
        card = card_of(index)
        if card.group is None or card.is_open in (None, shown):
            return
        group = card.group.id
        (self._folded.discard if shown else self._folded.add)(group)
        self._list_again(self._place_of(group))
        self._say_again(self._row_of_group[group])

    def _all_places(self) -> Longs:
        outline = self._outline
        shown = np.ones(len(outline.listed), np.bool_)
        shown[self._folded_away()] = False
        harmless = outline.harmless
        if not harmless:
            return 2 * np.flatnonzero(shown) + 1
        if not self.section_open:
            shown[harmless.start :] = False
        places = 2 * np.flatnonzero(shown) + 1
        heading = 2 * harmless.start
        return np.insert(places, np.searchsorted(places, heading), heading)

    def _folded_away(self) -> list[int]:
        """The rows of the outline below what is folded."""
        if not self._folded:
            return []
        found: dict[int, None] = {}
        for row, here in enumerate(self._outline.listed):  # each comes after the one above it
            above = here.above
            if above is not None and (
                above in self._folded or self._outline.row_of[above] in found
            ):
                found[row] = None
        return list(found)

    def _place_of(self, group: int) -> int:
        """Where among all that could be listed a group is."""
        return int(np.searchsorted(self._places, 2 * self._outline.row_of[group] + 1))

    def _list_again(self, kept: int = 0) -> None:
        """Something was folded or unfolded after a place: the stretch gives or takes room."""
        before = len(self._places)
        self._places = self._all_places()
        end = self._end + len(self._places) - before
        self._list(self._first, max(self._first + GROUPS_SHOWN, kept + 1, end))

    def _list(self, first: int, end: int) -> None:
        """List another stretch; what is in both stays as it is."""
        self._first = max(0, min(first, len(self._places) - GROUPS_SHOWN))
        self._end = min(end, len(self._places), self._first + MOST_GROUPS_SHOWN)
        old, new = self._entries, self._stretch()
        same = 0
        while same < min(len(old), len(new)) and _is_same(old[same], new[same]):
            same += 1
        left = min(len(old), len(new)) - same
        alike = 0
        while alike < left and _is_same(old[-1 - alike], new[-1 - alike]):
            alike += 1
        gone, come = len(old) - same - alike, len(new) - same - alike
        before, after = old[:same], old[len(old) - alike :]
        if gone:
            self.beginRemoveRows(_ROOT, same, same + gone - 1)
            self._take([*before, *after])
            self.endRemoveRows()
        if come:
            self.beginInsertRows(_ROOT, same, same + come - 1)
            self._take([*before, *new[same : same + come], *after])
            self.endInsertRows()
        for row, (entry, now) in enumerate(zip(self._entries, new, strict=True)):
            if entry.listed is None and entry.row != now.row:
                entry.row = now.row
                self._say_again(row)

    def _stretch(self) -> list[TopRow]:
        before, after = self._first, len(self._places) - self._end
        return [
            *([TopRow(before, None, what=Item.EARLIER)] if before else ()),
            *(self._entry(int(place)) for place in self._places[self._first : self._end]),
            *([TopRow(after, None, what=Item.MORE)] if after else ()),
        ]

    def _entry(self, place: int) -> TopRow:
        if not place % 2:
            return TopRow(place // 2, None, what=Item.SECTION)
        listed = self._outline.listed[place // 2]
        return TopRow(place // 2, listed, 0, min(FIRST_SHOWN, listed.group.count))

    def _take(self, entries: list[TopRow]) -> None:
        self._entries = entries
        self._row_of_group = {
            entry.group.id: row for row, entry in enumerate(entries) if entry.listed is not None
        }

    def _say_again(self, row: int) -> None:
        self.dataChanged.emit(self.index(row, 0), self.index(row, 0))

    # What is said besides

    def setRemarks(
        self, notes: Mapping[int, str], group_notes: Mapping[int, str], greyed: frozenset[int]
    ) -> None:
        """What the user wrote on divergences and on groups, and the groups they call known."""
        if self._cards.remark(notes, group_notes, greyed):
            self.retranslate()

    def retranslate(self) -> None:
        """Everything reads differently now; nothing moved."""
        # Told row by row, the view would look for each among all.
        self.layoutAboutToBeChanged.emit()
        self.layoutChanged.emit()

    # Where things are

    def group_index(self, group: int) -> QModelIndex:
        """Where a group is; invalid where it is not listed now."""
        row = self._row_of_group.get(group)
        return _ROOT if row is None else self.index(row, 0)

    def group_above(self, index: Index) -> QModelIndex:
        """The group that a group stands under; invalid where there is none."""
        group = card_of(index).group
        row = None if group is None else self._outline.row_of.get(group.id)
        above = None if row is None else self._outline.listed[row].above
        return _ROOT if above is None else self.uncover(above)

    def uncover(self, group: int) -> QModelIndex:
        """Where a group is, brought out from where it is not listed; invalid if filtered out."""
        row = self._outline.row_of.get(group)
        if row is None:
            return _ROOT
        if row in self._outline.harmless:
            self.set_section_open(True)
        above = self._outline.listed[row].above
        folded = set()
        while above is not None:
            folded |= {above} & self._folded
            above = self._outline.listed[self._outline.row_of[above]].above
        if folded:
            self._folded -= folded
            self._list_again()
            for each in folded & self._row_of_group.keys():
                self._say_again(self._row_of_group[each])
        if group not in self._row_of_group:
            place = self._place_of(group)
            self._list(place - GROUPS_SHOWN // 2, place + GROUPS_SHOWN // 2)
        return self.group_index(group)

    def member_index(self, divergence: int) -> QModelIndex:
        """Where a divergence is, shown now if it was not."""
        row = self._outline.row_with(divergence)
        if row is None:
            return _ROOT
        at = self.uncover(self._outline.listed[row].group.id).row()
        entry = self._entries[at]
        place = self._outline.place_in_group(row, divergence)
        if not entry.start <= place < entry.end:
            self._show_stretch(at, max(0, place - 1), min(entry.group.count, place + 2))
            entry = self._entries[at]
        return self.index(place - entry.start + entry.earlier, 0, self.index(at, 0))

    def reveal(self, index: QModelIndex) -> None:
        """Show more of what a "more" or "earlier" row stands for."""
        if not index.parent().isValid():
            self._reveal_groups(card_of(index).item)
            return
        row = index.parent().row()
        entry = self._entries[row]
        if card_of(index).item is Item.MORE:
            self._show_stretch(row, entry.start, min(entry.group.count, entry.end + MORE_SHOWN))
        else:
            self._show_stretch(row, max(0, entry.start - MORE_SHOWN), entry.end)

    def _reveal_groups(self, item: Item | None) -> None:
        if item is Item.MORE:
            end = self._end + GROUPS_SHOWN
            self._list(max(self._first, end - MOST_GROUPS_SHOWN), end)
        else:
            first = max(0, self._first - GROUPS_SHOWN)
            self._list(first, min(self._end, first + MOST_GROUPS_SHOWN))

    def _show_stretch(self, row: int, start: int, end: int) -> None:
        entry, parent = self._entries[row], self.index(row, 0)
        self.beginRemoveRows(parent, 0, entry.rows - 1)
        entry.taken_out = True
        self.endRemoveRows()
        shown = TopRow(entry.row, entry.listed, start, end)
        self.beginInsertRows(parent, 0, shown.rows - 1)
        self._entries[row] = shown
        self.endInsertRows()

    # As Qt asks for it

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        """The index of a group, or of a row below one."""
        if column != 0 or not 0 <= row < self.rowCount(parent):
            return _ROOT
        # Rows below a group know it by its id: it may move when others are folded away.
        below = self._entries[parent.row()].group.id + 1 if parent.isValid() else 0
        return self.createIndex(row, column, below)

    def parent(self, index: Index = _ROOT) -> Any:
        """The group of a row. Qt gives this name to the parent of an object too."""
        if not index.isValid() or index.internalId() == 0:
            return _ROOT
        row = self._row_of_group.get(int(index.internalId()) - 1)
        return _ROOT if row is None else self.createIndex(row, 0, 0)

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many groups and headings, or rows below a group."""
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
        if role not in _SAID or not index.isValid() or self._outline.comparison is None:
            return None
        card = self._card(index)
        return None if card is None else _SAID[role](card)

    def _card(self, index: Index) -> Card | None:
        if index.internalId() == 0:
            entry = self._entries[index.row()]
            if entry.what is Item.SECTION:
                return self._cards.heading(is_open=self.section_open)
            if entry.listed is None:
                return self._cards.left_out(entry)
            return self._cards.group(entry, is_open=entry.group.id not in self._folded)
        row = self._row_of_group.get(int(index.internalId()) - 1)
        return None if row is None else self._cards.member(self._entries[row], index.row())


def _is_same(one: TopRow, other: TopRow) -> bool:
    """Whether two entries stand for the same, however many that is."""
    if one.what is not other.what:
        return False
    return one.what in (Item.EARLIER, Item.MORE) or one.row == other.row
