"""A comparison as Markdown, to paste into an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from opdiff.compare import Comparison, Side
from opdiff.report.listing import ListedGroup, Listing, sectioned
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.signs import SIGNS
from opdiff.report.table_text import table_text
from opdiff.wording.printable import printable

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~^$])")
_SHOWN = 10
_AUTOLINKS = (("://", ":&#47;&#47;"), ("www.", "www&#46;"), ("@", "&#64;"))


def pieces(comparison: Comparison, options: ReportOptions) -> Iterator[str]:
    """A heading, the two traces, a table of groups, and the places of each group."""
    yield "\n".join(_lines(Listing(comparison, options))) + "\n"


def escaped(text: str) -> str:
    """The text as it reads, whatever marks, tags, links or mentions it seems to hold."""
    text = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _MARKUP.sub(r"\\\1", text)
    for link, harmless in _AUTOLINKS:
        text = text.replace(link, harmless)
    return text


def _lines(listing: Listing) -> Iterator[str]:
    phrases = Phrases(listing)
    yield f"## {phrases.say('report.title')}"
    yield ""
    yield f"**{escaped(phrases.verdict())}**"
    yield ""
    for side in Side:
        about = f"{phrases.ops(side)}, {phrases.anchor(side)}"
        yield f"- **{phrases.side_name(side)}**: {escaped(phrases.path(side))} ({escaped(about)})"
    yield f"- {phrases.direction()}: {phrases.counts()}"
    values = phrases.values_line()
    if values:
        yield f"- {escaped(values)}"
    for aside in phrases.asides():
        yield f"- {aside}"
    for line in phrases.flag_lines():
        yield f"- {escaped(line)}"
    if listing.groups:
        yield from _summary(listing)
        yield from _overview(phrases)
        yield from _details(phrases)


def _overview(phrases: Phrases) -> Iterator[str]:
    """A table of all groups."""
    yield ""
    names = ("kind", "difference", "count", "left-lines", "right-lines")
    yield _row(*(phrases.say(f"report.{name}") for name in names))
    yield "| --- | --- | ---: | --- | --- |"
    for section, branch in sectioned(phrases.listing):
        if section:
            yield _row("", f"*{phrases.say(section)}*", "", "", "")
        yield _table_row(phrases, branch.root, "")
        for here in branch.consequences:
            yield _table_row(phrases, here, "↳ ")


def _details(phrases: Phrases) -> Iterator[str]:
    """The places of each group."""
    for section, branch in sectioned(phrases.listing):
        if section:
            yield ""
            yield f"*{phrases.say(section)}*"
        yield from _places(phrases, branch.root)
        for here in branch.consequences:
            yield from _places(phrases, here)


def _summary(listing: Listing) -> Iterator[str]:
    """Layers or functions against kinds: where it differs at all."""
    table = table_text(listing)
    if table is None:
        return
    if table.said:
        yield ""
        yield f"**{escaped(table.said)}**"
    if not table.rows:
        return
    yield ""
    yield _row(*(escaped(cell) for cell in table.head))
    yield _row("---", *("---:" for _ in table.head[1:]))
    for row in table.rows:
        yield _row(*(escaped(cell) for cell in row))
    if table.left_out:
        yield ""
        yield escaped(table.left_out)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _table_row(phrases: Phrases, here: ListedGroup, mark: str) -> str:
    group = here.group
    first = phrases.listing.comparison.divergences[here.members[0]]
    known = f" *({phrases.say('report.known')})*" if phrases.listing.is_known(group) else ""
    return _row(
        f"{SIGNS[group.kind].replace('+', '&#43;')} {group.kind}",
        f"{mark}{escaped(phrases.sentence(group.title))}{known}",
        str(len(here.members)),
        *(escaped(phrases.lines(first, side)) or "–" for side in Side),
    )


def _places(phrases: Phrases, here: ListedGroup) -> Iterator[str]:
    listing, group = phrases.listing, here.group
    yield ""
    yield f"### {escaped(phrases.sentence(group.title))} × {here.times}"
    yield ""
    where = phrases.where_all(here.members)
    if where:
        yield escaped(phrases.say("report.where", place=where))
        yield ""
    note = listing.options.group_notes.get(group.id)
    if note:
        yield f"> {escaped(note)}"
        yield ""
    shown = here.members if listing.options.everything else here.members[:_SHOWN]
    for index in shown:
        divergence = listing.comparison.divergences[index]
        said = escaped(phrases.sentence(divergence.sentence))
        place = phrases.anywhere(divergence) if len(here.members) > 1 else ""
        about = f"*{escaped(place)}*: " if place else ""
        yield f"- {about}{escaped(phrases.place(divergence))}: {said}"
        for more in (
            *phrases.value_details(divergence),
            phrases.hidden_cause(divergence),
            listing.options.notes.get(index, ""),
            *phrases.flags_at(divergence),
        ):
            if more:
                yield f"  - {escaped(more)}"
    if len(shown) < len(here.members):
        yield f"- {phrases.say('report.more', count=len(here.members) - len(shown))}"
