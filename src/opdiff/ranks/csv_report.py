"""Many ranks as CSV: a row a rank and group, safe to open in a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator

from opdiff.ranks.outcome import RankOutcome
from opdiff.ranks.result import RanksResult
from opdiff.report.spreadsheets import csv_pieces, safe_cell
from opdiff.wording import say

HEADER = tuple(
    "rank status cluster kind title count harmless left_line right_line left_path right_path "
    "error".split()
)


def to_csv(result: RanksResult, language: str = "en") -> str:
    """A rank without differences has one row. Communication follows."""
    return "".join(csv_pieces(HEADER, _all_rows(result, language)))


def _all_rows(result: RanksResult, language: str) -> Iterator[tuple[object, ...]]:
    for outcome in result.outcomes:
        yield from _rows(result, outcome, language)
    for found in result.partings:
        parting = found.parting
        left = found.side.name == "LEFT"
        line = "" if parting.line is None else parting.line
        for rank in parting.ranks:
            here = line if rank == parting.line_rank else ""
            lines = (here, "") if left else ("", here)
            said = safe_cell(say(parting.sentence(), language))
            cluster = result.cluster_of.get(rank, "")
            yield (rank, "", cluster, "collective", said, 1, "no", *lines, "", "", "")


def _rows(result: RanksResult, outcome: RankOutcome, language: str) -> Iterator[tuple[object, ...]]:
    head = (outcome.rank, outcome.status.value, result.cluster_of.get(outcome.rank, ""))
    paths = tuple(safe_cell(path or "") for path in outcome.paths)
    trouble = safe_cell(outcome.trouble.text(language)) if outcome.trouble else ""
    groups = outcome.verdict.groups if outcome.verdict else ()
    for group in groups:
        lines = (group.first.left_line, group.first.right_line)
        yield (
            *head,
            group.kind,
            safe_cell(say(group.title, language)),
            group.count,
            "yes" if group.harmless else "no",
            *("" if line is None else line for line in lines),
            *paths,
            trouble,
        )
    if not groups:
        yield (*head, "", "", 0, "", "", "", *paths, trouble)
