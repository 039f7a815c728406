"""A comparison for people at a terminal: grouped, nearest the anchor first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from opdiff.compare import Comparison, Side
from opdiff.report.listing import ListedGroup, Listing, sectioned
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.signs import COLOURS, SIGNS
from opdiff.report.table_text import TableText, table_text
from opdiff.wording.columns import columns_of, padded, pieces_of, widths_of
from opdiff.wording.printable import printable

StyledText = tuple[str, str]
"""A piece of a line and the style it has on a terminal."""

_SHOWN = 3
_MOST_GROUPS = 1000
"""So many groups nobody reads to the end; more have a cause that stands among the first."""
_HANGING = 4
_LEAST_WIDTH = 24
"""Columns: below it folding makes nothing easier to read."""


def pieces(comparison: Comparison, options: ReportOptions) -> Iterator[str]:
    """The report, with the terminal's colours where the options allow them."""
    lines = _lines(Listing(comparison, options))
    if options.width is not None:
        lines = folded(lines, options.width)
    if options.colour:
        yield _coloured(lines)
    else:
        yield "".join("".join(text for text, _ in spans).rstrip() + "\n" for spans in lines)


def _coloured(lines: Iterator[list[StyledText]]) -> str:
    # Only a terminal needs rich, and importing it takes as long as a small comparison.
    from rich.console import Console
    from rich.text import Text

    # Wide enough never to fold a line once more.
    console = Console(file=StringIO(), force_terminal=True, width=10_000, highlight=False)
    with console.capture() as capture:
        for spans in lines:
            console.print(Text.assemble(*spans), no_wrap=True, crop=False, soft_wrap=True)
    return capture.get()


def _lines(listing: Listing) -> Iterator[list[StyledText]]:
    phrases = Phrases(listing)
    yield from _head(phrases)
    yield from _table(listing)
    room = max(_MOST_GROUPS, len(listing.groups) if listing.options.everything else 0)
    for section, branch in sectioned(listing):
        if not room:
            break
        yield []
        if section:
            yield [(phrases.say(section), "dim")]
            yield []
        yield from _group(phrases, branch.root, "")
        following = branch.consequences[: room - 1]
        if following:
            yield [(f"    {phrases.say('report.consequences')}", "dim")]
        for listed in following:
            yield from _group(phrases, listed, "    ")
        room -= 1 + len(following)
    if len(listing.groups) > _MOST_GROUPS and not listing.options.everything:
        left_out = len(listing.groups) - _MOST_GROUPS
        yield []
        yield [(phrases.say("report.more-groups", count=left_out), "dim")]
    asides = [*phrases.asides(), *phrases.flag_lines()]
    if asides:
        yield []
    for aside in asides:
        yield [(aside, "dim")]


def _head(phrases: Phrases) -> Iterator[list[StyledText]]:
    width = max(len(phrases.side_name(side)) for side in Side)
    for side in Side:
        yield [
            (phrases.side_name(side).ljust(width), "bold"),
            (f"  {phrases.path(side)}  ", ""),
            (f"{phrases.ops(side)} · {phrases.anchor(side)}", "dim"),
        ]
    yield [(phrases.verdict(), "bold")]
    yield [(phrases.direction(), ""), (" · ", "dim"), (phrases.counts(), "")]
    if phrases.listing.by_kind:
        yield [(phrases.by_kind(), "dim")]
    values = phrases.values_line()
    if values:
        yield [(values, "")]


def _table(listing: Listing) -> Iterator[list[StyledText]]:
    """Layers or functions against kinds: where it differs at all."""
    table = table_text(listing)
    if table is None:
        return
    yield []
    if table.said:
        yield [(table.said, "bold")]
    if not table.rows:
        return
    room = listing.options.width
    widths = widths_of([table.head, *table.rows])
    fits = room is None or sum(widths) + 2 * (len(widths) - 1) <= room
    yield from _columns(table, widths) if fits else _narrow(table)
    if table.left_out:
        yield [(table.left_out, "dim")]


