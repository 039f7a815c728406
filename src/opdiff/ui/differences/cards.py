"""What each row of the list says: headings, groups and how they stand, members."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt

from opdiff.compare import Comparison, Divergence, Group, Side
from opdiff.compare.comparison import Region
from opdiff.report.listing import times
from opdiff.trace import Trace
from opdiff.ui.differences.outline import Listed, Outline
from opdiff.ui.differences.rows import Item, ListRole, TopRow
from opdiff.ui.look.language import kind_name, spoken
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import NOTE_SIGN, sign_of
from opdiff.wording.printable import printable

_LAYER = re.compile(r"(?:layers?|blocks?|cells?)[._/-]?(\d+)", re.IGNORECASE)

WHOLE_GRAPH = "Default"
"""The scope of everything in a compiled graph: no place at all."""
MOST_LOOKED_AT = 500
"""Members of a group whose causes are counted: more would be felt."""
_FEW_MEMBERS = 50
"""So many show whether a group has ops of several types."""
_SHOWN = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


def lines_of(trace: Trace, rows: tuple[int, ...]) -> str:
    """``493``, or ``493, 496``, or ``493 … 511 (7)``; a dash where there are none."""
    if not rows:
        return "—"
    lines = [int(trace.line_of(row)) for row in rows]
    if len(lines) <= 2:
        return ", ".join(map(str, lines))
    return f"{lines[0]} … {lines[-1]} ({len(lines)})"


def lines_text(comparison: Comparison, found: Divergence | Region) -> str:
    """``left 493 ↔ right 499``; only one side where there is only one."""
    translate = QCoreApplication.translate
    left = lines_of(comparison.left.trace, found.left_rows)
    right = lines_of(comparison.right.trace, found.right_rows)
    if not found.right_rows:
        return translate("Differences", "left {line}").format(line=left)
    if not found.left_rows:
        return translate("Differences", "right {line}").format(line=right)
    return translate("Differences", "left {left} ↔ right {right}").format(left=left, right=right)


def type_text(comparison: Comparison, found: Divergence) -> str:
    """The op type of a difference; the left one where both sides have one."""
    side = Side.LEFT if found.left_rows else Side.RIGHT
    return printable(comparison.side(side).trace.type_name(found.rows(side)[0]))


def region_text(comparison: Comparison, region: Region) -> str:
    """Where a region lies, and of how many such blocks it is one."""
    lines = lines_text(comparison, region)
    if region.of is None:
        return lines
    words = QCoreApplication.translate("Differences", "{lines} · one of {n} such blocks")
    return words.format(lines=lines, n=region.of)


def place_text(comparison: Comparison, found: Divergence) -> str:
    """The layer, else the function or the scope it happens in; empty if unknown."""
    for side in (Side.LEFT, Side.RIGHT):
        for row in found.rows(side)[:1]:
            place = place_of(comparison.side(side).trace, row)
            if place:
                return printable(place)
    return ""


def place_of(trace: Trace, row: int) -> str:
    """The layer, else the function or the scope of an op; empty if unknown."""
    scope = trace.scope_name(row)
    layer = _LAYER.search(scope)
    if layer:
        return QCoreApplication.translate("Differences", "layer {n}").format(n=layer[1])
    frame = trace.user_frame(row)
    if frame is not None:
        return str(frame)
    last = scope.rpartition("/")[2]
    return "" if last == WHOLE_GRAPH else last


class Style(str, Enum):
    """What a tag is, which says how it looks and whether it can be clicked."""

    ROOT = "root"
    EXPLAINS = "explains"
    """A click folds what is explained away, or lists it again."""
    CAUSE = "cause"
    """A click goes there."""
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class Tag:
    """A few words on a card."""

    style: Style
    words: str


class Standing:
    """Says how the groups of an outline stand."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._followers: dict[int, int] = {}

    def cause(self, group: Group) -> int | None:
        """A divergence of the group that explains this one: the very one, as far as is known."""
        comparison = self._outline.comparison
        if comparison is None or group.parent is None:
            return None
        first = comparison.divergences[comparison.as_read(group.members[:1])[0]]
        cause = first.caused_by
        if cause is not None and int(comparison.group_of[cause]) == group.parent:
            return cause
        return comparison.groups[group.parent].members[0]

    def is_tagged(self, here: Listed, *, greyed: bool) -> bool:
        """Whether a card has any tag."""
        group = here.group
        placed = here.above is not None and here.above == group.parent
        plain = bool(here.explains or group.known or greyed or group.phase)
        return group.root or plain or not placed

    def tags(self, here: Listed, *, is_open: bool, greyed: bool) -> list[Tag]:
        """What a card says; what its place in the tree says already is left out."""
        found = [tag for tag in self._all(here, is_open, greyed) if tag.words]
        if here.above is not None and here.above == here.group.parent:
            found = [tag for tag in found if tag.style is not Style.CAUSE]
        return found

    def all_tags(self, here: Listed, greyed: frozenset[int]) -> list[Tag]:
        """All of it, for those who cannot see the tree."""
        found = self._all(here, None, here.group.id in greyed)
        return [tag for tag in found if tag.words]

    def _all(self, here: Listed, is_open: bool | None, greyed: bool) -> list[Tag]:
        translate = QCoreApplication.translate
        group = here.group
        found = []
        if group.root:
            found.append(Tag(Style.ROOT, translate("Differences", "root")))
            followers = self._follow(group)
            if 0 < followers < group.count:
                words = translate("Differences", "{n} of {total} follow from others")
                said = words.format(n=followers, total=group.count)
                found.append(Tag(Style.PLAIN, said))
        else:
            found.append(Tag(Style.CAUSE, self._cause_words(group)))
        if here.explains:
            words = translate("Differences", "explains {n}").format(n=f"{here.explains:,}")
            fold = "" if is_open is None else "▾ " if is_open else "▸ "
            found.append(Tag(Style.EXPLAINS, fold + words))
        if greyed and not group.known:
            found.append(Tag(Style.PLAIN, translate("Differences", "known")))
        elif group.known:
            found.append(Tag(Style.PLAIN, translate("Differences", "known rename")))
        found.append(Tag(Style.PLAIN, _phase_name(group.phase)))
        return found

    def _cause_words(self, group: Group) -> str:
        comparison = self._outline.comparison
        if comparison is None or group.parent is None:
            return ""
        upper = comparison.groups[group.parent]
        named = f"{sign_of(upper.kind)} {spoken(upper.title)}"
        return QCoreApplication.translate("Differences", "because of {cause}").format(cause=named)

    def _follow(self, group: Group) -> int:
        """How many members of a root follow from other groups all the same."""
        comparison = self._outline.comparison
        if comparison is None or group.count > MOST_LOOKED_AT:
            return 0
        if group.id not in self._followers:
            causes = [comparison.divergences[member].caused_by for member in group.members]
            self._followers[group.id] = sum(
                cause is not None and int(comparison.group_of[cause]) != group.id
                for cause in causes
            )
        return self._followers[group.id]


