"""A comparison as JSON, schema ``opdiff/1``.

Records are written by hand: a comparison may hold a hundred thousand of them, and building a
dictionary for each takes several times as long as all the rest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from json.encoder import encode_basestring

import numpy as np

from opdiff.compare import Comparison, Divergence, Group, Side
from opdiff.compare.results import Divergences, Swept
from opdiff.report.flags import Flag, worst
from opdiff.report.listing import Listing, paired_lines
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.said import RowTexts, Said, Texts, texts
from opdiff.report.summary_table import summary_table
from opdiff.report.value_json import curve, value_fact, values_summary
from opdiff.report.verdict import verdict_of
from opdiff.wording import say
from opdiff.wording.printable import json_text, printable, printable_json

SCHEMA = "opdiff/1"
_AT_ONCE = 2_000
_BOOL = {True: "true", False: "false"}
_NEUTRAL = {said: f', "neutral": {json.dumps(said)}' for said in (None, True, False)}


def pieces(comparison: Comparison, options: ReportOptions) -> Iterator[str]:
    """The whole document, a record a line: one after the other, not all at once."""
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
    places = listing.places
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
    sides = [_JsonSide(listing, side, said) for side in Side]
    divergences = listing.comparison.divergences
    opening, manner = _sorts(divergences)

    @cache
    def message(detail: int) -> str:
        return f', "message": {said(divergences.details[detail].sentence)}'

    group = texts(["null"] * len(listing.comparison.groups))
    for number, here in enumerate(listing.groups):
        group[here.group.id] = f', "group": {number}, "caused_by": '
    for start in range(0, len(listing.indices), _AT_ONCE):
        indices = listing.indices[start : start + _AT_ONCE]
        found = divergences.sweep(indices)
        (left, from_left, at_left), (right, from_right, at_right) = (
            side.said(found) for side in sides
        )
        columns = (
            opening[found.detail].tolist(),
            left,
            right,
            group[found.group].tolist(),
            _causes(listing, found),
            manner[2 * found.detail + found.harmless].tolist(),
            from_left,
            from_right,
            at_left,
            at_right,
            map(message, found.detail.tolist()),
            _more(listing, indices, found),
        )
        yield from map("".join, zip(*columns, strict=True))


def _sorts(divergences: Divergences) -> tuple[Texts, Texts]:
    """How records of each sort begin, and whether they matter: without harm, and with."""
    details = divergences.details
    return (
        texts(f'{{"kind": "{detail.kind.value}"' for detail in details),
        texts(
            f', "known": {_BOOL[detail.known]}, "harmless": {_BOOL[harmless]}'
            for detail in details
            for harmless in (False, True)
        ),
    )


def _causes(listing: Listing, found: Swept) -> list[str]:
    """What each of them follows from, by its place in the list."""
    causes, position = found.caused_by, listing.position
    if position is not None:
        causes = [None if cause is None else position.get(cause) for cause in causes]
    return ["null" if cause is None else str(cause) for cause in causes]


def _more(listing: Listing, indices: Sequence[int], found: Swept) -> list[str]:
    """What stands at the end of each record: mostly nothing."""
    comparison, options = listing.comparison, listing.options
    if comparison.values is None:
        ends = ["}"] * len(indices)
    else:
        facts = zip(found.neutral, found.value_pair, strict=True)
        ends = [f"{_value(comparison, neutral, pair)}}}" for neutral, pair in facts]
    few = set(found.lost_links)
    if options.flags:
        few.update(range(len(indices)))
    if options.notes:
        few.update(place for place, index in enumerate(indices) if index in options.notes)
    if listing.position is not None:
        hidden = (cause is not None and not listing.is_listed(cause) for cause in found.caused_by)
        few.update(place for place, is_hidden in enumerate(hidden) if is_hidden)
    for place in few:
        index = indices[place]
        ends[place] = _extras(listing, index, comparison.divergences[index]) + ends[place]
    return ends


class _JsonSide(RowTexts):
    """What records say of one side's ops."""

    def __init__(self, listing: Listing, side: Side, said: Said) -> None:
        name = side.name.lower()
        super().__init__(listing, side, said, "null", f', "{name}_source": ', f', "{name}_place": ')
        self._key = f', "{name}_lines": '
        # What stands last is found by -1, also where a trace has no op.
        self._line = np.append(listing.comparison.side(side).trace.columns.line, -1)

    def said(self, found: Swept) -> tuple[list[str], list[str], list[str]]:
        """The lines of each record, and the source and the place of the first."""
        first, key = found.first[self._side], self._key
        lines = [f"{key}[{number}]" for number in self._line[first].tolist()]
        for place in np.flatnonzero(first < 0).tolist():
            lines[place] = f"{key}[]"
        line = self._line.data
        for place, sides in found.several.items():
            rows = sides[self._side]
            if len(rows) > 1:
                lines[place] = f"{key}{[line[row] for row in rows]}"
        return lines, self.sources(first), self.places(first)


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
    flagged = listing.options.flags.of(record)
    if flagged:
        more["msprobe"] = worst(flagged)
    return "".join(f", {json_text(key)}: {json_text(value)}" for key, value in more.items())


def _value(comparison: Comparison, neutral: bool | None, pair: int | None) -> str:
    """What values say of a divergence."""
    said = _NEUTRAL[neutral]
    return said if pair is None else f'{said}, "value": {value_fact(comparison, pair)}'


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
