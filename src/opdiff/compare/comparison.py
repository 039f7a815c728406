"""The outcome of a comparison: all that reports and the window know of comparing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.kinds import SEVERITY, Kind
from opdiff.compare.request import Request
from opdiff.structure import Structure, structure_of
from opdiff.trace import Trace
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.compare.results import Divergences
    from opdiff.compare.values.value_comparison import ValueComparison
    from opdiff.values.table import Values


class Side(IntEnum):
    """Left or right."""

    LEFT = 0
    RIGHT = 1

    @property
    def other(self) -> Side:
        """The opposite side."""
        return Side(1 - self)


class State(IntEnum):
    """How a row stands, for painting; from DIFFERENT on, DIFFERENT + the severity of the kind."""

    OUTSIDE = 0
    NOISE = 1
    EQUAL = 2
    SWALLOWED = 3
    DIFFERENT = 4


def state_of(kind: Kind) -> int:
    """The state of a row whose most severe divergence is of this kind."""
    return State.DIFFERENT + SEVERITY.index(kind)


def kind_of(state: int) -> Kind | None:
    """The kind a state stands for, None where the row does not differ."""
    return SEVERITY[state - State.DIFFERENT] if state >= State.DIFFERENT else None


class LostLink(NamedTuple):
    """An input that no op of its trace wrote, where the other side's consumer has a producer."""

    side: Side
    """The side that ran on the host."""
    consumer_row: int
    operand: int
    """Which of the inputs it prints."""
    number: int
    """As sentences number it: among the inputs that are compared."""


class Section(IntEnum):
    """The parts of the list of groups, in reading order."""

    SUSPECT = 0
    """What may change values."""
    HARMLESS = 1
    """What cannot."""
    NEUTRAL = 2
    """What did not, as the values themselves show."""


class What(str, Enum):
    """What a region is."""

    REPEAT = "repeat"
    """One of several equal blocks: a layer, a micro-batch."""
    AGAIN = "again"
    """Values that the forward has computed already."""
    END = "end"
    """All that comes after the other trace has ended."""
    HOST = "host"
    """A function that ran on the host."""
    REPLACED = "replaced"
    """Ops in the place of others: a guess."""


class Region(NamedTuple):
    """Connected ops that stand on one side only, or a function on the host; rows ascend."""

    what: What
    left_rows: tuple[int, ...]
    right_rows: tuple[int, ...]
    ops: int
    of: int | None = None
    """Of how many equal blocks it is one."""
    parts: str | None = None
    """``steps`` or ``micro-batches``, where it is all those that the other side does not run."""
    counts: tuple[int, int] | None = None
    """How many of these there are on the left and on the right."""


class Note(NamedTuple):
    """What could not be seen, or is odd: a code, a side where it is about one, and a sentence."""

    code: str
    sentence: Sentence
    side: Side | None = None
    left_row: int | None = None
    right_row: int | None = None
    gain: int | None = None


class Divergence(NamedTuple):
    """One classified difference; rows are ascending, an absent side is empty."""

    kind: Kind
    left_rows: tuple[int, ...]
    right_rows: tuple[int, ...]
    sentence: Sentence
    group: int
    caused_by: int | None = None
    """The divergence (an index into those of the comparison) that explains this one."""
    known: bool = False
    """Whether the built-in table or a rule calls it harmless."""
    lost_links: tuple[LostLink, ...] = ()
    harmless: bool = False
    """Whether it cannot change a value."""
    neutral: bool | None = None
    """Whether values show that it changed none; None where they do not tell."""
    value_pair: int | None = None
    """Of a difference in values, the pair of ops that :attr:`Comparison.values` knows it by."""

    def rows(self, side: Side) -> tuple[int, ...]:
        """The rows on one side."""
        return self.left_rows if side is Side.LEFT else self.right_rows


@dataclass(frozen=True, slots=True)
class Group:
    """The same difference repeated."""

    id: int
    kind: Kind
    title: Sentence
    members: tuple[int, ...]
    """Indices of its divergences, nearest the anchor first."""
    root: bool
    """Whether no other group explains it."""
    known: bool = False
    harmless: bool = False
    """Whether none of its members can change a value."""
    parent: int | None = None
    """The group that explains it."""
    region: Region | None = None
    """What its members are together, where they are one region; the first of several."""
    phase: str | None = None
    """The part of a training step in which it is, where the trace shows any."""
    neutral: bool = False
    """Whether values show that none of its members changed any."""
    quiet: bool = False
    """Whether it only tells what follows: its ops are shown as equal, and walking skips them."""

    @property
    def section(self) -> Section:
        """The part of the list that it belongs to."""
        if self.neutral:
            return Section.NEUTRAL
        return Section.HARMLESS if self.harmless else Section.SUSPECT

    @property
    def count(self) -> int:
        """How often the difference occurs."""
        return len(self.members)


@dataclass(frozen=True, slots=True)
class Swallowed:
    """What one rule made vanish, so that it can be shown again."""

    rule: str
    """``ignore``, ``same`` or ``equivalent``."""
    index: int
    """Which entry of that rule, -1 for a request about single rows."""
    left_rows: tuple[int, ...]
    right_rows: tuple[int, ...]


