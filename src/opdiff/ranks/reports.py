"""The reports of many ranks, and where they are written."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.ranks.discovery import FoundRanks
from opdiff.ranks.result import RanksResult
from opdiff.report.writing import refuse_to_overwrite, write_atomically
from opdiff.values.sources import sidecar_beside

FORMATS = ("text", "json", "csv", "html", "xlsx")
"""What ``--format`` may name."""


def refuse_inputs(path: str, runs: Iterable[FoundRanks], others: Iterable[str]) -> None:
    """Raise OpdiffError where the path leads to what is read: whatever is in a rank's folder."""
    if not os.path.exists(path):
        return
    place = Path(os.path.realpath(path))
    reads = [*others]
    for found in runs:
        for trace in found.paths.values():
            folder = os.path.realpath(trace if os.path.isdir(trace) else os.path.dirname(trace))
            if folder == os.path.realpath(found.folder):  # files a rank, in one folder
                reads += [trace, str(sidecar_beside(trace) or trace)]
            else:
                reads.append(path if place.is_relative_to(folder) else trace)
    refuse_to_overwrite(path, reads)


def write_report(
    result: RanksResult,
    format_: str,
    path: str | None,
    language: str = "en",
    *,
    everything: bool = False,
) -> str | None:
    """Write it to a file; returned as text where it belongs on standard output.

    HTML in a file has a folder beside it, with a page a rank.
    """
    if path is None or path == "-":
        if format_ == "xlsx":
            raise OpdiffError("ranks.xlsx-to-file")
        return rendered(result, format_, language, everything=everything)
    if format_ == "xlsx":
        from opdiff.ranks.xlsx_report import to_xlsx

        write_atomically(path, to_xlsx(result, language))
    elif format_ == "html":
        _write_pages(result, path, language)
    else:
        report = rendered(result, format_, language, everything=everything)
        write_atomically(path, report.encode("utf-8"))
    return None


def rendered(
    result: RanksResult, format_: str, language: str = "en", *, everything: bool = False
) -> str:
    """The report as one text."""
    # Each is imported when asked for: a command writes one format and should start at once.
    module = importlib.import_module(f"opdiff.ranks.{format_}_report")
    options = {"everything": everything} if format_ == "text" else {}
    report: str = getattr(module, f"to_{format_}")(result, language, **options)
    return report


def _write_pages(result: RanksResult, path: str, language: str) -> None:
    """The page itself comes last: who sees it finds all that it leads to."""
    from opdiff.ranks.html_report import to_html, to_pages

    target = Path(path)
    if target.exists() and not target.is_file():  # a pipe or a device holds one page
        write_atomically(path, to_html(result, language).encode("utf-8"))
        return
    folder = target.with_name(f"{target.stem}_ranks")
    first, *pages = to_pages(result, target.name, folder.name, language)
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OpdiffError.of_system("report.cannot-write", error, folder) from error
    for name, page in pages:
        write_atomically(folder / name, page.encode("utf-8"))
    write_atomically(path, first[1].encode("utf-8"))
