"""A comparison as one HTML page that needs nothing else: no network, no other file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from opdiff.compare import Comparison, Divergence, Side
from opdiff.report.curve import error_curve
from opdiff.report.html_page import page_file, rendered_page
from opdiff.report.listing import ListedGroup, Listing, sectioned
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.signs import COLOURS, SIGNS
from opdiff.report.table_text import table_text
from opdiff.wording.printable import thousands

_MOST_ROWS = 3000
"""A browser stays quick up to about here."""
_MOST_IN_GROUP = 100
_UNFOLDED = 3
_MOST_OPERANDS = 8
_DARK_INK = ("#F0E442", "#56B4E9", "#E69F00", "#CC79A7")

PageContent = dict[str, Any]
"""What a template prints; everything in it is plain text."""


def pieces(comparison: Comparison, options: ReportOptions) -> Iterator[str]:
    """The whole page."""
    listing = Listing(comparison, options)
    phrases = Phrases(listing)
    shown = _shares(listing)
    content: PageContent = {
        "say": phrases.say,
        "title": phrases.say("report.title"),
        "traces": [_trace(phrases, side) for side in Side],
        "direction": phrases.direction(),
        "verdict": phrases.verdict(),
        "counts": phrases.counts(),
        "asides": [*phrases.asides(), *phrases.flag_lines()],
        "values": phrases.values_line(),
        "curve": error_curve(phrases),
        "capped": _capped(phrases, sum(shown.values())),
        "table": table_text(listing, lambda kind: phrases.say(f"kind.{kind}")),
        "chips": _chips(phrases),
        "groups": _groups(phrases, shown),
    }
    script = page_file("opdiff.report", "report.js")
    language = options.language
    yield rendered_page(
        "report/report.html", content, language=language, style=_style(), script=script
    )


def _style() -> str:
    """The style sheet and a class a kind, for the policy forbids styles on single elements."""
    kinds = [
        f".{kind} {{ --kind: {colour}; --ink: {'#1d2329' if colour in _DARK_INK else '#ffffff'}; }}"
        for kind, colour in COLOURS.items()
    ]
    return page_file("opdiff.report", "report.css") + "\n".join(kinds) + "\n"


def _trace(phrases: Phrases, side: Side) -> tuple[str, str, str]:
    about = f"{phrases.ops(side)} · {phrases.anchor(side)}"
    return phrases.side_name(side), phrases.path(side), about


def _capped(phrases: Phrases, kept: int) -> str | None:
    total = len(phrases.listing.indices)
    if kept == total:
        return None
    return phrases.say("report.capped", shown=thousands(kept), total=thousands(total))


def _shares(listing: Listing) -> dict[int, int]:
    """How many members of each group are shown: a fair share of what a browser can bear."""
    if listing.options.everything:
        return {here.group.id: len(here.members) for here in listing.groups}
    most = max(1, min(_MOST_IN_GROUP, _MOST_ROWS // max(1, len(listing.groups))))
    shares = {here.group.id: min(most, len(here.members)) for here in listing.groups}
    for group in list(shares)[_MOST_ROWS:]:
        shares[group] = 0
    return shares


def _chips(phrases: Phrases) -> list[PageContent]:
    return [
        {
            "kind": str(kind),
            "sign": SIGNS[kind],
            "name": phrases.say(f"kind.{kind}"),
            "count": thousands(count),
        }
        for kind, count in phrases.listing.by_kind.items()
    ]


def _groups(phrases: Phrases, shown: dict[int, int]) -> Iterator[tuple[str | None, PageContent]]:
    """Each group with the words above it, where a section of the list begins."""
    for section, branch in sectioned(phrases.listing):
        said = phrases.say(section) if section else None
        several = [(branch.root, "root"), *((one, "consequence") for one in branch.consequences)]
        for here, role in several:
            if shown[here.group.id]:
                yield said, _group(phrases, here, shown[here.group.id], role)
                said = None


def _group(phrases: Phrases, here: ListedGroup, shown: int, role: str) -> PageContent:
    listing, group = phrases.listing, here.group
    members = here.members[:shown]
    known = listing.is_known(group)
    badges = []
    if role == "root" and group.root:
        badges.append(phrases.say("report.root"))
    if known:
        badges.append(phrases.say("report.known"))
    where = phrases.where_all(here.members)
    unfolded = members if len(members) <= _UNFOLDED + 1 else members[:_UNFOLDED]
    folded = members[len(unfolded) :]
    left_out = len(here.members) - len(members)
    return {
        "id": group.id,
        "kind": str(group.kind),
        "kind_name": phrases.say(f"kind.{group.kind}"),
        "role": role,
        "known": known,
        "open": not (known or group.neutral),
        "sign": SIGNS[group.kind],
        "title": phrases.sentence(group.title),
        "times": here.times,
        "badges": badges,
        "where": phrases.say("report.where", place=where) if where else None,
        "note": listing.options.group_notes.get(group.id),
        "rows": _rows(phrases, unfolded),
        "rest": phrases.say("report.rest", count=len(folded)) if folded else None,
        "folded": _rows(phrases, folded),
        "more": phrases.say("report.more", count=left_out) if left_out else None,
    }


def _rows(phrases: Phrases, members: Sequence[int]) -> Iterator[PageContent]:
    said_before = ""
    for index in members:
        divergence = phrases.listing.comparison.divergences[index]
        parts = (phrases.sentence(divergence.sentence), phrases.hidden_cause(divergence))
        said = " · ".join(part for part in parts if part)
        yield {
            "where": phrases.anywhere(divergence) if len(members) > 1 else None,
            "sides": [_side(phrases, divergence, side) for side in Side],
            "messages": [
                # The same sentence in the next layer would only be noise.
                *([said] if said != said_before else []),
                *phrases.value_details(divergence),
                *phrases.flags_at(divergence),
            ],
            "note": phrases.listing.options.notes.get(index),
        }
        said_before = said


def _side(phrases: Phrases, divergence: Divergence, side: Side) -> PageContent:
    trace = phrases.listing.comparison.side(side).trace
    ops = []
    for row in divergence.rows(side):
        op = trace.op(row)
        printed = (("→", op.outputs), ("←", op.inputs))
        operands = [(sign, _listed(several)) for sign, several in printed if several]
        frame = trace.user_frame(row)
        ops.append({"line": op.line, "name": op.name, "operands": operands, "frame": frame})
    return {"ops": ops, "absent": phrases.say("report.nothing-here")}


def _listed(operands: Sequence[object]) -> str:
    more = " …" if len(operands) > _MOST_OPERANDS else ""
    return ", ".join(str(operand) for operand in operands[:_MOST_OPERANDS]) + more
