"""Runs of many ranks: two of them rank by rank, or the ranks of one with each other.

    found = find_ranks("runs/a"), find_ranks("runs/b")
    report = compare_runs(*found, Question(), LocalPool(jobs=8))

Traces are read and compared in other processes; what comes back is small, whatever they hold.
"""

from opdiff.ranks.discovery import FoundRanks, find_ranks
from opdiff.ranks.one_run import compare_ranks
from opdiff.ranks.outcome import RankOutcome, Status
from opdiff.ranks.pool import LocalPool
from opdiff.ranks.question import Question
from opdiff.ranks.result import RanksResult
from opdiff.ranks.two_runs import compare_runs

__all__ = [
    "FoundRanks",
    "LocalPool",
    "Question",
    "RankOutcome",
    "RanksResult",
    "Status",
    "compare_ranks",
    "compare_runs",
    "find_ranks",
]
