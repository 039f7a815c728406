"""A comparison as text, JSON, CSV, Markdown, HTML and an Excel workbook."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from opdiff.errors import OpdiffError
from opdiff.uncollected import uncollected

if TYPE_CHECKING:
    from opdiff.compare import Comparison
    from opdiff.report.options import ReportOptions
else:
    from opdiff.on_demand import names_in

    __getattr__ = names_in(__name__, {"options": "ReportOptions"})

__all__ = ["FILES", "FORMATS", "SUFFIXES", "ReportOptions", "pieces", "render", "rendered"]

FORMATS = ("text", "json", "csv", "markdown", "html")
"""The texts that ``--format`` may name."""
FILES = (*FORMATS, "xlsx")
"""These, and what is no text and needs a file."""
SUFFIXES = {
    "html": ".html",
    "markdown": ".md",
    "csv": ".csv",
    "xlsx": ".xlsx",
    "json": ".json",
    "text": ".txt",
}
"""How files of each of them end."""


@uncollected()
def render(comparison: Comparison, format: str, options: ReportOptions | None = None) -> str:  # noqa: A002 the contract's word
    """The comparison in one of :data:`FORMATS`."""
    if options is None:
        from opdiff.report.options import ReportOptions

        options = ReportOptions()
    return "".join(pieces(comparison, format, options))


@uncollected()
def rendered(comparison: Comparison, format: str, options: ReportOptions) -> bytes:  # noqa: A002
    """The content of a file in one of :data:`FILES`."""
    if format == "xlsx":
        from opdiff.report.xlsx_report import to_xlsx

        return to_xlsx(comparison, options)
    return b"".join(piece.encode("utf-8") for piece in pieces(comparison, format, options))


def pieces(comparison: Comparison, format: str, options: ReportOptions) -> Iterator[str]:  # noqa: A002
    """The comparison in one of :data:`FORMATS`: the longest ones never all at once."""
    if format not in FORMATS:
        raise OpdiffError("report.unknown-format", name=format, formats=", ".join(FORMATS))
    # Each is imported when asked for: a command writes one format and should start at once.
    module = importlib.import_module(f"opdiff.report.{format}_report")
    found: Iterator[str] = module.pieces(comparison, options)
    return found
