"""A comparison as JSON, schema ``opdiff/1``.

Records are written by hand: a comparison may hold a hundred thousand of them, and building a
dictionary for each takes several times as long as all the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.encoder import encode_basestring

import numpy as np

from opdiff.compare import Comparison, Divergence, Kind, Side
from opdiff.report.listing import ListedGroup, Listing
from opdiff.report.options import ReportOptions
from opdiff.report.said import Said
from opdiff.wording import say

SCHEMA = "opdiff/1"


def to_json(comparison: Comparison, options: ReportOptions) -> str:
    """The whole document, a record a line."""
    listing = Listing(comparison, options)
    parts = [
        f'"schema": "{SCHEMA}"',
        f'"left": {_side(comparison, Side.LEFT)}',
        f'"right": {_side(comparison, Side.RIGHT)}',
        f'"direction": "{comparison.request.direction}"',
        f'"summary": {_summary(listing)}',
        f'"groups": {_array(_groups(listing))}',
        f'"divergences": {_array(_divergences(listing))}',
    ]
    if options.pairs:
        parts.append(f'"pairs": {_array(_pairs(comparison))}')
    body = ",\n ".join(parts)
    return f"{{\n {body}\n}}\n"


def _quoted(text: str) -> str:
    """A text as JSON writes it, in characters that UTF-8 can hold."""
    return encode_basestring(text).encode("utf-8", "backslashreplace").decode()


def _array(items: Iterator[str]) -> str:
    body = ",\n  ".join(items)
    return f"[\n  {body}\n ]" if body else "[]"


def _side(comparison: Comparison, side: Side) -> str:
    result = comparison.side(side)
    trace, anchor = result.trace, result.anchor
    line = "null" if anchor is None else int(trace.line_of(anchor))
    return (
        f'{{"path": {_quoted(trace.source.path)}, "format": {_quoted(trace.source.format)}, '
        f'"ops": {len(trace)}, "anchor_line": {line}}}'
    )


def _summary(listing: Listing) -> str:
    summary: dict[str, object] = {
        "matched": listing.comparison.matched,
        "divergences": len(listing.indices),
        "groups": len(listing.groups),
        "by_kind": {kind.value: count for kind, count in listing.by_kind.items()},
    }
    if listing.position is not None:
        whole = listing.comparison
        summary["total"] = {"divergences": len(whole.divergences), "groups": len(whole.groups)}
    return json.dumps(summary)


def _groups(listing: Listing) -> Iterator[str]:
    language, notes = listing.options.language, listing.options.group_notes
    for number, here in enumerate(listing.groups):
        group = here.group
        root, known = json.dumps(group.root), json.dumps(listing.is_known(group))
        note = f', "note": {_quoted(notes[group.id])}' if group.id in notes else ""
        yield (
            f'{{"id": {number}, "kind": "{group.kind.value}", '
            f'"title": {_quoted(say(group.title, language))}, "count": {len(here.members)}, '
            f'"root": {root}, "known": {known}{note}}}'
        )


def _divergences(listing: Listing) -> Iterator[str]:
    comparison, options = listing.comparison, listing.options
    left_line = comparison.left.trace.columns.line.tolist()
    right_line = comparison.right.trace.columns.line.tolist()
    number_of = _group_numbers(listing.groups)
    said = Said(options.language, _quoted)
    place, notes = listing.position, options.notes
    # By identity: an enumeration's members are hashed slowly.
    kind_text = {id(kind): f'{{"kind": "{kind.value}", "left_lines": ' for kind in Kind}
    for index, record in listing.records():
        cause = record.caused_by
        if cause is not None and place is not None:
            cause = place.get(cause)
        more = ""
        if record.lost_links or index in notes or cause != record.caused_by:
            more = _extras(listing, index, record, said)
        yield (
            f"{kind_text[id(record.kind)]}{_lines(left_line, record.left_rows)}, "
            f'"right_lines": {_lines(right_line, record.right_rows)}, '
            f'"group": {number_of[record.group]}, '
            f'"caused_by": {"null" if cause is None else cause}, '
            f'"known": {"true" if record.known else "false"}, '
            f'"message": {said(record.sentence)}{more}}}'
        )


def _lines(line: list[int], rows: tuple[int, ...]) -> str:
    # Nearly all have one row a side, and this is where the time goes.
    return f"[{line[rows[0]]}]" if len(rows) == 1 else f"{[line[row] for row in rows]}"


def _group_numbers(groups: list[ListedGroup]) -> dict[int, int]:
    return {here.group.id: number for number, here in enumerate(groups)}


def _extras(listing: Listing, index: int, record: Divergence, said: Said) -> str:
    """Keys that few records have."""
    more: list[str] = []
    if record.lost_links:
        more.append(f'"lost_links": {json.dumps(_lost_links(listing, record))}')
    cause = listing.hidden_cause(record)
    if cause is not None:
        more.append(
            f'"cause": {{"kind": "{cause.kind.value}", '
            f'"left_lines": {listing.lines(cause, Side.LEFT)}, '
            f'"right_lines": {listing.lines(cause, Side.RIGHT)}, '
            f'"message": {said(cause.sentence)}}}'
        )
    if index in listing.options.notes:
        more.append(f'"note": {_quoted(listing.options.notes[index])}')
    return "".join(f", {text}" for text in more)


def _lost_links(listing: Listing, record: Divergence) -> list[dict[str, object]]:
    """The inputs of consumers that nobody wrote; they are on the side that ran on the host."""
    side = listing.lost_side(record)
    trace = listing.comparison.side(side).trace
    return [
        {
            "side": side.name.lower(),
            "consumer_line": int(trace.line_of(link.consumer_row)),
            "operand": link.operand,
        }
        for link in record.lost_links
    ]


def _pairs(comparison: Comparison) -> Iterator[str]:
    partner = comparison.left.partner
    rows = np.flatnonzero(partner >= 0)
    left = comparison.left.trace.columns.line[rows].tolist()
    right = comparison.right.trace.columns.line[partner[rows]].tolist()
    return (f"[{one}, {other}]" for one, other in zip(left, right, strict=True))
