"""What another tool flagged, as JSON."""

from __future__ import annotations

from opdiff.compare import Side
from opdiff.report.flags import Flag
from opdiff.report.listing import Listing
from opdiff.wording.printable import json_text


def flags_json(listing: Listing) -> str:
    """The flags with the lines of their ops and the divergences listed there."""
    flags = listing.options.flags
    return json_text(
        {
            "path": flags.path,
            "unfound": flags.unfound,
            "flags": [_flag(listing, flag) for flag in flags],
        }
    )


def _flag(listing: Listing, flag: Flag) -> dict[str, object]:
    lines: dict[str, int | None] = {}
    found: set[int] = set()
    for side in Side:
        row, result = flag.row(side), listing.comparison.side(side)
        lines[f"{side.name.lower()}_line"] = None if row is None else int(result.trace.line_of(row))
        found.update(result.records_at(row) if row is not None else ())
    position = listing.position
    here = sorted(found) if position is None else sorted(position[i] for i in found & {*position})
    return {
        "verdict": flag.verdict,
        "operand": flag.operand,
        "message": flag.message,
        **lines,
        "divergences": [int(index) for index in here],
    }
