"""All ranks together: what they share, who stands apart, and where communication parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from opdiff.compare import Side
from opdiff.ranks.outcome import FoundGroup, LinePair, RankOutcome, Status
from opdiff.ranks.parting import Parting
from opdiff.wording import Sentence


@dataclass(frozen=True, slots=True)
class SharedGroup:
    """The same difference on some ranks."""

    kind: str
    title: Sentence
    ranks: tuple[int, ...]
    count: int
    """On all of them together."""
    harmless: bool
    counts: dict[int, int]
    """How often on each rank."""
    first: LinePair
    """Where it is on the first of them."""


@dataclass(frozen=True, slots=True)
class RankCluster:
    """Ranks of one run that do the same."""

    id: int
    ranks: tuple[int, ...]
    ops: int
    stage: int | None = None
    """Which stage of a pipeline they are, where the trace tells."""
    odd: bool = False
    """Whether they should do what others do, and do not."""
    like: int | None = None
    """The cluster they should be part of."""


class SidedParting(NamedTuple):
    """A parting in one of the runs."""

    side: Side
    parting: Parting


class RankNote(NamedTuple):
    """Something about the ranks as a whole."""

    code: str
    sentence: Sentence
    ranks: tuple[int, ...] = ()


class Sheet(NamedTuple):
    """One figure of the table of values: a row a call, a column a rank."""

    figure: str
    ranks: tuple[int, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]
    """The name of a call, and its figure on each rank; None where a rank has no such call."""


@dataclass(frozen=True)
class RanksResult:
    """What comparing many ranks came to."""

    folders: tuple[str, ...]
    """One or two."""
    outcomes: tuple[RankOutcome, ...]
    """By rank."""
    partings: tuple[SidedParting, ...] = ()
    clusters: tuple[RankCluster, ...] = ()
    """Only where the ranks of one run were compared with each other."""
    notes: tuple[RankNote, ...] = ()
    figures: tuple[str, ...] = ()
    """The figures of the table of values, where one was asked for."""
    suspect_only: bool = False
    """Whether harmless differences count for nothing."""

    @property
    def one_run(self) -> bool:
        """Whether it is about the ranks of one run."""
        return len(self.folders) == 1

    @cached_property
    def cluster_of(self) -> dict[int, int]:
        """The cluster of each rank, by its id."""
        return {rank: cluster.id for cluster in self.clusters for rank in cluster.ranks}

    @cached_property
    def by_rank(self) -> dict[int, RankOutcome]:
        """The outcomes by their rank."""
        return {outcome.rank: outcome for outcome in self.outcomes}

    @cached_property
    def groups(self) -> tuple[SharedGroup, ...]:
        """What may change values first; of those, what more ranks have."""
        return shared_groups(self.outcomes)

    @cached_property
    def sheets(self) -> list[Sheet]:
        """The figures asked for; calls in the order in which the first rank makes them."""
        ranks = tuple(
            outcome.rank for outcome in self.outcomes if outcome.verdict and outcome.verdict.values
        )
        cells: dict[str, dict[int, tuple[float | None, ...]]] = {}
        for outcome in self.outcomes:
            for cell in outcome.verdict.values if outcome.verdict else ():
                cells.setdefault(cell.name, {})[outcome.rank] = cell.figures
        return [
            Sheet(
                figure,
                ranks,
                tuple(
                    (name, tuple(found[rank][number] if rank in found else None for rank in ranks))
                    for name, found in cells.items()
                ),
            )
            for number, figure in enumerate(self.figures)
        ]

    def count(self, status: Status) -> int:
        """How many ranks came out so."""
        return sum(outcome.status is status for outcome in self.outcomes)

    @property
    def any_compared(self) -> bool:
        """Whether there is a rank of which anything is known."""
        return any(outcome.verdict is not None for outcome in self.outcomes)

    @property
    def differs(self) -> bool:
        """Whether anything is to be looked at."""
        if self.partings:
            return True
        return any(self._counts(outcome) for outcome in self.outcomes)

    def _counts(self, outcome: RankOutcome) -> bool:
        if outcome.status is Status.DIFFERS and self.suspect_only:
            return outcome.verdict is not None and outcome.verdict.suspect
        return outcome.status is not Status.EQUAL


def shared_groups(outcomes: Iterable[RankOutcome]) -> tuple[SharedGroup, ...]:
    """Groups of one kind and title, over all ranks."""
    found: dict[tuple[str, Sentence], list[tuple[int, int, FoundGroup]]] = {}
    for outcome in outcomes:
        for place, group in enumerate(outcome.verdict.groups if outcome.verdict else ()):
            found.setdefault((group.kind, group.title), []).append((outcome.rank, place, group))
    merged: list[tuple[tuple[bool, int, int], SharedGroup]] = []
    for (kind, title), members in found.items():
        counts: dict[int, int] = {}
        for rank, _, group in members:
            counts[rank] = counts.get(rank, 0) + group.count
        harmless = all(group.harmless for _, _, group in members)
        shared = SharedGroup(
            kind,
            title,
            tuple(sorted(counts)),
            sum(counts.values()),
            harmless,
            counts,
            members[0][2].first,
        )
        earliest = min(place for _, place, _ in members)
        merged.append(((harmless, -len(counts), earliest), shared))
    return tuple(shared for _, shared in sorted(merged, key=lambda item: item[0]))


def blocks_of(groups: Sequence[SharedGroup]) -> list[tuple[tuple[int, ...], list[SharedGroup]]]:
    """Groups that the same ranks have, those of most ranks first."""
    blocks: dict[tuple[int, ...], list[SharedGroup]] = {}
    for group in groups:
        blocks.setdefault(group.ranks, []).append(group)
    return sorted(blocks.items(), key=lambda item: (-len(item[0]), item[0]))
