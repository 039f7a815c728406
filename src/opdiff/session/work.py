"""What the user has decided: the value that undo steps between and sessions keep."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from opdiff.compare import Comparison, Direction, Divergence, Group, Kind, Request, Side
from opdiff.session.rules_text import rules_of
from opdiff.wording import Sentence, say


@dataclass(frozen=True, slots=True, eq=False)
class GroupKey:
    """A group by its title: ids change from one comparison to the next, this does not.

    Sessions keep the code and the arguments of the title, so that another wording loses nothing;
    those of before kept its words. What says the same is the same.
    """

    kind: Kind
    title: Sentence

    @property
    def words(self) -> tuple[Kind, str]:
        """What it says."""
        return self.kind, say(self.title)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GroupKey) and self.words == other.words

    def __hash__(self) -> int:
        return hash(self.words)


class DivergenceKey(NamedTuple):
    """A divergence by its kind and rows."""

    kind: Kind
    left_rows: tuple[int, ...]
    right_rows: tuple[int, ...]


def group_key(group: Group) -> GroupKey:
    """What a group is known by."""
    return GroupKey(group.kind, group.title)


def divergence_key(divergence: Divergence) -> DivergenceKey:
    """What a divergence is known by."""
    return DivergenceKey(divergence.kind, divergence.left_rows, divergence.right_rows)


class UserNote(NamedTuple):
    """What the user wrote about a group or about one divergence."""

    about: GroupKey | DivergenceKey
    text: str


@dataclass(frozen=True, slots=True)
class Work:
    """One state of an investigation. Small and immutable: a change makes another one."""

    request: Request = field(default_factory=lambda: Request(direction=Direction.UP))
    hidden_kinds: frozenset[Kind] = frozenset()
    known_hidden: bool = False
    """Whether groups that are known are left out of the list."""
    known_kinds: frozenset[Kind] = frozenset()
    """Kinds that the user calls known: shown in grey."""
    known_groups: frozenset[GroupKey] = frozenset()
    notes: tuple[UserNote, ...] = ()
    rules_text: str = ""
    """The rules as YAML, comments and all; the request holds what they mean."""
    rules_path: str | None = None
    """The file the rules were read from or saved to."""

    def anchor(self, side: Side) -> int | None:
        """The anchored row of a side."""
        request = self.request
        return request.left_anchor if side is Side.LEFT else request.right_anchor

    def with_anchor(self, side: Side, row: int | None) -> Work:
        """The same work from another anchor."""
        if side is Side.LEFT:
            return replace(self, request=replace(self.request, left_anchor=row))
        return replace(self, request=replace(self.request, right_anchor=row))

    def with_rules(self, text: str, path: str | None = None) -> Work:
        """The same work under other rules; a mistake in them is an error that names its line."""
        rules = replace(rules_of(text, path), builtin=self.request.rules.builtin)
        request = replace(self.request, rules=rules)
        return replace(self, request=request, rules_text=text, rules_path=path)

    def is_known(self, group: Group) -> bool:
        """Whether the user or the table calls a group harmless."""
        if group.known or group.kind in self.known_kinds:
            return True
        # To know a group by its title costs words, and mostly there is none to be known by.
        return bool(self.known_groups) and group_key(group) in self.known_groups

    def shows(self, group: Group) -> bool:
        """Whether the filters let a group of divergences through."""
        if group.kind in self.hidden_kinds:
            return False
        return not (self.known_hidden and self.is_known(group))

    def with_note(self, about: GroupKey | DivergenceKey, text: str) -> Work:
        """The same work with a note written, rewritten or, where empty, taken away."""
        others = tuple(note for note in self.notes if note.about != about)
        return replace(self, notes=(*others, UserNote(about, text)) if text.strip() else others)

    def note_on(self, about: GroupKey | DivergenceKey) -> str:
        """The note about something, or an empty text."""
        return next((note.text for note in self.notes if note.about == about), "")


def greyed_groups(work: Work, comparison: Comparison) -> frozenset[int]:
    """Ids of the groups that are shown in grey."""
    return frozenset(group.id for group in comparison.groups if work.is_known(group))


def notes_by_index(work: Work, comparison: Comparison) -> tuple[dict[int, str], dict[int, str]]:
    """Notes by index of their divergence, and by id of their group, as far as these still exist."""
    if not work.notes:
        return {}, {}
    text = {note.about: note.text for note in work.notes}
    on_groups = {g.id: text[group_key(g)] for g in comparison.groups if group_key(g) in text}
    on_rows: dict[int, str] = {}
    for note in work.notes:
        if isinstance(note.about, DivergenceKey):
            index = index_of(comparison, note.about)
            if index is not None:
                on_rows[index] = note.text
    return on_rows, on_groups


def index_of(comparison: Comparison, key: DivergenceKey) -> int | None:
    """Where a divergence stands in a comparison, or None where it is no more."""
    side = Side.LEFT if key.left_rows else Side.RIGHT
    rows = key.left_rows or key.right_rows
    result = comparison.side(side)
    if not rows or rows[0] >= len(result.trace):
        return None
    here = result.records_at(rows[0])
    return next((i for i in here if divergence_key(comparison.divergences[i]) == key), None)
