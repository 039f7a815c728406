"""Tables to be opened in a spreadsheet: cells that are safe there, and Excel workbooks.

The library for workbooks is not installed with the program unless asked for.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from types import ModuleType
from typing import Any

from opdiff.errors import OpdiffError
from opdiff.wording.printable import printable

MOST_ROWS = 1_000_000
"""Of a sheet: Excel refuses some more."""
_LONGEST = 32_000
"""Characters of a cell, likewise."""
_AT_ONCE = 2_000
_FORMULA_STARTS = tuple("=+-@|%\t\r\n＝＋－＠")


def safe_cell(text: str) -> str:
    """The text as a spreadsheet shows it: one that would start a formula gets a quote before it."""
    return printable("'" + text if text.lstrip(" ").startswith(_FORMULA_STARTS) else text)


def csv_pieces(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """RFC 4180: a header, CRLF, quotes where needed.

    Some rows at once: what is done with a very long text holds other threads up.
    """
    waiting = chain([header], rows)
    while some := list(islice(waiting, _AT_ONCE)):
        out = io.StringIO()
        csv.writer(out, lineterminator="\r\n").writerows(some)
        yield out.getvalue()


def spreadsheets() -> ModuleType:
    """The library; OpdiffError, with how to install it, where it is missing."""
    try:
        import openpyxl
    except ImportError:
        raise OpdiffError("report.no-spreadsheets") from None
    module: ModuleType = openpyxl
    return module


class Workbook:
    """A workbook in the making, one sheet after the other."""

    def __init__(self) -> None:
        self._book = spreadsheets().Workbook(write_only=True)

    def add(
        self,
        name: str,
        header: Sequence[str],
        rows: Iterable[Sequence[object]],
        widths: Sequence[int],
        *,
        frozen: str | None = "A2",
        filtered: bool = False,
        paint: Callable[[Sequence[object], list[Any]], None] | None = None,
    ) -> None:
        """A sheet of as many rows as Excel takes; *frozen* is the first cell that moves."""
        from openpyxl.cell import WriteOnlyCell
        from openpyxl.styles import Font
        from openpyxl.utils import get_column_letter

        sheet = self._book.create_sheet(name)
        sheet.freeze_panes = frozen
        for place, width in enumerate(widths, 1):
            sheet.column_dimensions[get_column_letter(place)].width = width
        titles = [WriteOnlyCell(sheet, title) for title in header]
        for title in titles:
            title.font = Font(bold=True)
        if titles:
            sheet.append(titles)
        last = 1
        for row in islice(rows, MOST_ROWS):
            cells = [WriteOnlyCell(sheet, _value(value)) for value in row]
            if paint is not None:
                paint(row, cells)
            sheet.append(cells)
            last += 1
        if filtered:
            sheet.auto_filter.ref = f"A1:{get_column_letter(len(header))}{last}"

    def content(self) -> bytes:
        """The file."""
        out = io.BytesIO()
        self._book.save(out)
        return out.getvalue()


def _value(value: object) -> object:
    """What a cell may hold: a number, or a text that no spreadsheet takes for a formula."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (int, float)):
        return value
    return safe_cell(str(value))[:_LONGEST]
