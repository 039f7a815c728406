"""A comparison as an Excel workbook: what there is to know, the groups, every difference."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any

from opdiff.compare import Comparison, Side
from opdiff.report.csv_report import header_of, rows_of, safe_cell
from opdiff.report.flag_phrases import flag_lines
from opdiff.report.listing import Listing
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.signs import COLOURS, SIGNS
from opdiff.report.spreadsheets import spreadsheets

_MOST_ROWS = 1_000_000
"""Of a sheet: Excel refuses some more."""
_LONGEST = 32_000
"""Characters of a cell, likewise."""
_WIDTHS = {"title": 48, "message": 80, "left_ops": 28, "right_ops": 28, "note": 40, "kind": 16}
_GROUP_HEADER = (
    *("group", "kind", "title", "count", "harmless", "known", "caused_by_group"),
    *("left_lines", "right_lines", "note"),
)


def to_xlsx(comparison: Comparison, options: ReportOptions) -> bytes:
    """The file; OpdiffError, with what to install, where the library for it is missing."""
    book = spreadsheets().Workbook(write_only=True)
    listing = Listing(comparison, options)
    phrases = Phrases(listing)
    _add_summary(book, phrases)
    _add_table(book, "groups", _GROUP_HEADER, _groups(phrases))
    _add_table(book, "differences", header_of(listing), rows_of(listing))
    if options.flags:
        _add_table(book, "msprobe", ("msprobe",), ([line] for line in flag_lines(phrases)))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _add_summary(book: Any, phrases: Phrases) -> None:
    sheet = book.create_sheet("summary")
    sheet.column_dimensions["A"].width = 16
    sheet.column_dimensions["B"].width = 110
    for side in Side:
        about = f"{phrases.path(side)}  {phrases.ops(side)} · {phrases.anchor(side)}"
        sheet.append(_cells(sheet, (phrases.side_name(side), about)))
    sheet.append(_cells(sheet, ("", f"{phrases.direction()} · {phrases.counts()}")))
    for kind, count in phrases.listing.by_kind.items():
        sheet.append(_cells(sheet, (f"{SIGNS[kind]} {kind}", count)))
    for aside in phrases.asides():
        sheet.append(_cells(sheet, ("", aside)))


def _groups(phrases: Phrases) -> Iterable[tuple[object, ...]]:
    listing = phrases.listing
    for here in listing.groups:
        group = here.group
        first = listing.comparison.divergences[here.members[0]]
        yield (
            group.id,
            group.kind.value,
            phrases.sentence(group.title),
            len(here.members),
            "yes" if group.harmless else "no",
            "yes" if listing.is_known(group) else "no",
            "" if group.parent is None else group.parent,
            *(phrases.lines(first, side) for side in Side),
            listing.options.group_notes.get(group.id, ""),
        )


def _add_table(
    book: Any, name: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """A sheet that can be sorted and filtered; its first row stays in sight."""
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(name)
    sheet.freeze_panes = "A2"
    for place, column in enumerate(header, 1):
        width = _WIDTHS.get(column, 110 if len(header) == 1 else 12)
        sheet.column_dimensions[get_column_letter(place)].width = width
    titles = _cells(sheet, header)
    for title in titles:
        title.font = Font(bold=True)
    sheet.append(titles)
    kind_at = header.index("kind") if "kind" in header else None
    count = 1
    for row in rows:
        if count > _MOST_ROWS:
            break
        cells = _cells(sheet, row)
        if kind_at is not None:
            cells[kind_at].fill = _fill(str(row[kind_at]))
        sheet.append(cells)
        count += 1
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(header))}{count}"


def _cells(sheet: Any, values: Iterable[object]) -> list[Any]:
    from openpyxl.cell import WriteOnlyCell

    return [WriteOnlyCell(sheet, _value(value)) for value in values]


def _value(value: object) -> object:
    """What a cell may hold: a number, or a text that no spreadsheet takes for a formula."""
    if isinstance(value, str):
        return safe_cell(value)[:_LONGEST]
    return int(value) if isinstance(value, int) else str(value)


_fills: dict[str, Any] = {}


def _fill(kind: str) -> Any:
    from openpyxl.styles import PatternFill

    if kind not in _fills:
        colour = next((c for k, c in COLOURS.items() if k.value == kind), "#FFFFFF")
        _fills[kind] = PatternFill("solid", fgColor=_pale(colour))
    return _fills[kind]


def _pale(colour: str) -> str:
    """The colour on white paper at a quarter of its strength, so that black text stays legible."""
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "".join(f"{255 - (255 - part) // 4:02X}" for part in parts)
