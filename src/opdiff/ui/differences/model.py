"""The groups of differences as an item model; members are handed out a few at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from opdiff.ui.differences.cards import Cards
from opdiff.ui.differences.outline import Outline
from opdiff.ui.differences.rows import FIRST_SHOWN, MORE_SHOWN, Entry, Index, Item, Role

_ROOT = QModelIndex()


class DifferenceModel(QAbstractItemModel):
    """Groups at the top, their members below them, "… 119 more" at the end of a long group.

    What a group explains stands right after it, one step deeper, and can be folded away; what
    cannot change values comes last, under a heading that is closed where there is anything else.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._outline = Outline()
        self._cards = Cards(self._outline)
        self._entries: list[Entry] = []
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
        self._outline = self._cards.outline = outline
        away = self._folded_away()
        rows = range(len(outline.listed))
        self._take([entry for row in rows for entry in self._at(row, row in away)])
        self.endResetModel()

    @property
    def outline(self) -> Outline:
        """What is listed."""
        return self._outline

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
        harmless = self._outline.harmless
        away = self._folded_away()
        rows = [row for row in harmless if row not in away]
        if wanted:
            self._wanted_open = wanted
            self._insert(len(self._entries), rows)
        else:
            self._remove(len(self._entries) - len(rows), len(rows))
            self._wanted_open = wanted
        self._say_again(self._section_row())

    def set_effects_shown(self, index: Index, shown: bool) -> None:
        """List what a group explains, or fold it away."""
        group = index.data(Role.GROUP)
        if group is None or index.data(Role.OPEN) is None or index.data(Role.OPEN) is shown:
            return
        place = index.row() + 1
        away = self._folded_away(but=group)
        below = [row for row in self._below(group) if row not in away]
        if shown:
            self._folded.discard(group)
            self._insert(place, below)
        else:
            self._remove(place, len(below))
            self._folded.add(group)
        self._say_again(place - 1)

    def _at(self, row: int, away: bool) -> list[Entry]:
        """What stands in the list because of a row of the outline: it, after its heading."""
        harmless = self._outline.harmless
        found = [Entry(row, None)] if harmless and row == harmless.start else []
        if away or (row in harmless and not self.section_open):
            return found
        return [*found, self._entry(row)]

    def _entry(self, row: int) -> Entry:
        listed = self._outline.listed[row]
        return Entry(row, listed, 0, min(FIRST_SHOWN, listed.group.count))

    def _folded_away(self, but: int | None = None) -> set[int]:
        """The rows of the outline below what is folded; *but* one group counts as open."""
        found: set[int] = set()
        for row, here in enumerate(self._outline.listed):  # each comes after the one above it
            above = here.above
            if above is None:
                continue
            if self._outline.row_of[above] in found or (above in self._folded and above != but):
                found.add(row)
        return found

    def _below(self, group: int) -> list[int]:
        """Rows of the outline that stand below a group: right after it, deeper."""
        listed, first = self._outline.listed, self._outline.row_of[group]
        found = []
        for row in range(first + 1, len(listed)):
            if listed[row].depth <= listed[first].depth:
                break
            found.append(row)
        return found

    def _insert(self, place: int, rows: list[int]) -> None:
        if rows:
            self.beginInsertRows(_ROOT, place, place + len(rows) - 1)
            entries = [self._entry(row) for row in rows]
            self._take([*self._entries[:place], *entries, *self._entries[place:]])
            self.endInsertRows()

    def _remove(self, place: int, count: int) -> None:
        if count:
            self.beginRemoveRows(_ROOT, place, place + count - 1)
            self._take([*self._entries[:place], *self._entries[place + count :]])
            self.endRemoveRows()

    def _take(self, entries: list[Entry]) -> None:
        self._entries = entries
        self._row_of_group = {
            entry.group.id: row for row, entry in enumerate(entries) if entry.listed is not None
        }

    def _section_row(self) -> int | None:
        return next((r for r, entry in enumerate(self._entries) if entry.listed is None), None)

    def _say_again(self, row: int | None) -> None:
        if row is not None:
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
        group = index.data(Role.GROUP)
        row = None if group is None else self._outline.row_of.get(group)
        above = None if row is None else self._outline.listed[row].above
        return _ROOT if above is None else self.group_index(above)

    def uncover(self, group: int) -> QModelIndex:
        """Where a group is, brought out from where it is folded away; invalid if filtered out."""
        row = self._outline.row_of.get(group)
        if row is None:
            return _ROOT
        if row in self._outline.harmless:
            self.set_section_open(True)
        above = self._outline.listed[row].above
        folded = []
        while above is not None:
            folded += [above] if above in self._folded else []
            above = self._outline.listed[self._outline.row_of[above]].above
        for each in reversed(folded):  # from the top down: each comes out with the one above it
            self.set_effects_shown(self.group_index(each), True)
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
        row = index.parent().row()
        entry = self._entries[row]
        if index.data(Role.ITEM) == Item.MORE:
            self._show_stretch(row, entry.start, min(entry.group.count, entry.end + MORE_SHOWN))
        else:
            self._show_stretch(row, max(0, entry.start - MORE_SHOWN), entry.end)

    def _show_stretch(self, row: int, start: int, end: int) -> None:
        entry, parent = self._entries[row], self.index(row, 0)
        self.beginRemoveRows(parent, 0, entry.rows - 1)
        entry.taken_out = True
        self.endRemoveRows()
        shown = Entry(entry.row, entry.listed, start, end)
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
        if not index.isValid() or self._outline.comparison is None:
            return None
        if index.internalId() == 0:
            entry = self._entries[index.row()]
            if entry.listed is None:
                return self._cards.heading(role, is_open=self.section_open)
            return self._cards.group(entry, role, is_open=entry.group.id not in self._folded)
        row = self._row_of_group.get(int(index.internalId()) - 1)
        return None if row is None else self._cards.member(self._entries[row], index.row(), role)
