"""Many ranks as a workbook: the ranks, their groups, communication, and one sheet a figure."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

from opdiff.errors import OpdiffError
from opdiff.ranks.phrases import RankPhrases
from opdiff.ranks.result import RanksResult
from opdiff.ranks.values_sheets import sheets_of
from opdiff.report.csv_report import safe_cell
from opdiff.report.spreadsheets import spreadsheets
from opdiff.wording import Sentence

_LONGEST_NAME = 31
_LONGEST_TEXT = 32_000
_MOST_ROWS = 1_000_000
_MOST_COLUMNS = 16_000
"""Of a sheet: Excel refuses some more."""
_NOT_IN_NAMES = str.maketrans(dict.fromkeys("[]:*?/\\", "_"))


def to_xlsx(result: RanksResult, language: str = "en") -> bytes:
    """The workbook; raises OpdiffError where the package that writes it is not installed."""
    book = spreadsheets().Workbook(write_only=True)
    phrases = RankPhrases(result, language)
    heads: tuple[str, ...] = ("rank", "status", "divergences", "groups", "first", "error")
    _add_sheet(book, "ranks", heads, _ranks(phrases))
    ranks = [outcome.rank for outcome in result.outcomes]
    heads = ("kind", "title", "count", "harmless", *(f"rank{rank}" for rank in ranks))
    _add_sheet(book, "groups", heads, _groups(phrases, ranks))
    if result.partings:
        said = [(phrases.parting(found),) for found in result.partings]
        _add_sheet(book, "collectives", ("message",), said)
    for sheet in sheets_of(result):
        rows = [(name, *values) for name, values in sheet.rows]
        heads = ("Name", *(f"rank{rank}" for rank in sheet.ranks))
        _add_sheet(book, sheet.figure, heads, rows)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _add_sheet(
    book: Any, name: str, heads: Sequence[str], rows: Sequence[Sequence[object]]
) -> None:
    """One sheet, with its first row and column kept in sight."""
    if len(heads) > _MOST_COLUMNS or len(rows) > _MOST_ROWS:
        raise OpdiffError(Sentence.of("ranks.too-large-a-sheet", name=name))
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    sheet = book.create_sheet(name.translate(_NOT_IN_NAMES)[:_LONGEST_NAME])
    sheet.freeze_panes = "B2"
    sheet.column_dimensions["A"].width = 48 if heads[0] in ("Name", "message") else 12
    titles = [WriteOnlyCell(sheet, head) for head in heads]
    for title in titles:
        title.font = Font(bold=True)
    sheet.append(titles)
    for row in rows:
        sheet.append([_value(value) for value in row])


def _value(value: object) -> object:
    """What a cell may hold: a number, or a text that no spreadsheet takes for a formula."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (int, float)):
        return value
    return safe_cell(str(value))[:_LONGEST_TEXT]


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
