"""A comparison as JSON, schema ``opdiff/1``.

Records are written by hand: a comparison may hold a hundred thousand of them, and building a
dictionary for each takes several times as long as all the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from json.encoder import encode_basestring

from opdiff.compare import Comparison, Divergence, Group, Kind, Side
from opdiff.report.flags import Flag, worst
from opdiff.report.listing import Listing, paired_lines
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.places import PlaceNames
from opdiff.report.said import RowTexts, Said, as_memory
from opdiff.report.summary_table import summary_table
from opdiff.report.value_json import curve, value_fact, values_summary
from opdiff.report.verdict import verdict_of
from opdiff.wording import say
from opdiff.wording.printable import json_text, printable, printable_json

SCHEMA = "opdiff/1"
_AT_ONCE = 2_000
_RECORD = (
    '{"kind": "%s", "left_lines": %s, "right_lines": %s, "group": %d, "caused_by": %s, '
    '"known": %s, "harmless": %s, "left_source": %s, "right_source": %s, '
    '"left_place": %s, "right_place": %s, "message": %s%s}'
)
_NEUTRAL = {said: f', "neutral": {json.dumps(said)}' for said in (None, True, False)}


def to_json(comparison: Comparison, options: ReportOptions) -> str:
    """The whole document, a record a line."""
    return "".join(json_pieces(comparison, options))


def json_pieces(comparison: Comparison, options: ReportOptions) -> Iterator[str]:
    """The same in pieces: one after the other they need not be there at once."""
    listing = Listing(comparison, options)
    yield f'{{\n "schema": "{SCHEMA}"'
    yield f',\n "left": {_side(comparison, Side.LEFT)}'
    yield f',\n "right": {_side(comparison, Side.RIGHT)}'
    yield f',\n "direction": "{comparison.request.direction}"'
    yield f',\n "summary": {_summary(listing)}'
    yield f',\n "table": {_table(listing)}'
    yield from _array("groups", _groups(listing))
    yield from _array("divergences", _divergences(listing))
    yield from _array("notes", _notes(listing))
    if options.flags:
        yield f',\n "msprobe": {_flags(listing)}'
    if options.pairs:
        pairs = (f"[{one}, {other}]" for one, other in paired_lines(comparison))
        yield from _array("pairs", pairs)
    if options.curve and comparison.values is not None:
        yield from _array("curve", curve(comparison))
    yield "\n}\n"


def _quoted(text: str) -> str:
    """A text as JSON writes it, in characters that UTF-8 can hold and a terminal may show."""
    return printable_json(encode_basestring(text))


def _array(name: str, items: Iterator[str]) -> Iterator[str]:
    """A key whose items stand on lines of their own."""
    before = f',\n "{name}": [\n  '
    while some := list(islice(items, _AT_ONCE)):
        yield before + ",\n  ".join(some)
        before = ",\n  "
    yield "\n ]" if before == ",\n  " else f',\n "{name}": []'


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
    listed = "[\n  " + ",\n  ".join(rows) + "\n ]" if rows else "[]"
    return f'{{"said": {said}, "rows": {listed}}}'


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


def _divergences(listing: Listing) -> Iterator[str]:
    """All of them, some at once: what is done to a whole column is done quickly."""
    said = Said(listing.options.language, _quoted)
    sides = [_JsonSide(listing.comparison, side, said, "null") for side in Side]
    number_of = {here.group.id: number for number, here in enumerate(listing.groups)}
    # By identity: an enumeration's members are hashed slowly.
    names = {id(kind): kind.value for kind in Kind}
    records = listing.records()
    while found := list(islice(records, _AT_ONCE)):
        kind, lefts, rights, sentence, group, _, known, _, harmless, *_ = zip(
            *[record for _, record in found], strict=True
        )
        causes, more = zip(*_causes_and_more(listing, found), strict=True)
        (left, from_left, at_left), (right, from_right, at_right) = (
            side.texts(rows) for side, rows in zip(sides, (lefts, rights), strict=True)
        )
        yield from map(
            _RECORD.__mod__,
            zip(
                [names[id(each)] for each in kind],
                left,
                right,
                [number_of[each] for each in group],
                ["null" if each is None else each for each in causes],
                ["true" if each else "false" for each in known],
                ["true" if each else "false" for each in harmless],
                from_left,
                from_right,
                at_left,
                at_right,
                map(said, sentence),
                more,
                strict=True,
            ),
        )


def _causes_and_more(
    listing: Listing, found: list[tuple[int, Divergence]]
) -> Iterator[tuple[int | None, str]]:
    """What each of these follows from, and the keys that few records have."""
    comparison, options, place = listing.comparison, listing.options, listing.position
    notes, flags, with_values = options.notes, options.flags, comparison.values is not None
    for index, record in found:
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
        yield cause, more


class _JsonSide(RowTexts):
    """What records say of one side's ops."""

    def __init__(self, comparison: Comparison, side: Side, said: Said, none: str) -> None:
        super().__init__(comparison, side, said, none)
        self._line = as_memory(comparison.side(side).trace.columns.line)

    def texts(self, several: Iterable[tuple[int, ...]]) -> tuple[list[str], list[str], list[str]]:
        """Of the rows of each record their lines, and the source and the place of the first."""
        line = self._line
        lines = [
            f"[{line[rows[0]]}]" if len(rows) == 1 else f"{[line[row] for row in rows]}"
            for rows in several
        ]
        return lines, [*map(self.source, several)], [*map(self.place, several)]


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
