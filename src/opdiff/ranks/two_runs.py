"""Two runs, rank by rank."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from opdiff.compare import Side
from opdiff.progress import SILENT, Progress
from opdiff.ranks.discovery import FoundRanks
from opdiff.ranks.job import PairJob
from opdiff.ranks.outcome import RankOutcome, Status
from opdiff.ranks.parting import families_of, partings, rank_list
from opdiff.ranks.pool import Runner
from opdiff.ranks.question import Question
from opdiff.ranks.result import RankNote, RanksResult, SidedParting
from opdiff.wording import Sentence


class Baseline(NamedTuple):
    """A pair of runs, or of traces, that is known to be good."""

    left: FoundRanks | str
    right: FoundRanks | str

    def of(self, rank: int) -> tuple[str, str] | None:
        """Its traces for one rank; None where it has none."""
        paths = [
            found if isinstance(found, str) else found.paths.get(rank)
            for found in (self.left, self.right)
        ]
        return (paths[0], paths[1]) if paths[0] and paths[1] else None


def compare_runs(
    left: FoundRanks,
    right: FoundRanks,
    question: Question,
    runner: Runner,
    *,
    baseline: Baseline | None = None,
    suspect_only: bool = False,
    progress: Progress = SILENT,
) -> RanksResult:
    """Compare every rank that both runs have; the others are named."""
    outcomes = {outcome.rank: outcome for outcome in _not_compared(left, right)}
    jobs = jobs_for(left, right, question, baseline)
    for outcome in runner.run(jobs, progress):
        outcomes[outcome.rank] = outcome
    ordered = tuple(outcomes[rank] for rank in sorted(outcomes))
    return RanksResult(
        (left.folder, right.folder),
        ordered,
        tuple(_partings(ordered)),
        notes=tuple(notes_of(ordered, complete=left.complete and right.complete)),
        figures=question.values.figures if question.values else (),
        suspect_only=suspect_only,
    )


def jobs_for(
    left: FoundRanks, right: FoundRanks, question: Question, baseline: Baseline | None = None
) -> list[PairJob]:
    """One job a rank that both runs have, in the order of ranks."""
    ranks = sorted({*left.paths} & {*right.paths})
    sizes = {rank: (_size(left.paths[rank]), _size(right.paths[rank])) for rank in ranks}
    often = Counter(sizes.values())
    return [
        PairJob(
            rank,
            left.paths[rank],
            right.paths[rank],
            question,
            baseline.of(rank) if baseline else None,
            # Elsewhere there may be a file that is not to be seen from here.
            same_size=often[sizes[rank]] > 1,
        )
        for rank in ranks
    ]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1


def _not_compared(left: FoundRanks, right: FoundRanks) -> Iterator[RankOutcome]:
    for rank in sorted({*left.ranks, *right.ranks}):
        paths = (left.paths.get(rank), right.paths.get(rank))
        if None not in paths:
            continue
        trouble = left.troubles.get(rank) or right.troubles.get(rank)
        missing = Status.MISSING_LEFT if left.is_missing(rank) else None
        if right.is_missing(rank):
            missing = Status.MISSING_RIGHT
        yield RankOutcome(
            rank,
            paths,
            trouble=trouble,
            missing=missing,
        )


def _partings(outcomes: Sequence[RankOutcome]) -> Iterator[SidedParting]:
    for side in Side:
        calls = {
            outcome.rank: found
            for outcome in outcomes
            for found in [outcome.left_calls if side is Side.LEFT else outcome.right_calls]
            if found is not None
        }
        families = families_of(calls)
        yield from (SidedParting(side, each) for each in partings(calls, families))


def notes_of(outcomes: Sequence[RankOutcome], *, complete: bool = False) -> Iterator[RankNote]:
    """What the reader should know of them all; of *complete* runs also who is absent."""
    ranks = {outcome.rank for outcome in outcomes}
    gaps = tuple(rank for rank in range(max(ranks, default=0)) if rank not in ranks)
    if complete and gaps and len(gaps) < len(ranks):
        sentence = Sentence.of("ranks.gap", ranks=rank_list(gaps))
        yield RankNote("no-rank", sentence, gaps)
    broken = tuple(
        outcome.rank
        for outcome in outcomes
        if any(facts is not None and facts.problems for facts in (outcome.left, outcome.right))
    )
    if broken:
        yield RankNote("problems", Sentence.of("ranks.problems", ranks=rank_list(broken)), broken)
    without = [outcome for outcome in outcomes if outcome.verdict and outcome.verdict.value_trouble]
    if without:
        verdict = without[0].verdict
        assert verdict is not None
        assert verdict.value_trouble is not None
        named = tuple(outcome.rank for outcome in without)
        reason = verdict.value_trouble.sentence
        sentence = Sentence.of("ranks.values-missing", ranks=rank_list(named), reason=reason)
        yield RankNote("no-values", sentence, named)
