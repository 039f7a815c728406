"""A comparison as an Excel workbook: what there is to know, the groups, every difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from opdiff.compare import Comparison, Kind, Side
from opdiff.report.csv_report import header_of, rows_of
from opdiff.report.listing import Listing
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.signs import COLOURS, SIGNS
from opdiff.report.spreadsheets import Workbook

_WIDTHS = {"title": 48, "message": 80, "left_ops": 28, "right_ops": 28, "note": 40, "kind": 16}
_GROUP_HEADER = (
    *("group", "kind", "title", "count", "harmless", "known", "caused_by_group"),
    *("left_lines", "right_lines", "note"),
)


def to_xlsx(comparison: Comparison, options: ReportOptions) -> bytes:
    """The file; OpdiffError, with what to install, where the library for it is missing."""
    book = Workbook()
    listing = Listing(comparison, options)
    phrases = Phrases(listing)
    book.add("summary", (), _summary(phrases), (16, 110), frozen=None)
    _add_table(book, "groups", _GROUP_HEADER, _groups(phrases))
    _add_table(book, "differences", header_of(listing), rows_of(listing))
    if options.flags:
        flagged = ([line] for line in phrases.flag_lines())
        book.add("msprobe", ("msprobe",), flagged, (110,), filtered=True)
    return book.content()


def _summary(phrases: Phrases) -> Iterable[tuple[object, ...]]:
    for side in Side:
        about = f"{phrases.path(side)}  {phrases.ops(side)} · {phrases.anchor(side)}"
        yield phrases.side_name(side), about
    yield "", f"{phrases.direction()} · {phrases.counts()}"
    for kind, count in phrases.listing.by_kind.items():
        yield f"{SIGNS[kind]} {kind}", count
    for aside in phrases.asides():
        yield "", aside


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
    book: Workbook, name: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """A sheet that can be sorted and filtered, with the colours of kinds."""
    at = header.index("kind")

    def paint(row: Sequence[object], cells: list[Any]) -> None:
        cells[at].fill = _fill(str(row[at]))

    widths = [_WIDTHS.get(column, 12) for column in header]
    book.add(name, header, rows, widths, filtered=True, paint=paint)


@cache
def _fill(kind: str) -> Any:
    from openpyxl.styles import PatternFill

    return PatternFill("solid", fgColor=_pale(COLOURS[Kind(kind)]))


def _pale(colour: str) -> str:
    """The colour on white paper at a quarter of its strength, so that black text stays legible."""
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "".join(f"{255 - (255 - part) // 4:02X}" for part in parts)