@dataclass(frozen=True)
class SideResult:
    """What the comparison says of one trace, a value a row."""

    trace: Trace
    anchor: int | None
    compared: Flags
    """Whether the row lies in the compared range (and is an ancestor, where that was asked)."""
    noise: Flags
    """Rows hidden by default: workspace, constants, parameters, bookkeeping."""
    partner: Ints
    """The row it is paired with on the other side, or -1."""
    state: NDArray[np.uint8]
    """A :class:`State`, or ``state_of`` its most severe kind."""
    record_start: Longs
    record: Ints
    """The divergences of row r are ``record[record_start[r]:record_start[r + 1]]``."""
    compared_inputs: Flags
    """Of each input of the trace, whether it is compared: sentences number only those."""

    @cached_property
    def differing(self) -> Longs:
        """The rows that have divergences."""
        return np.flatnonzero(np.diff(self.record_start))

    @cached_property
    def structure(self) -> Structure:
        """What the trace is made of: steps, phases, layers, functions; found when first asked."""
        return structure_of(self.trace)

    def first_rows(self, records: int) -> Ints:
        """Of each of so many divergences, its first row on this side; -1 where it has none."""
        rows = np.repeat(np.arange(len(self.partner), dtype=np.int32), np.diff(self.record_start))
        first = np.full(records, -1, np.int32)
        # Rows ascend: written backwards, the first of each stays.
        first[self.record[::-1]] = rows[::-1]
        return first

    def records_at(self, row: int) -> list[int]:
        """Indices of the divergences of a row."""
        here = self.record[self.record_start[row] : self.record_start[row + 1]]
        return [int(index) for index in here]


@dataclass(frozen=True)
class Comparison:
    """Two traces compared. Immutable."""

    request: Request
    left: SideResult
    right: SideResult
    divergences: Divergences
    """Nearest the anchor first."""
    kinds: Longs
    """Of each divergence, the number of its kind: that of a region is not that of all its ops."""
    groups: tuple[Group, ...]
    """In reading order, which their ids follow: what may change values first, in the order in
    which it ran, each followed by what it explains; then what cannot."""
    swallowed: tuple[Swallowed, ...] = ()
    notes: tuple[Note, ...] = ()
    """What could not be seen, and what is odd."""
    ran: Longs | None = None
    """Of each divergence, its place in the order in which the ops ran."""
    settled: Flags | None = None
    """Of each divergence, whether it cannot change a value, or did not, as values show."""
    values: ValueComparison | None = None
    """What the values of both runs tell, where both have any."""
    held: tuple[Values | None, Values | None] = (None, None)
    """The values of each side, also where the other one has none."""

    def as_read(self, members: Iterable[int]) -> list[int]:
        """Divergences as a person should read them: what may change a value, then what cannot.

        Either in the order in which the ops ran: the cause before what follows.
        """
        several = sorted(members)
        if len(several) < 2:  # as most groups of unlike traces have
            return several
        found = np.array(several, np.int64)
        ran = found if self.ran is None else self.ran[found]
        ordered: list[int] = found[np.lexsort((ran, ~self.suspect[found]))].tolist()
        return ordered

    def side(self, side: Side) -> SideResult:
        """One of the two sides."""
        return self.left if side is Side.LEFT else self.right

    @property
    def anchor_hint(self) -> Note | None:
        """The note that names anchors which would fit better, where there is one."""
        return next((note for note in self.notes if note.code == "anchor-hint"), None)

    @cached_property
    def matched(self) -> int:
        """How many pairs there are."""
        return int((self.left.partner >= 0).sum())

    @cached_property
    def group_of(self) -> Ints:
        """The group of each divergence: asked of all of them at once, as filters and maps do."""
        # Every divergence is a member of one group; there may be as many of these as of those.
        counts = [len(group.members) for group in self.groups]
        members = chain.from_iterable(group.members for group in self.groups)
        found = np.zeros(len(self.divergences), np.int32)
        found[np.fromiter(members, np.int64, sum(counts))] = np.repeat(
            np.array([group.id for group in self.groups], np.int32), counts
        )
        return found

    @cached_property
    def suspect(self) -> Flags:
        """Of each divergence, whether it may change a value: of a region, all but its views."""
        suspect = [g.section is Section.SUSPECT and not g.quiet for g in self.groups]
        found = np.array(suspect, np.bool_)[self.group_of]
        return found if self.settled is None else found & ~self.settled

    @cached_property
    def by_kind(self) -> dict[Kind, int]:
        """How many divergences there are of each kind that occurs."""
        return self.count_kinds(np.arange(len(self.kinds)))

    def count_kinds(self, listed: Longs) -> dict[Kind, int]:
        """How many of some divergences are of each kind; what is read first comes first."""
        kinds, group = self.kinds[listed], self.group_of[listed]
        counts = np.bincount(kinds, minlength=len(Kind))
        first = {number: group[kinds == number].min() for number in np.flatnonzero(counts)}
        order, every = sorted(first, key=first.__getitem__), list(Kind)
        return {every[number]: int(counts[number]) for number in order}
