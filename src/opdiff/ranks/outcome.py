"""What is known of one rank when its traces have been read and let go: all of it is small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

from opdiff.compare import Kind
from opdiff.errors import OpdiffError
from opdiff.ranks.calls import Calls
from opdiff.ranks.values_table import ValueCell
from opdiff.wording import Sentence

MOST_GROUPS = 500
"""Of one rank: what a person may read, and a bound on what is sent."""


class Status(str, Enum):
    """How a rank came out."""

    EQUAL = "equal"
    DIFFERS = "differs"
    MISSING_LEFT = "missing-left"
    MISSING_RIGHT = "missing-right"
    FAILED = "failed"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """What a rank's trace is, besides its ops."""

    path: str
    format: str
    ops: int
    problems: int
    """How many stretches of the file could not be read."""


@dataclass(frozen=True, slots=True)
class LinePair:
    """Where something is: a line a side, None where there is nothing on that side."""

    left_line: int | None
    right_line: int | None


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """One group of divergences of one rank."""

    kind: str
    title: Sentence
    count: int
    harmless: bool
    first: LinePair


@dataclass(frozen=True, slots=True)
class RankVerdict:
    """What comparing two traces came to."""

    divergences: int
    group_count: int
    groups: tuple[FoundGroup, ...]
    """In reading order, the first :data:`MOST_GROUPS`."""
    values: tuple[ValueCell, ...] = ()
    value_trouble: OpdiffError | None = None

    @property
    def first(self) -> FoundGroup | None:
        """What to look at first."""
        return self.groups[0] if self.groups else None

    @property
    def names_ranks(self) -> bool:
        """Whether it may tell of groups or ranks by name, which are others on other ranks."""
        return any(group.kind == Kind.ATTRS.value for group in self.groups)

    @property
    def suspect(self) -> bool:
        """Whether anything in it may change a value."""
        return any(not group.harmless for group in self.groups)


@dataclass(frozen=True, slots=True)
class RankOutcome:
    """One rank."""

    rank: int
    paths: tuple[str | None, str | None] = (None, None)
    """Where its traces are, left and right."""
    left: TraceFacts | None = None
    right: TraceFacts | None = None
    left_calls: Calls | None = None
    right_calls: Calls | None = None
    verdict: RankVerdict | None = None
    trouble: OpdiffError | None = None
    missing: Status | None = None
    """Which side has no trace, where one has none."""
    same_as: bytes | None = None
    """The content that another rank has too, where it was compared there."""

    @property
    def may_be_shared(self) -> bool:
        """Whether another rank of the same content comes to the same, word by word."""
        return self.verdict is None or not self.verdict.names_ranks

    @property
    def status(self) -> Status:
        """How the rank came out."""
        if self.missing is not None:
            return self.missing
        if self.trouble is not None or self.verdict is None:
            return Status.FAILED
        return Status.DIFFERS if self.verdict.divergences else Status.EQUAL

    def with_verdict_of(self, other: RankOutcome) -> RankOutcome:
        """What its twin came to said of this rank, with the twin's facts where it has none."""
        mine = dict(zip(other.paths, self.paths, strict=True))
        return replace(
            self,
            left=self.left or _moved(other.left, mine),
            right=self.right or _moved(other.right, mine),
            left_calls=self.left_calls or other.left_calls,
            right_calls=self.right_calls or other.right_calls,
            verdict=other.verdict,
            trouble=self.trouble or _told_of(other.trouble, mine),
        )


def _moved(found: TraceFacts | None, paths: Mapping[str | None, str | None]) -> TraceFacts | None:
    """The same said of another file."""
    if found is None:
        return None
    return replace(found, path=paths.get(found.path) or found.path)


def _told_of(
    trouble: OpdiffError | None, paths: Mapping[str | None, str | None]
) -> OpdiffError | None:
    """The same said of another file."""
    if trouble is None:
        return None
    path = paths.get(trouble.path, trouble.path)
    return OpdiffError(trouble.sentence, path=path, line=trouble.line)
