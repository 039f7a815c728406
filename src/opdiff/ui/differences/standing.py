"""How a group stands among the others, in a few words: a root, what it explains, known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QCoreApplication

from opdiff.compare import Group
from opdiff.ui.differences.outline import Listed, Outline
from opdiff.ui.language import spoken
from opdiff.ui.theme import sign_of

MOST_LOOKED_AT = 500
"""Members of a group whose causes are counted: more would be felt."""


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
        first = comparison.divergences[comparison.as_they_ran(group.members[:1])[0]]
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
