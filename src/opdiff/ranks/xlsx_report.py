"""Many ranks as a workbook: the ranks, their groups, communication, and one sheet a figure."""

from __future__ import annotations

import importlib
import io
from collections.abc import Sequence
from typing import Any

from opdiff.errors import OpdiffError
from opdiff.ranks.phrases import RankPhrases
from opdiff.ranks.result import RanksResult
from opdiff.ranks.values_sheets import sheets_of
from opdiff.report.printable import printable
from opdiff.wording import Sentence

_LONGEST_NAME = 31
_LONGEST_TEXT = 32_000
_MOST_ROWS = 1_048_000
_NOT_IN_NAMES = str.maketrans(dict.fromkeys("[]:*?/\\", "_"))


def to_xlsx(result: RanksResult, language: str = "en") -> bytes:
    """The workbook; raises OpdiffError where the package that writes it is not installed."""
    try:
        xlsxwriter: Any = importlib.import_module("xlsxwriter")
    except ImportError as error:
        raise OpdiffError(Sentence.of("ranks.no-xlsx")) from error
    phrases = RankPhrases(result, language)
    out = io.BytesIO()
    # No text of a trace becomes a formula, a link or a number.
    options = {
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "nan_inf_to_errors": True,
        "in_memory": True,
    }
    book = xlsxwriter.Workbook(out, options)
    bold = book.add_format({"bold": True})
    writer = _Writer(book, bold)
    writer.sheet(
        "ranks", ("rank", "status", "divergences", "groups", "first", "error"), _ranks(phrases)
    )
    ranks = [outcome.rank for outcome in result.outcomes]
    heads = ("kind", "title", "count", "harmless", *(f"rank{rank}" for rank in ranks))
    writer.sheet("groups", heads, _groups(phrases, ranks))
    if result.partings:
        said = [(phrases.parting(found),) for found in result.partings]
        writer.sheet("collectives", ("message",), said)
    for sheet in sheets_of(result):
        rows = [(printable(name), *values) for name, values in sheet.rows]
        writer.sheet(sheet.figure, ("Name", *(f"rank{rank}" for rank in sheet.ranks)), rows)
    book.close()
    return out.getvalue()


class _Writer:
    def __init__(self, book: Any, bold: Any) -> None:
        self._book = book
        self._bold = bold

    def sheet(self, name: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """One sheet, with its first row and column kept in sight."""
        sheet = self._book.add_worksheet(name.translate(_NOT_IN_NAMES)[:_LONGEST_NAME])
        for column, head in enumerate(heads):
            sheet.write_string(0, column, head, self._bold)
        for number, row in enumerate(rows[:_MOST_ROWS], 1):
            for column, value in enumerate(row):
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    sheet.write_number(number, column, value)
                elif value not in (None, ""):
                    sheet.write_string(number, column, str(value)[:_LONGEST_TEXT])
        sheet.freeze_panes(1, 1)
        sheet.set_column(0, 0, 40 if heads[0] in ("Name", "message") else 10)


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
