"""Many ranks as a workbook: the ranks, their groups, communication, and one sheet a figure."""

from __future__ import annotations

from collections.abc import Sequence

from opdiff.errors import OpdiffError
from opdiff.ranks.phrases import RankPhrases
from opdiff.ranks.result import RanksResult
from opdiff.report.spreadsheets import MOST_ROWS, Workbook

_LONGEST_NAME = 31
_MOST_COLUMNS = 16_000
"""Of a sheet: Excel refuses some more."""
_NOT_IN_NAMES = str.maketrans(dict.fromkeys("[]:*?/\\", "_"))


def to_xlsx(result: RanksResult, language: str = "en") -> bytes:
    """The workbook; raises OpdiffError where the package that writes it is not installed."""
    book = Workbook()
    phrases = RankPhrases(result, language)
    heads: tuple[str, ...] = ("rank", "status", "divergences", "groups", "first", "error")
    _add_sheet(book, "ranks", heads, _ranks(phrases))
    ranks = [outcome.rank for outcome in result.outcomes]
    heads = ("kind", "title", "count", "harmless", *(f"rank{rank}" for rank in ranks))
    _add_sheet(book, "groups", heads, _groups(phrases, ranks))
    if result.partings:
        said = [(phrases.parting(found),) for found in result.partings]
        _add_sheet(book, "collectives", ("message",), said)
    for sheet in result.sheets:
        rows = [(name, *values) for name, values in sheet.rows]
        heads = ("Name", *(f"rank{rank}" for rank in sheet.ranks))
        _add_sheet(book, sheet.figure, heads, rows)
    return book.content()


def _add_sheet(
    book: Workbook, name: str, heads: Sequence[str], rows: Sequence[Sequence[object]]
) -> None:
    """One sheet, with its first row and column kept in sight."""
    if len(heads) > _MOST_COLUMNS or len(rows) > MOST_ROWS:
        raise OpdiffError("ranks.too-large-a-sheet", name=name)
    width = 48 if heads[0] in ("Name", "message") else 12
    book.add(name.translate(_NOT_IN_NAMES)[:_LONGEST_NAME], heads, rows, (width,), frozen="B2")


def _ranks(phrases: RankPhrases) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for outcome in phrases.result.outcomes:
        verdict = outcome.verdict
        first = verdict.first if verdict else None
        rows.append(
            (
                outcome.rank,
                outcome.status.value,
                verdict.divergences if verdict else None,
                verdict.group_count if verdict else None,
                phrases.sentence(first.title) if first else None,
                phrases.trouble(outcome),
            )
        )
    return rows


def _groups(phrases: RankPhrases, ranks: Sequence[int]) -> list[tuple[object, ...]]:
    return [
        (
            group.kind,
            phrases.sentence(group.title),
            group.count,
            "yes" if group.harmless else "no",
            *(group.counts.get(rank) for rank in ranks),
        )
        for group in phrases.result.groups
    ]
