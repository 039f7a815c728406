"""A comparison as JSON, schema ``opdiff/1``.

Records are written by hand: a comparison may hold a hundred thousand of them, and building a
dictionary for each takes several times as long as all the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from json.encoder import encode_basestring

from opdiff.compare import Comparison, Divergence, Group, Kind, Side
from opdiff.forked import Forked, can_fork
from opdiff.report.flags import Flag, worst
from opdiff.report.listing import Listing, paired_lines
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.places import PlaceNames
from opdiff.report.said import RowTexts, Said
from opdiff.report.summary_table import summary_table
from opdiff.report.value_json import curve, value_fact, values_summary
from opdiff.report.verdict import verdict_of
from opdiff.wording import say
from opdiff.wording.printable import json_text, printable, printable_json

SCHEMA = "opdiff/1"
_WORTH_IT = 10_000
"""Divergences: fewer are written sooner than a process is copied."""
_NEUTRAL = {said: f', "neutral": {json.dumps(said)}' for said in (None, True, False)}


def to_json(comparison: Comparison, options: ReportOptions) -> str:
    """The whole document, a record a line."""
    listing = Listing(comparison, options)
    parts = [
        f'"schema": "{SCHEMA}"',
        f'"left": {_side(comparison, Side.LEFT)}',
        f'"right": {_side(comparison, Side.RIGHT)}',
        f'"direction": "{comparison.request.direction}"',
        f'"summary": {_summary(listing)}',
        f'"table": {_table(listing)}',
        f'"groups": {_array(_groups(listing))}',
        f'"divergences": {_array(_all_divergences(listing))}',
        f'"notes": {_array(_notes(listing))}',
    ]
    if options.flags:
        parts.append(f'"msprobe": {_flags(listing)}')
    if options.pairs:
        pairs = (f"[{one}, {other}]" for one, other in paired_lines(comparison))
        parts.append(f'"pairs": {_array(pairs)}')
    if options.curve and comparison.values is not None:
        parts.append(f'"curve": {_array(curve(comparison))}')
    body = ",\n ".join(parts)
    return f"{{\n {body}\n}}\n"


def _quoted(text: str) -> str:
    """A text as JSON writes it, in characters that UTF-8 can hold and a terminal may show."""
    return printable_json(encode_basestring(text))


def _array(items: Iterator[str]) -> str:
    body = ",\n  ".join(items)
    return f"[\n  {body}\n ]" if body else "[]"


def _side(comparison: Comparison, side: Side) -> str:
    result = comparison.side(side)
    trace, anchor = result.trace, result.anchor
    return json_text(
        {
            "path": trace.source.path,
            "format": trace.source.format,
            "ops": len(trace),
            "anchor_line": None if anchor is None else int(trace.line_of(anchor)),
        }
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
    values = values_summary(listing)
    if values is not None:
        summary["values"] = values
    verdict = verdict_of(listing)
    summary["verdict"] = {
        "code": verdict.outcome.value,
        "suspects": verdict.suspects,
        "message": Phrases(listing).verdict(),
    }
    return json_text(summary)


def _table(listing: Listing) -> str:
    """Layers or functions against kinds; empty where nothing is listed."""
    if not len(listing.indices):
        return '{"said": null, "rows": []}'
    table = summary_table(listing.comparison, listing.options.only)
    language = listing.options.language
    rows = []
    for place, counts, suspect in zip(
        table.places, table.counts.tolist(), table.suspect.tolist(), strict=True
    ):
        found = zip(table.kinds, counts, strict=True)
        row = {
            "place": say(place.name, language),
            "what": place.what,
            "number": place.number,
            "left_ops": place.ops[Side.LEFT],
            "right_ops": place.ops[Side.RIGHT],
            "divergences": sum(counts),
            "suspect": suspect,
            "by_kind": {kind.value: count for kind, count in found if count},
        }
        rows.append(json_text(row))
    # What all layers have in common is told by all differences.
    common = table.said if listing.position is None else None
    said = "null" if common is None else _quoted(say(common, language))
    return f'{{"said": {said}, "rows": {_array(iter(rows))}}}'


def _groups(listing: Listing) -> Iterator[str]:
    language, notes = listing.options.language, listing.options.group_notes
    places = PlaceNames(listing.comparison)
    for number, here in enumerate(listing.groups):
        group, place = here.group, places.of_members(here.members)
        said: dict[str, object] = {
            "id": number,
            "kind": group.kind.value,
            "title": say(group.title, language),
            "count": len(here.members),
            "root": group.root,
            "known": listing.is_known(group),
            "harmless": group.harmless,
            "region": _region(listing.comparison, group),
            "phase": group.phase,
            "place": None if place is None else say(place, language),
        }
        if listing.comparison.values is not None:
            said["neutral"] = group.neutral
        if group.id in notes:
            said["note"] = notes[group.id]
        yield json_text(said)


def _region(comparison: Comparison, group: Group) -> dict[str, object] | None:
    region = group.region
    if region is None:
        return None
    lines = {}
    for side, rows in zip(Side, (region.left_rows, region.right_rows), strict=True):
        line_of = comparison.side(side).trace.line_of
        ends = [int(line_of(rows[0])), int(line_of(rows[-1]))] if rows else None
        lines[f"{side.name.lower()}_lines"] = ends
    return {"what": region.what.value, **lines, "ops": region.ops, "of": region.of}


def _all_divergences(listing: Listing) -> Iterator[str]:
    """All of them; of very many, a copy of this process writes the second half meanwhile."""
    count = len(listing.indices)
    if not listing.options.shared or count < _WORTH_IT or not can_fork():
        yield from _divergences(listing, slice(None))
        return
    first, second = slice(count // 2), slice(count // 2, None)
    copy = Forked(lambda: list(_divergences(listing, second)))
    try:
        yield from _divergences(listing, first)
        yield from copy.answer() or _divergences(listing, second)
    finally:
        copy.end()


def _divergences(listing: Listing, part: slice) -> Iterator[str]:
    comparison, options = listing.comparison, listing.options
    left_line = comparison.left.trace.columns.line.tolist()
    right_line = comparison.right.trace.columns.line.tolist()
    number_of = {here.group.id: number for number, here in enumerate(listing.groups)}
    said = Said(options.language, _quoted)
    left, right = (RowTexts(comparison, side, said, "null") for side in Side)
    place, notes, flags = listing.position, options.notes, options.flags
    with_values = comparison.values is not None
    # By identity: an enumeration's members are hashed slowly.
    kind_text = {id(kind): f'{{"kind": "{kind.value}", "left_lines": ' for kind in Kind}
    for index, record in listing.records(part):
        cause = record.caused_by
        if cause is not None and place is not None:
            cause = place.get(cause)
        more = ""
        if record.lost_links or index in notes or cause != record.caused_by:
            more = _extras(listing, index, record)
        if flags and (flagged := flags.of(record)):
            more += f', "msprobe": "{worst(flagged)}"'
        if with_values:
            more += _value(comparison, record)
        yield (
            f"{kind_text[id(record.kind)]}{_lines(left_line, record.left_rows)}, "
            f'"right_lines": {_lines(right_line, record.right_rows)}, '
            f'"group": {number_of[record.group]}, '
            f'"caused_by": {"null" if cause is None else cause}, '
            f'"known": {"true" if record.known else "false"}, '
            f'"harmless": {"true" if record.harmless else "false"}, '
            f'"left_source": {left.source(record.left_rows)}, '
            f'"right_source": {right.source(record.right_rows)}, '
            f'"left_place": {left.place(record.left_rows)}, '
            f'"right_place": {right.place(record.right_rows)}, '
            f'"message": {said(record.sentence)}{more}}}'
        )


def _notes(listing: Listing) -> Iterator[str]:
    comparison = listing.comparison
    for note in comparison.notes:
        said: dict[str, object] = {
            "code": note.code,
            "side": None if note.side is None else note.side.name.lower(),
            "message": printable(say(note.sentence, listing.options.language)),
        }
        if note.left_row is not None and note.right_row is not None:
            said["left_line"] = int(comparison.left.trace.line_of(note.left_row))
            said["right_line"] = int(comparison.right.trace.line_of(note.right_row))
            said["gain"] = note.gain
        yield json.dumps(said, ensure_ascii=False)


def _lines(line: list[int], rows: tuple[int, ...]) -> str:
    # Nearly all have one row a side, and this is where the time goes.
    return f"[{line[rows[0]]}]" if len(rows) == 1 else f"{[line[row] for row in rows]}"


def _extras(listing: Listing, index: int, record: Divergence) -> str:
    """Keys that few records have."""
    more: dict[str, object] = {}
    if record.lost_links:
        more["lost_links"] = _lost_links(listing, record)
    cause = listing.hidden_cause(record)
    if cause is not None:
        more["cause"] = {
            "kind": cause.kind.value,
            "left_lines": listing.lines(cause, Side.LEFT),
            "right_lines": listing.lines(cause, Side.RIGHT),
            "message": say(cause.sentence, listing.options.language),
        }
    if index in listing.options.notes:
        more["note"] = listing.options.notes[index]
    return "".join(f", {json_text(key)}: {json_text(value)}" for key, value in more.items())


def _value(comparison: Comparison, record: Divergence) -> str:
    """What values say of a divergence."""
    neutral = _NEUTRAL[record.neutral]
    fact = None if record.value_pair is None else value_fact(comparison, record)
    return neutral if fact is None else f'{neutral}, "value": {fact}'


def _lost_links(listing: Listing, record: Divergence) -> list[dict[str, object]]:
    """The inputs of consumers that nobody wrote; they are on the side that ran on the host."""
    return [
        {
            "side": link.side.name.lower(),
            "consumer_line": int(
                listing.comparison.side(link.side).trace.line_of(link.consumer_row)
            ),
            "operand": link.operand,
        }
        for link in record.lost_links
    ]


def _flags(listing: Listing) -> str:
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
