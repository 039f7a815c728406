"""The reports of many ranks, and where they are written."""

from __future__ import annotations

from opdiff.ranks.result import RanksResult
from opdiff.report.writing import write_atomically

FORMATS = ("text", "json", "csv", "html", "xlsx")
"""What ``--format`` may name."""


def write_report(
    result: RanksResult,
    format_: str,
    path: str | None,
    language: str = "en",
    *,
    everything: bool = False,
) -> str | None:
    """Write it to a file; returned as text where it belongs on standard output."""
    report = _rendered(result, format_, language, everything=everything)
    if path in (None, "-"):
        return report
    write_atomically(str(path), report.encode("utf-8"))
    return None


def _rendered(result: RanksResult, format_: str, language: str, *, everything: bool) -> str:
    # Each is imported when asked for: a command writes one format and should start at once.
    if format_ == "json":
        from opdiff.ranks.json_report import to_json

        return to_json(result, language)
    if format_ == "csv":
        from opdiff.ranks.csv_report import to_csv

        return to_csv(result, language)
    from opdiff.ranks.text_report import to_text

    return to_text(result, language, everything=everything)
