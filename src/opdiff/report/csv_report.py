"""A comparison as CSV, a row a difference, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io

from opdiff.compare import Comparison, Side
from opdiff.report.listing import Listing
from opdiff.report.options import ReportOptions
from opdiff.report.printable import printable
from opdiff.wording import say

HEADER = (
    "number",
    "group",
    "kind",
    "title",
    "left_lines",
    "right_lines",
    "left_ops",
    "right_ops",
    "caused_by",
    "known",
    "message",
    "note",
)
_FORMULA_STARTS = tuple("=+-@|%\t\r\n＝＋－＠")


def to_csv(comparison: Comparison, options: ReportOptions) -> str:
    """RFC 4180: a header, CRLF, quotes where needed; nothing a spreadsheet would run."""
    listing = Listing(comparison, options)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(HEADER)
    language = options.language
    titles = {group.id: safe_cell(say(group.title, language)) for group in comparison.groups}
    for index in listing.indices:
        record = comparison.divergences[index]
        known = record.known or record.group in options.greyed
        note = options.notes.get(index) or options.group_notes.get(record.group, "")
        writer.writerow(
            (
                index,
                record.group,
                record.kind.value,
                titles[record.group],
                " ".join(map(str, listing.lines(record, Side.LEFT))),
                " ".join(map(str, listing.lines(record, Side.RIGHT))),
                safe_cell(" ".join(listing.op_types(record, Side.LEFT))),
                safe_cell(" ".join(listing.op_types(record, Side.RIGHT))),
                "" if record.caused_by is None else record.caused_by,
                "yes" if known else "no",
                safe_cell(say(record.sentence, language)),
                safe_cell(note),
            )
        )
    return out.getvalue()


def safe_cell(text: str) -> str:
    """The text as a spreadsheet shows it: one that would start a formula gets a quote before it."""
    return printable("'" + text if text.lstrip(" ").startswith(_FORMULA_STARTS) else text)
