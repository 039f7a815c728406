"""A comparison as one HTML page that needs nothing else: no network, no other file.

Everything that comes from a trace or a note is escaped, and the page forbids by its own policy
every script and style but the two it brings: a hostile op name finds no way to run.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from opdiff import __version__
from opdiff.compare import Comparison, Divergence, Section, Side
from opdiff.report.curve import error_curve
from opdiff.report.flag_phrases import flag_lines, flags_at
from opdiff.report.listing import ListedGroup, Listing
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.printable import printable, thousands
from opdiff.report.signs import COLOURS, SIGNS
from opdiff.report.table_text import table_text
from opdiff.report.value_words import value_details, values_line

_MOST_ROWS = 3000
"""A browser stays quick up to about here."""
_MOST_IN_GROUP = 100
_UNFOLDED = 3
_MOST_OPERANDS = 8
_DARK_INK = ("#F0E442", "#56B4E9", "#E69F00", "#CC79A7")


def to_html(comparison: Comparison, options: ReportOptions) -> str:
    """The whole page."""
    listing = Listing(comparison, options)
    phrases = Phrases(listing)
    style, script = _style(), _page_file("report.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    language = {"zh": "zh-CN"}.get(options.language, options.language)
    title = escape(phrases.say("report.title"))
    body = "\n".join(_body(phrases))
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f"{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _page_file(name: str) -> str:
    return files("opdiff.report").joinpath(f"page/{name}").read_text(encoding="utf-8")


def _style() -> str:
    """The style sheet and a class a kind, for the policy forbids styles on single elements."""
    kinds = [
        f".{kind} {{ --kind: {colour}; --ink: {'#1d2329' if colour in _DARK_INK else '#ffffff'}; }}"
        for kind, colour in COLOURS.items()
    ]
    return _page_file("report.css") + "\n".join(kinds) + "\n"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _body(phrases: Phrases) -> Iterator[str]:
    yield f"<h1>{escape(phrases.say('report.title'))}</h1>"
    yield '<dl class="traces">'
    for side in Side:
        about = escape(f"{phrases.ops(side)} · {phrases.anchor(side)}")
        yield f"<dt>{escape(phrases.side_name(side))}</dt>"
        yield f'<dd><code>{escape(phrases.path(side))}</code> <span class="dim">{about}</span></dd>'
    yield "</dl>"
    yield f"<p>{escape(phrases.direction())} · <strong>{escape(phrases.counts())}</strong></p>"
    for aside in (*phrases.asides(), *flag_lines(phrases)):
        yield f'<p class="dim">{escape(aside)}</p>'
    values = values_line(phrases)
    if values:
        yield f"<p>{escape(values)}</p>"
    yield from error_curve(phrases)
    shown = _shares(phrases.listing)
    total, kept = len(phrases.listing.indices), sum(shown.values())
    if kept < total:
        said = phrases.say("report.capped", shown=thousands(kept), total=thousands(total))
        yield f'<p class="dim">{escape(said)}</p>'
    yield from _summary(phrases.listing)
    yield from _tools(phrases)
    yield "<main>"
    section = Section.SUSPECT
    for branch in phrases.listing.branches():
        part = branch.root.group.section
        if part > section and not phrases.listing.options.nearest:
            section = part
            yield f'<p class="dim">{escape(phrases.say(f"report.{section.name.lower()}"))}</p>'
        yield from _group(phrases, branch.root, shown, "root")
        for here in branch.consequences:
            yield from _group(phrases, here, shown, "consequence")
    yield "</main>"
    yield f'<p class="dim">{escape(phrases.say("report.made-by", version=__version__))}</p>'


def _summary(listing: Listing) -> Iterator[str]:
    """Layers or functions against kinds: where it differs at all."""
    table = table_text(listing)
    if table is None:
        return
    if table.said:
        yield f"<p><strong>{escape(table.said)}</strong></p>"
    if not table.rows:
        return
    yield '<table class="places">'
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in table.head)
    yield f"<thead><tr>{heads}</tr></thead><tbody>"
    for name, *counts in table.rows:
        cells = "".join(f"<td>{escape(count)}</td>" for count in counts)
        yield f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'
    yield "</tbody></table>"
    if table.left_out:
        yield f'<p class="dim">{escape(table.left_out)}</p>'


def _shares(listing: Listing) -> dict[int, int]:
    """How many members of each group are shown: a fair share of what a browser can bear."""
    if listing.options.everything:
        return {here.group.id: len(here.members) for here in listing.groups}
    most = max(1, min(_MOST_IN_GROUP, _MOST_ROWS // max(1, len(listing.groups))))
    shares = {here.group.id: min(most, len(here.members)) for here in listing.groups}
    for group in list(shares)[_MOST_ROWS:]:
        shares[group] = 0
    return shares


def _tools(phrases: Phrases) -> Iterator[str]:
    hint = escape(phrases.say("report.search"))
    yield '<div class="tools" role="search">'
    yield (
        f'<input type="search" id="search" placeholder="{hint}" aria-label="{hint}" '
        'autocomplete="off">'
    )
    yield f"<fieldset><legend>{escape(phrases.say('report.filter'))}</legend>"
    for kind, count in phrases.listing.by_kind.items():
        meaning = escape(phrases.say(f"report.kind.{kind}"))
        yield (
            f'<label class="chip {kind}" title="{meaning}">'
            f'<input type="checkbox" data-kind="{kind}" checked>'
            f'<span class="sign">{SIGNS[kind]}</span> {kind} {thousands(count)}</label>'
        )
    yield "</fieldset>"
    found = escape(phrases.say("report.found"))
    yield f'<span class="dim"><output id="found"></output> {found}</span>'
    yield '<button type="button" id="theme" aria-label="light / dark">◐</button></div>'


def _group(phrases: Phrases, here: ListedGroup, shown: dict[int, int], role: str) -> Iterator[str]:
    listing, group = phrases.listing, here.group
    members = here.members[: shown[group.id]]
    if not members:
        return
    known = listing.is_known(group)
    badges = [phrases.say(f"report.kind.{group.kind}")]
    if role == "root" and group.root:
        badges.append(phrases.say("report.root"))
    if known:
        badges.append(phrases.say("report.known"))
    classes = f"group {group.kind} {role}{' known' if known else ''}"
    opened = "" if known or group.neutral else " open"
    yield f'<details id="group-{group.id}" class="{classes}" data-kind="{group.kind}"{opened}>'
    yield (
        f'<summary><span class="sign">{SIGNS[group.kind]}</span>'
        f"<strong>{escape(phrases.sentence(group.title))}</strong>"
        f"{group.kind} × {len(here.members)}"
        + "".join(f'<span class="badge">{escape(badge)}</span>' for badge in badges)
        + "</summary>"
    )
    where = phrases.where_all(here.members)
    if where:
        yield f'<p class="where">{escape(phrases.say("report.where", place=where))}</p>'
    yield from _note(listing.options.group_notes.get(group.id))
    unfolded = members if len(members) <= _UNFOLDED + 1 else members[:_UNFOLDED]
    yield from _rows(phrases, unfolded)
    folded = members[len(unfolded) :]
    if folded:
        more = escape(phrases.say("report.rest", count=len(folded)))
        yield f'<details class="rest"><summary>{more}</summary>'
        yield from _rows(phrases, folded)
        yield "</details>"
    if len(members) < len(here.members):
        left_out = len(here.members) - len(members)
        yield f'<p class="more">{escape(phrases.say("report.more", count=left_out))}</p>'
    yield "</details>"


def _note(note: str | None) -> Iterator[str]:
    if note:
        lines = "\n".join(escape(printable(line)) for line in note.splitlines())
        yield f'<p class="note">{lines}</p>'


def _rows(phrases: Phrases, members: Sequence[int]) -> Iterator[str]:
    said_before = ""
    several = len(members) > 1
    for index in members:
        divergence = phrases.listing.comparison.divergences[index]
        yield '<div class="row">'
        place = phrases.anywhere(divergence) if several else ""
        if place:
            yield f'<p class="where">{escape(place)}</p>'
        for side in Side:
            yield from _side(phrases, divergence, side)
        parts = (phrases.sentence(divergence.sentence), phrases.hidden_cause(divergence))
        said = " · ".join(part for part in parts if part)
        # The same sentence in the next layer would only be noise.
        if said != said_before:
            yield f'<p class="message">{escape(said)}</p>'
        said_before = said
        for more in value_details(phrases, divergence):
            yield f'<p class="message">{escape(more)}</p>'
        for flag in flags_at(phrases, divergence):
            yield f'<p class="message">{escape(flag)}</p>'
        yield from _note(phrases.listing.options.notes.get(index))
        yield "</div>"


def _side(phrases: Phrases, divergence: Divergence, side: Side) -> Iterator[str]:
    rows = divergence.rows(side)
    if not rows:
        yield f'<div class="side absent">{escape(phrases.say("report.nothing-here"))}</div>'
        return
    trace = phrases.listing.comparison.side(side).trace
    yield '<div class="side">'
    for row in rows:
        op = trace.op(row)
        frame = trace.user_frame(row)
        yield f'<div><span class="line">{op.line}</span> <code>{_safe(op.name)}</code>'
        for word, operands in (("→", op.outputs), ("←", op.inputs)):
            if operands:
                listed = ", ".join(_safe(str(operand)) for operand in operands[:_MOST_OPERANDS])
                more = " …" if len(operands) > _MOST_OPERANDS else ""
                yield f'<code class="operands">{word} {listed}{more}</code>'
        if frame is not None:
            yield f'<code class="operands">{_safe(str(frame))}</code>'
        yield "</div>"
    yield "</div>"


def _safe(text: str) -> str:
    return escape(printable(text))