def _columns(table: TableText, widths: list[int]) -> Iterator[list[StyledText]]:
    """A column a kind."""
    styles = [*(COLOURS[kind] for kind in table.kinds), "bold"]
    for place, row in enumerate((table.head, *table.rows)):
        spans = [(padded(row[0], widths[0]), "dim" if place == 0 else "")]
        for text, width, style in zip(row[1:], widths[1:], styles, strict=True):
            spans.append(("  " + padded(text, width, right=True), style))
        yield spans


def _narrow(table: TableText) -> Iterator[list[StyledText]]:
    """The same where a terminal has no room for all columns: how many of which kinds."""
    for name, *counts, total in table.rows:
        spans = [(f"{name}  ", ""), (total, "bold")]
        for text, kind in zip(counts, table.kinds, strict=True):
            spans += [("  ", ""), (f"{kind} {text}", COLOURS[kind])] if text else []
        yield spans


def _group(phrases: Phrases, here: ListedGroup, indent: str) -> Iterator[list[StyledText]]:
    listing, group = phrases.listing, here.group
    known = listing.is_known(group)
    times = f"  × {here.times}" if here.times > 1 else ""
    yield [
        (f"{indent}{SIGNS[group.kind]} ", COLOURS[group.kind]),
        (phrases.sentence(group.title), "dim" if known else "bold"),
        (f"  {group.kind}", COLOURS[group.kind]),
        (times, "bold"),
        (
            f"  {phrases.say('report.aside', said=phrases.say('report.known'))}" if known else "",
            "dim",
        ),
    ]
    where = phrases.where_all(here.members)
    if where:
        yield [(f"{indent}    {phrases.say('report.where', place=where)}", "dim")]
    note = listing.options.group_notes.get(group.id)
    if note:
        yield [(f"{indent}    {phrases.say('report.note', text=printable(note))}", "italic")]
    shown = here.members
    if not listing.options.everything and len(shown) > _SHOWN + 1:
        noted = [index for index in shown[_SHOWN:] if index in listing.options.notes]
        shown = [*shown[:_SHOWN], *noted]
    yield from _members(phrases, shown, indent + "    ")
    if len(shown) < len(here.members):
        left_out = len(here.members) - len(shown)
        yield [(f"{indent}    {phrases.say('report.more', count=left_out)}", "dim")]


def _members(phrases: Phrases, members: Sequence[int], indent: str) -> Iterator[list[StyledText]]:
    last_said = ""
    for index in members:
        divergence = phrases.listing.comparison.divergences[index]
        yield [(f"{indent}{phrases.place(divergence)}", "")]
        said = phrases.sentence(divergence.sentence)
        # The same sentence of the next layer would only be noise.
        if said != last_said:
            yield [(f"{indent}  {said}", "dim")]
        last_said = said
        for more in (
            *phrases.value_details(divergence),
            phrases.lost_links(divergence),
            phrases.hidden_cause(divergence),
            *phrases.flags_at(divergence),
        ):
            if more:
                yield [(f"{indent}  {more}", "dim")]
        note = phrases.listing.options.notes.get(index)
        if note:
            yield [(f"{indent}  {phrases.say('report.note', text=printable(note))}", "italic")]


def folded(lines: Iterable[list[StyledText]], width: int) -> Iterator[list[StyledText]]:
    """The lines, those too long in several, indented; a word longer than a line stays whole."""
    for spans in lines:
        text = "".join(piece for piece, _ in spans)
        if width < _LEAST_WIDTH or columns_of(text) <= width:
            yield spans
        else:
            yield from _folded(spans, width, len(text) - len(text.lstrip(" ")) + _HANGING)


def _folded(spans: list[StyledText], width: int, indent: int) -> Iterator[list[StyledText]]:
    indent = min(indent, width // 2)
    line: list[StyledText] = []
    used, empty = 0, True
    for text, style in spans:
        for piece in pieces_of(text):
            size = columns_of(piece)
            if used + size > width and not empty and not piece.isspace():
                yield line
                line, used = [(" " * indent, "")], indent
            line.append((piece, style))
            used += size
            empty = empty and piece.isspace()
    yield line