def _phase_name(phase: str | None) -> str:
    # Spelled out call by call, by this very name: only so does lupdate find the words.
    translate = QCoreApplication.translate
    return {
        "forward": translate("Differences", "forward"),
        "backward": translate("Differences", "backward"),
        "optimizer": translate("Differences", "optimizer"),
    }.get(phase or "", phase or "")


class Cards:
    """Answers for the rows of an outline, with what the user wrote about them."""

    def __init__(self, outline: Outline) -> None:
        self._notes: Mapping[int, str] = {}
        self._group_notes: Mapping[int, str] = {}
        self._greyed: frozenset[int] = frozenset()
        self.show(outline)

    def show(self, outline: Outline) -> None:
        """Answer for another outline."""
        self._outline = outline
        self._standing = Standing(outline)
        self._mixed_groups: dict[int, bool] = {}

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

    def left_out(self, entry: TopRow, role: int) -> Any:
        """What the row says that stands for groups before or after those that are listed."""
        if role == ListRole.ITEM:
            return entry.what
        if role == ListRole.DEPTH:
            return 0
        return _left_out_text(entry.what, entry.row, groups=True) if role in _SHOWN else None

    def heading(self, role: int, *, is_open: bool) -> Any:
        """What the heading of what cannot change values says."""
        if role in _SHOWN:
            return self._heading_text()
        if role == Qt.ItemDataRole.ToolTipRole:
            return QCoreApplication.translate(
                "Differences",
                "Views, copies, layouts, known names and order: none of it changes a value",
            )
        answers: dict[int, Any] = {
            ListRole.ITEM: Item.SECTION,
            ListRole.OPEN: is_open,
            ListRole.DEPTH: 0,
        }
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

    def group(self, entry: TopRow, role: int, *, is_open: bool) -> Any:
        """What the card of a group says."""
        assert entry.listed is not None
        here, group = entry.listed, entry.group
        answers: dict[int, Callable[[], Any]] = {
            ListRole.ITEM: lambda: Item.GROUP,
            ListRole.GROUP: lambda: group.id,
            ListRole.KIND: lambda: group.kind,
            ListRole.COUNT: lambda: group.count,
            ListRole.TIMES: lambda: times(group.title, group.count),
            ListRole.DEPTH: lambda: here.depth,
            ListRole.OPEN: lambda: is_open if here.explains else None,
            ListRole.SENTENCE: lambda: self._sentence(entry),
            ListRole.DIVERGENCE: lambda: int(self._outline.members(entry.row)[0]),
            ListRole.CAUSE: lambda: self._standing.cause(group),
            ListRole.TAGS: lambda: self._standing.tags(
                here, is_open=is_open, greyed=group.id in self._greyed
            ),
            ListRole.TAGGED: lambda: self._standing.is_tagged(
                here, greyed=group.id in self._greyed
            ),
            ListRole.GREYED: lambda: group.id in self._greyed,
            ListRole.NOTE: lambda: self._group_notes.get(group.id, ""),
            Qt.ItemDataRole.DisplayRole: lambda: spoken(group.title),
            Qt.ItemDataRole.ToolTipRole: lambda: tip(self._spelled_out(entry, here)),
            Qt.ItemDataRole.AccessibleTextRole: lambda: self._spelled_out(entry, here),
        }
        answer = answers.get(role)
        return None if answer is None else answer()

    def _sentence(self, entry: TopRow) -> str:
        if entry.group.region is not None:
            return region_text(self._comparison, entry.group.region)
        first = int(self._outline.members(entry.row)[0])
        return spoken(self._comparison.divergences[first].sentence)

    def _spelled_out(self, entry: TopRow, here: Listed) -> str:
        group = here.group
        often = times(group.title, group.count)
        count = f" × {often}" if often > 1 else ""
        standing = " · ".join(tag.words for tag in self._standing.all_tags(here, self._greyed))
        return (
            f"{kind_name(group.kind)}: {spoken(group.title)}{count}\n"
            f"{self._sentence(entry)}\n{standing}{_note_text(self._group_notes.get(group.id))}"
        )

    def member(self, entry: TopRow, row: int, role: int) -> Any:
        """What a row below a group says."""
        item = entry.item(row)
        if role == ListRole.ITEM:
            return item
        if role == ListRole.KIND:
            return entry.group.kind
        if role == ListRole.GROUP:
            return entry.group.id
        if role == ListRole.DEPTH:
            return entry.listed.depth if entry.listed is not None else 0
        if item is not Item.MEMBER:
            left_out = entry.start if item is Item.EARLIER else entry.group.count - entry.end
            return _left_out_text(item, left_out) if role in _SHOWN else None
        place = entry.start + row - entry.earlier
        return self._divergence(int(self._outline.members(entry.row)[place]), role)

    def _divergence(self, index: int, role: int) -> Any:
        found = self._comparison.divergences[index]
        note = self._notes.get(index)
        if role == ListRole.DIVERGENCE:
            return index
        if role in _SHOWN:
            text = lines_text(self._comparison, found)
            both = found.left_rows and found.right_rows
            if not both and self._mixed(int(self._comparison.group_of[index])):
                text = f"{text} {type_text(self._comparison, found)}"
            return f"{NOTE_SIGN} {text}" if note else text
        if role == ListRole.PLACE:
            return place_text(self._comparison, found)
        if role == ListRole.NOTE:
            return note or ""
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(spoken(found.sentence) + _note_text(note))
        return None

    def _mixed(self, group: int) -> bool:
        """Whether a group has ops of several types: its members are then told apart by theirs."""
        known = self._mixed_groups.get(group)
        if known is None:
            first = self._comparison.groups[group].members[:_FEW_MEMBERS]
            found = (self._comparison.divergences[member] for member in first)
            types = {type_text(self._comparison, each) for each in found}
            known = self._mixed_groups[group] = len(types) > 1
        return known


def _note_text(note: str | None) -> str:
    return f"\n{NOTE_SIGN} {note}" if note else ""


def _left_out_text(item: Item, count: int, *, groups: bool = False) -> str:
    translate = QCoreApplication.translate
    words = {
        (Item.EARLIER, False): translate("Differences", "… {n} before"),
        (Item.MORE, False): translate("Differences", "… {n} more"),
        (Item.EARLIER, True): translate("Differences", "… {n} groups before"),
        (Item.MORE, True): translate("Differences", "… {n} more groups"),
    }[item, groups]
    return words.format(n=f"{count:,}")
