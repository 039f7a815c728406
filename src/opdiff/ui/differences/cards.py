"""What each row of the list says: headings, groups and how they stand, members."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from opdiff.compare import Comparison, Divergence, Group, Side
from opdiff.compare.comparison import Region
from opdiff.report.listing import times
from opdiff.trace import Trace
from opdiff.ui.differences.outline import Listed, Outline
from opdiff.ui.differences.rows import CARD, Index, Item, TopRow
from opdiff.ui.look.language import kind_name, spoken
from opdiff.ui.look.theme import NOTE_SIGN, sign_of
from opdiff.wording.printable import printable

_LAYER = re.compile(r"(?:layers?|blocks?|cells?)[._/-]?(\d+)", re.IGNORECASE)

WHOLE_GRAPH = "Default"
"""The scope of everything in a compiled graph: no place at all."""
_FEW_MEMBERS = 50
"""So many show whether a group has ops of several types."""


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


class Tag(NamedTuple):
    """A few words on a card."""

    style: Style
    words: str

    @property
    def is_link(self) -> bool:
        """Whether it can be clicked."""
        return self.style in (Style.CAUSE, Style.EXPLAINS)


@dataclass(frozen=True, kw_only=True)
class Card:
    """What a row of the list says."""

    item: Item | None
    words: str = ""
    sentence: str = ""
    note: str = ""
    """What the user wrote about it."""
    depth: int = 0
    is_open: bool | None = None
    """Whether what hangs under a heading or a group is listed; None where nothing does."""
    group: Group | None = None
    """The group that a row is of; None for a heading."""
    divergence: int | None = None
    place: str = ""

    @property
    def told(self) -> str:
        """All of it, for the tooltip."""
        return self.sentence + self._note_line

    @property
    def _note_line(self) -> str:
        return f"\n{NOTE_SIGN} {self.note}" if self.note else ""


_NO_CARD = Card(item=None)


def card_of(index: Index) -> Card:
    """What a row says; nothing where there is no row."""
    return index.data(CARD) or _NO_CARD


@dataclass(frozen=True, kw_only=True)
class GroupCard(Card):
    """The card of a group; how it stands is worked out only when it is asked for."""

    group: Group
    here: Listed
    greyed: bool
    """Whether the user calls it known."""
    outline: Outline

    @property
    def times(self) -> int:
        """How often what the title says occurs."""
        return times(self.group.title, self.group.count)

    @property
    def cause(self) -> int | None:
        """A divergence of the group that explains this one, or None."""
        return self.outline.cause(self.group)

    @property
    def is_tagged(self) -> bool:
        """Whether it has any tags: told without working them out, as all rows are measured."""
        group, here = self.group, self.here
        plain = bool(here.explains or group.known or self.greyed or group.phase)
        return group.root or plain or here.above != group.parent

    @property
    def tags(self) -> list[Tag]:
        """What a card says; what its place in the tree says already is left out."""
        sign = "▾ " if self.is_open else "▸ "
        is_seen = self.here.above == self.group.parent
        found = self._all_tags(sign)
        return [tag for tag in found if not (is_seen and tag.style is Style.CAUSE)]

    @property
    def told(self) -> str:
        """All of it, also what is seen only from its place in the tree."""
        count = f" × {self.times}" if self.times > 1 else ""
        standing = " · ".join(tag.words for tag in self._all_tags())
        return (
            f"{kind_name(self.group.kind)}: {self.words}{count}\n"
            f"{self.sentence}\n{standing}{self._note_line}"
        )

    def _all_tags(self, sign: str = "") -> list[Tag]:
        translate = QCoreApplication.translate
        group, found = self.group, []
        if group.root:
            found.append(Tag(Style.ROOT, translate("Differences", "root")))
            followers = self.outline.followers(group)
            if 0 < followers < group.count:
                words = translate("Differences", "{n} of {total} follow from others")
                found.append(Tag(Style.PLAIN, words.format(n=followers, total=group.count)))
        upper = self.outline.upper(group)
        if upper is not None:
            named = f"{sign_of(upper.kind)} {spoken(upper.title)}"
            words = translate("Differences", "because of {cause}").format(cause=named)
            found.append(Tag(Style.CAUSE, words))
        if self.here.explains:
            words = translate("Differences", "explains {n}").format(n=f"{self.here.explains:,}")
            found.append(Tag(Style.EXPLAINS, sign + words))
        if group.known:
            found.append(Tag(Style.PLAIN, translate("Differences", "known rename")))
        elif self.greyed:
            found.append(Tag(Style.PLAIN, translate("Differences", "known")))
        if group.phase:
            found.append(Tag(Style.PLAIN, _phase_name(group.phase)))
        return found


def _phase_name(phase: str) -> str:
    # Spelled out call by call, by this very name: only so does lupdate find the words.
    translate = QCoreApplication.translate
    return {
        "forward": translate("Differences", "forward"),
        "backward": translate("Differences", "backward"),
        "optimizer": translate("Differences", "optimizer"),
    }.get(phase, phase)


class Cards:
    """Makes the cards of an outline, with what the user wrote about them."""

    def __init__(self, outline: Outline) -> None:
        self._notes: Mapping[int, str] = {}
        self._group_notes: Mapping[int, str] = {}
        self._greyed: frozenset[int] = frozenset()
        self.show(outline)

    def show(self, outline: Outline) -> None:
        """Make those of another outline."""
        self._outline = outline
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

    def left_out(self, entry: TopRow) -> Card:
        """Stands for groups before or after those that are listed."""
        return Card(item=entry.what, words=_left_out_text(entry.what, entry.row, groups=True))

    def heading(self, *, is_open: bool) -> Card:
        """Stands over what cannot change values."""
        said = QCoreApplication.translate(
            "Differences",
            "Views, copies, layouts, known names and order: none of it changes a value",
        )
        words = self._heading_text()
        return Card(item=Item.SECTION, words=words, sentence=said, is_open=is_open)

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

    def group(self, entry: TopRow, *, is_open: bool) -> GroupCard:
        """The card of a group."""
        assert entry.listed is not None
        here, group = entry.listed, entry.group
        first = int(self._outline.members(entry.row)[0])
        if group.region is not None:
            sentence = region_text(self._comparison, group.region)
        else:
            sentence = spoken(self._comparison.divergences[first].sentence)
        return GroupCard(
            item=Item.GROUP,
            words=spoken(group.title),
            sentence=sentence,
            note=self._group_notes.get(group.id, ""),
            depth=here.depth,
            is_open=is_open if here.explains else None,
            group=group,
            divergence=first,
            here=here,
            greyed=group.id in self._greyed,
            outline=self._outline,
        )

    def member(self, entry: TopRow, row: int) -> Card:
        """What a row below a group says."""
        assert entry.listed is not None
        item, group, depth = entry.item(row), entry.group, entry.listed.depth
        if item is not Item.MEMBER:
            left_out = entry.start if item is Item.EARLIER else group.count - entry.end
            words = _left_out_text(item, left_out)
            return Card(item=item, words=words, group=group, depth=depth)
        index = int(self._outline.members(entry.row)[entry.start + row - entry.earlier])
        found, note = self._comparison.divergences[index], self._notes.get(index, "")
        words = lines_text(self._comparison, found)
        both = found.left_rows and found.right_rows
        if not both and self._mixed(group):
            words = f"{words} {type_text(self._comparison, found)}"
        return Card(
            item=item,
            words=f"{NOTE_SIGN} {words}" if note else words,
            sentence=spoken(found.sentence),
            note=note,
            depth=depth,
            group=group,
            divergence=index,
            place=place_text(self._comparison, found),
        )

    def _mixed(self, group: Group) -> bool:
        """Whether a group has ops of several types: its members are then told apart by theirs."""
        known = self._mixed_groups.get(group.id)
        if known is None:
            found = (
                self._comparison.divergences[member] for member in group.members[:_FEW_MEMBERS]
            )
            types = {type_text(self._comparison, each) for each in found}
            known = self._mixed_groups[group.id] = len(types) > 1
        return known


def _left_out_text(item: Item, count: int, *, groups: bool = False) -> str:
    translate = QCoreApplication.translate
    words = {
        (Item.EARLIER, False): translate("Differences", "… {n} before"),
        (Item.MORE, False): translate("Differences", "… {n} more"),
        (Item.EARLIER, True): translate("Differences", "… {n} groups before"),
        (Item.MORE, True): translate("Differences", "… {n} more groups"),
    }[item, groups]
    return words.format(n=f"{count:,}")
