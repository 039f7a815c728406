"""What each row of the list says: headings, groups, members."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt

from opdiff.compare import Comparison
from opdiff.report.listing import times
from opdiff.ui.differences.outline import Listed, Outline
from opdiff.ui.differences.rows import Entry, Item, Role
from opdiff.ui.differences.standing import Standing
from opdiff.ui.differences.texts import lines_text, place_text, region_text
from opdiff.ui.language import kind_name, spoken
from opdiff.ui.plain_text import tip
from opdiff.ui.theme import NOTE_SIGN

_SHOWN = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


class Cards:
    """Answers for the rows of an outline, with what the user wrote about them."""

    def __init__(self, outline: Outline) -> None:
        self._notes: Mapping[int, str] = {}
        self._group_notes: Mapping[int, str] = {}
        self._greyed: frozenset[int] = frozenset()
        self.outline = outline

    @property
    def outline(self) -> Outline:
        """What is listed."""
        return self._outline

    @outline.setter
    def outline(self, outline: Outline) -> None:
        self._outline = outline
        self._standing = Standing(outline)

    @property
    def _comparison(self) -> Comparison:
        assert self._outline.comparison is not None, "an empty list has no rows"
        return self._outline.comparison

    def remark(
        self, notes: Mapping[int, str], group_notes: Mapping[int, str], greyed: frozenset[int]
    ) -> bool:
        """Take over notes on divergences and groups, and what is called known; False if old."""
        if (notes, group_notes, greyed) == (self._notes, self._group_notes, self._greyed):
            return False
        self._notes, self._group_notes, self._greyed = notes, group_notes, greyed
        return True

    def heading(self, role: int, *, is_open: bool) -> Any:
        """What the heading of what cannot change values says."""
        if role in _SHOWN:
            return self._heading_text()
        if role == Qt.ItemDataRole.ToolTipRole:
            return QCoreApplication.translate(
                "Differences",
                "Views, copies, layouts, known names and order: none of it changes a value",
            )
        answers: dict[int, Any] = {Role.ITEM: Item.SECTION, Role.OPEN: is_open, Role.DEPTH: 0}
        return answers.get(role)

    def _heading_text(self) -> str:
        translate = QCoreApplication.translate
        groups = [self._outline.listed[row].group for row in self._outline.harmless]
        count = sum(group.count for group in groups)
        one, many = translate("Differences", "1 group"), translate("Differences", "{n} groups")
        said = one if len(groups) == 1 else many.format(n=f"{len(groups):,}")
        one = translate("Differences", "1 difference")
        many = translate("Differences", "{n} differences")
        words = translate("Differences", "Cannot change values: {groups}, {differences}")
        if any(group.neutral for group in groups):  # so the values say
            words = translate("Differences", "Change no values: {groups}, {differences}")
        return words.format(
            groups=said, differences=one if count == 1 else many.format(n=f"{count:,}")
        )

    def group(self, entry: Entry, role: int, *, is_open: bool) -> Any:
        """What the card of a group says."""
        assert entry.listed is not None
        here, group = entry.listed, entry.group
        answers: dict[int, Callable[[], Any]] = {
            Role.ITEM: lambda: Item.GROUP,
            Role.GROUP: lambda: group.id,
            Role.KIND: lambda: group.kind,
            Role.COUNT: lambda: group.count,
            Role.TIMES: lambda: times(group.title, group.count),
            Role.DEPTH: lambda: here.depth,
            Role.OPEN: lambda: is_open if here.explains else None,
            Role.SENTENCE: lambda: self._sentence(entry),
            Role.DIVERGENCE: lambda: int(self._outline.members(entry.row)[0]),
            Role.CAUSE: lambda: self._standing.cause(group),
            Role.TAGS: lambda: self._standing.tags(
                here, is_open=is_open, greyed=group.id in self._greyed
            ),
            Role.TAGGED: lambda: self._standing.is_tagged(here, greyed=group.id in self._greyed),
            Role.KNOWN: lambda: group.known,
            Role.GREYED: lambda: group.id in self._greyed,
            Role.NOTE: lambda: self._group_notes.get(group.id, ""),
            Qt.ItemDataRole.DisplayRole: lambda: spoken(group.title),
            Qt.ItemDataRole.ToolTipRole: lambda: tip(self._spelled_out(entry, here)),
            Qt.ItemDataRole.AccessibleTextRole: lambda: self._spelled_out(entry, here),
        }
        answer = answers.get(role)
        return None if answer is None else answer()

    def _sentence(self, entry: Entry) -> str:
        if entry.group.region is not None:
            return region_text(self._comparison, entry.group.region)
        first = int(self._outline.members(entry.row)[0])
        return spoken(self._comparison.divergences[first].sentence)

    def _spelled_out(self, entry: Entry, here: Listed) -> str:
        group = here.group
        often = times(group.title, group.count)
        count = f" × {often}" if often > 1 else ""
        standing = " · ".join(tag.words for tag in self._standing.all_tags(here, self._greyed))
        return (
            f"{kind_name(group.kind)}: {spoken(group.title)}{count}\n"
            f"{self._sentence(entry)}\n{standing}{_note_text(self._group_notes.get(group.id))}"
        )

    def member(self, entry: Entry, row: int, role: int) -> Any:
        """What a row below a group says."""
        item = entry.item(row)
        if role == Role.ITEM:
            return item
        if role == Role.KIND:
            return entry.group.kind
        if role == Role.GROUP:
            return entry.group.id
        if role == Role.DEPTH:
            return entry.listed.depth if entry.listed is not None else 0
        if item is not Item.MEMBER:
            left_out = entry.start if item is Item.EARLIER else entry.group.count - entry.end
            return _left_out_text(item, left_out) if role in _SHOWN else None
        place = entry.start + row - entry.earlier
        return self._divergence(int(self._outline.members(entry.row)[place]), role)

    def _divergence(self, index: int, role: int) -> Any:
        found = self._comparison.divergences[index]
        note = self._notes.get(index)
        if role == Role.DIVERGENCE:
            return index
        if role in _SHOWN:
            text = lines_text(self._comparison, found)
            return f"{NOTE_SIGN} {text}" if note else text
        if role == Role.PLACE:
            return place_text(self._comparison, found)
        if role == Role.NOTE:
            return note or ""
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(spoken(found.sentence) + _note_text(note))
        return None


def _note_text(note: str | None) -> str:
    return f"\n{NOTE_SIGN} {note}" if note else ""


def _left_out_text(item: Item, count: int) -> str:
    if item is Item.EARLIER:
        return QCoreApplication.translate("Differences", "… {n} before").format(n=count)
    return QCoreApplication.translate("Differences", "… {n} more").format(n=count)
