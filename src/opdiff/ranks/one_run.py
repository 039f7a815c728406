"""The ranks of one run with each other: clusters of equal ones, and who stands apart.

What is normal is what most do, not what rank 0 does. Ranks are held against those that should do
the same: the ranks of their stage of a pipeline. A sort of ranks that recurs in every
communication group (the first shard of each, the holders of experts) is a cluster of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Progress
from opdiff.ranks import fingerprint
from opdiff.ranks.calls import Calls, calls_of
from opdiff.ranks.discovery import FoundRanks
from opdiff.ranks.job import Claim, PairJob, all_new, facts_of, trouble_of
from opdiff.ranks.outcome import RankOutcome, RankVerdict, Status, TraceFacts
from opdiff.ranks.parting import partings, stages_of
from opdiff.ranks.pool import Runner
from opdiff.ranks.question import Question
from opdiff.ranks.result import RankCluster, RanksResult, SidedParting
from opdiff.ranks.two_runs import notes_of
from opdiff.readers import open_trace
from opdiff.session.value_choice import ValueChoice

_FEW = 2
"""Where groups do not tell what sorts of ranks there are, one so many times smaller is odd."""
_ALIKE = 2
"""So many ranks of other sizes may still be a mistake; more are meant to be so."""
_EQUAL = RankVerdict(0, 0, ())


class RankFacts(NamedTuple):
    """What is known of a rank by itself."""

    rank: int
    facts: TraceFacts | None = None
    calls: Calls | None = None
    order: bytes = b""
    """Equal for ranks that do the same."""
    names: bytes = b""
    """Equal for ranks that run the same ops, on tensors of whatever size."""
    trouble: OpdiffError | None = None


@dataclass(frozen=True, slots=True)
class FactsJob:
    """A trace to look at."""

    rank: int
    path: str
    question: Question = field(default_factory=Question)

    def alone(self) -> FactsJob:
        """Looking is always done for one rank."""
        return self

    def run(self, claim: Claim = all_new) -> RankFacts:
        """Read it and keep what is small; *claim* is for those who compare."""
        try:
            question = self.question
            trace = open_trace(self.path, graph=question.graphs[0], told=question.told, cache=False)
            return RankFacts(
                self.rank,
                facts_of(trace),
                calls_of(trace),
                fingerprint.of_order(trace),
                fingerprint.of_order(trace, shapes=False),
            )
        except Exception as error:  # noqa: BLE001 # one rank must not stop the others
            return RankFacts(self.rank, trouble=trouble_of(error, self.path))


def compare_ranks(
    found: FoundRanks,
    question: Question,
    runner: Runner,
    *,
    suspect_only: bool = False,
    progress: Progress = SILENT,
) -> RanksResult:
    """Look at every rank, find the clusters, and compare who stands apart with the majority."""
    jobs = [FactsJob(rank, path, question) for rank, path in sorted(found.paths.items())]
    looks = {look.rank: _as_look(look) for look in runner.run(jobs, progress)}
    known = {rank: look for rank, look in looks.items() if look.trouble is None}
    calls = {rank: look.calls for rank, look in known.items() if look.calls is not None}
    sorting = _Sorting(known, stages_of(calls))
    # What other ranks hold is rightly something else.
    order = replace(question, held=ValueChoice(off=True))
    pairs = [
        PairJob(sort[0], found.paths[like[0]], found.paths[sort[0]], order, one_run=True)
        for sort, like in sorting.apart
    ]
    compared = {outcome.rank: outcome for outcome in runner.run(pairs, progress)}
    clusters = sorting.clusters(
        {
            rank
            for rank, outcome in compared.items()
            if outcome.verdict and not outcome.verdict.divergences
        }
    )
    outcomes = tuple(_outcomes(found, looks, clusters, compared, _unseen(found, calls)))
    families = list(sorting.families.values())
    return RanksResult(
        (found.folder,),
        outcomes,
        tuple(SidedParting(Side.LEFT, each) for each in partings(calls, families)),
        clusters=tuple(clusters),
        notes=tuple(notes_of(outcomes)),
        suspect_only=suspect_only,
    )


def _as_look(found: RankFacts | RankOutcome) -> RankFacts:
    """A job that its process did not survive comes back as an outcome."""
    return found if isinstance(found, RankFacts) else RankFacts(found.rank, trouble=found.trouble)


class _Sorting:
    """Ranks by what they do, within what they should do."""

    def __init__(self, looks: Mapping[int, RankFacts], stages: Mapping[int, int | None]) -> None:
        self._looks = looks
        self.families: dict[int | None, list[int]] = {}
        for rank in sorted(looks):
            self.families.setdefault(stages.get(rank), []).append(rank)
        self._sorts = {stage: self._of_family(ranks) for stage, ranks in self.families.items()}

    def _of_family(self, ranks: Sequence[int]) -> list[list[int]]:
        """Those that do the same; first what most do, by the names of their ops and by all."""
        found: dict[bytes, list[int]] = {}
        for rank in ranks:
            found.setdefault(self._looks[rank].order, []).append(rank)
        alike = Counter(self._looks[rank].names for rank in ranks)
        return sorted(
            found.values(),
            key=lambda sort: (-alike[self._looks[sort[0]].names], -len(sort), sort),
        )

    @cached_property
    def apart(self) -> list[tuple[list[int], list[int]]]:
        """Each sort that stands apart, with the one it should be like."""
        found: list[tuple[list[int], list[int]]] = []
        for stage, sorts in self._sorts.items():
            partitions = self._partitions(self.families[stage]) if len(sorts) > 1 else []
            found += [
                (sort, self._nearest(sort, sorts))
                for sort in sorts[1:]
                if not self._has_own_place(sort, sorts, self.families[stage], partitions)
            ]
        return found

    def _nearest(self, sort: list[int], sorts: list[list[int]]) -> list[int]:
        """The sort it should be like: that of most of its fellows in the smallest groups."""
        larger = [other for other in sorts if len(other) > len(sort)] or sorts[:1]
        calls = self._looks[sort[0]].calls
        groups = [here.members for here in calls.groups] if calls else []
        for members in sorted(groups, key=len):
            shared = Counter({n: len({*members} & {*other}) for n, other in enumerate(larger)})
            best, count = shared.most_common(1)[0] if shared else (0, 0)
            if count:
                return larger[best]
        return larger[0]

    def _has_own_place(
        self,
        sort: list[int],
        sorts: list[list[int]],
        family: Sequence[int],
        partitions: Sequence[Sequence[set[int]]],
    ) -> bool:
        """Whether ranks rightly do something of their own."""
        main = sorts[0]
        first = self._looks[sort[0]]
        if first.names == self._looks[main[0]].names:
            # Experts get as many tokens as are sent to them; shards of an optimizer are each of
            # another size. Where no two ranks agree, sizes tell nothing.
            alike = sum(self._looks[rank].names == first.names for rank in family)
            exchanges = first.calls is not None and first.calls.exchanges
            if exchanges or (len(main) == 1 and alike > _ALIKE):
                return True
        if len(sort) >= len(main):
            return len(sort) > 1  # of two single ranks one is compared with the other
        if partitions:
            return any(_recurs(sort, groups) for groups in partitions)
        return len(sort) * _FEW > len(main)

    def _partitions(self, family: Sequence[int]) -> list[list[set[int]]]:
        """The ways in which communication divides a family into groups of one size."""
        here = {*family}
        looks = [self._looks[rank] for rank in family]
        distinct = {each.runs for look in looks if look.calls for each in look.calls.groups}
        groups: dict[int, set[frozenset[int]]] = {}
        for runs in distinct:
            members = frozenset(chain.from_iterable(runs)) & here
            if 1 < len(members) < len(here):
                groups.setdefault(len(members), set()).add(members)
        found: list[list[set[int]]] = []
        for same_size in groups.values():
            rest = sorted(sorted(members) for members in same_size)
            while rest:
                disjoint: list[set[int]] = []
                left: list[list[int]] = []
                for listed in rest:
                    if any(each & {*listed} for each in disjoint):
                        left.append(listed)
                    else:
                        disjoint.append({*listed})
                found.append(disjoint)
                rest = left
        return [partition for partition in found if len(partition) > 1]

    def clusters(self, equal: set[int]) -> list[RankCluster]:
        """All clusters; sorts whose first rank is *equal* to what it was compared with join it."""
        found: list[RankCluster] = []
        apart = {sort[0]: like for sort, like in self.apart}
        for stage, sorts in sorted(self._sorts.items(), key=lambda item: min(item[1][0])):
            joined: dict[int, list[int]] = {}
            odd: list[tuple[list[int], int]] = []
            for sort in sorts:
                like = apart.get(sort[0])
                if like is None:
                    joined.setdefault(sort[0], []).extend(sort)
                elif sort[0] in equal:
                    joined.setdefault(like[0], []).extend(sort)
                else:
                    odd.append((sort, like[0]))
            numbers: dict[int, int] = {}
            for first, ranks in joined.items():
                numbers[first] = len(found)
                found.append(self._cluster(len(found), ranks, first, stage))
            for sort, first in odd:
                like_id = numbers.get(first)
                found.append(
                    replace(self._cluster(len(found), sort, sort[0], stage), odd=True, like=like_id)
                )
        return found

    def _cluster(
        self, number: int, ranks: Sequence[int], first: int, stage: int | None
    ) -> RankCluster:
        facts = self._looks[first].facts
        return RankCluster(number, tuple(sorted(ranks)), facts.ops if facts else 0, stage)


def _recurs(sort: Sequence[int], partition: Sequence[set[int]]) -> bool:
    """Whether every group has equally many of a sort: a place in the group, not an accident."""
    counts = {len(group & {*sort}) for group in partition}
    return len(counts) == 1 and counts != {0}


def _outcomes(
    found: FoundRanks,
    looks: Mapping[int, RankFacts],
    clusters: Sequence[RankCluster],
    compared: Mapping[int, RankOutcome],
    unseen: set[int],
) -> Iterator[RankOutcome]:
    cluster_of = {rank: cluster for cluster in clusters for rank in cluster.ranks}
    for rank in sorted({*found.ranks, *unseen}):
        path = found.paths.get(rank)
        look = looks.get(rank)
        if rank in unseen:
            yield RankOutcome(rank, missing=Status.MISSING_LEFT)
            continue
        if look is None:
            yield RankOutcome(
                rank,
                trouble=found.troubles[rank],
                missing=Status.MISSING_LEFT if found.is_missing(rank) else None,
            )
            continue
        outcome = RankOutcome(
            rank, (path, None), look.facts, None, look.calls, trouble=look.trouble
        )
        cluster = cluster_of.get(rank)
        if cluster is None:
            yield outcome
        elif not cluster.odd:
            yield replace(outcome, verdict=_EQUAL)
        else:
            yield _odd(outcome, compared[cluster_first(cluster, compared)])


def _unseen(found: FoundRanks, calls: Mapping[int, Calls]) -> set[int]:
    """Ranks that the others speak of, or that numbers leave out, and that have left nothing."""
    if not found.complete:
        return set()
    spoken_of = {*range(max(found.ranks, default=-1) + 1)}
    for mine in calls.values():
        spoken_of.update(each.peer for each in mine.peers)
        for each in mine.groups:
            spoken_of.update(each.members)
    unseen = spoken_of - {*found.ranks}
    # Numbers that begin somewhere else, as with the ranks of one machine, are no sign.
    return unseen if len(unseen) <= len(found.ranks) else set()


def cluster_first(cluster: RankCluster, compared: Mapping[int, RankOutcome]) -> int:
    """The rank of a cluster that was compared for all of it."""
    return next(rank for rank in cluster.ranks if rank in compared)


def _odd(outcome: RankOutcome, compared: RankOutcome) -> RankOutcome:
    """A rank that stands apart: on the left the majority, on the right the rank itself."""
    return replace(
        outcome,
        paths=(compared.paths[0], outcome.paths[0]),
        left=compared.left,
        right=outcome.left,
        verdict=compared.verdict,
        trouble=compared.trouble,
        left_calls=None,
        right_calls=outcome.left_calls,
    )
