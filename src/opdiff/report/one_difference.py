"""One difference as Markdown, with the lines of code behind it on both sides: for an issue."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from opdiff.compare import Comparison, Divergence, Side
from opdiff.report.listing import Listing, times
from opdiff.report.markdown_report import escaped
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.signs import SIGNS
from opdiff.report.source_text import Excerpt, FindSource
from opdiff.trace import Frame
from opdiff.trace.stacks import innermost_first, is_no_stack, user_frame
from opdiff.wording.printable import printable

_MOST_FRAMES = 8
_TICKS = re.compile(r"`+")


class SharedBesides(NamedTuple):
    """What is told of one difference besides the comparison."""

    find_source: FindSource
    command: str = ""
    """The command that opens the window at it."""
    notes: tuple[str, ...] = ()


def difference_markdown(
    comparison: Comparison, index: int, language: str, shared: SharedBesides
) -> str:
    """Its kind, sentence and cause, then a side each the op, its stack and its source."""
    listing = Listing(comparison, ReportOptions(language=language))
    return "\n".join(_lines(Phrases(listing), index, shared)) + "\n"


def _lines(phrases: Phrases, index: int, shared: SharedBesides) -> Iterator[str]:
    comparison = phrases.listing.comparison
    found = comparison.divergences[index]
    group = comparison.groups[found.group]
    often = times(group.title, group.count)
    count = f" × {often}" if often > 1 else ""
    sign = SIGNS[found.kind].replace("+", "&#43;")
    yield f"### {sign} {escaped(phrases.sentence(group.title))}{count}"
    yield ""
    yield f"{escaped(phrases.sentence(found.sentence))} (`{found.kind}`)"
    if found.caused_by is not None:
        cause = comparison.divergences[found.caused_by]
        yield ""
        place = escaped(phrases.place(cause))
        yield phrases.say("report.cause", kind=str(cause.kind), place=place)
    for note in shared.notes:
        yield ""
        yield from (f"> {escaped(line)}" for line in note.splitlines())
    for side in Side:
        if found.rows(side):
            yield from _side(phrases, found, side, shared.find_source)
    if shared.command:
        yield ""
        yield from _fenced(printable(shared.command), "sh")


def _side(
    phrases: Phrases, found: Divergence, side: Side, find_source: FindSource
) -> Iterator[str]:
    trace = phrases.listing.comparison.side(side).trace
    op = trace.op(found.rows(side)[0])
    lines, types = phrases.lines(found, side), phrases.op_types(found, side)
    yield ""
    yield (
        f"**{phrases.side_name(side)}**: {escaped(types)}, "
        f"{escaped(phrases.path(side))}:{escaped(lines)}"
    )
    frames = () if is_no_stack(op.stack) else innermost_first(op.stack)
    own = user_frame(op.stack) if frames else None
    if own is None:
        return
    shown = [own, *(frame for frame in frames if frame != own)][:_MOST_FRAMES]
    yield ""
    yield from (f"{number}. {escaped(_frame(f))}" for number, f in enumerate(shown, start=1))
    excerpt = find_source(own)
    if excerpt is not None:
        yield ""
        yield from _fenced("\n".join(_numbered(excerpt)), "python")


def _frame(frame: Frame) -> str:
    return f"{frame.file}:{frame.line} {frame.function}"


def _numbered(excerpt: Excerpt) -> Iterator[str]:
    digits = len(str(excerpt.first + len(excerpt.lines) - 1))
    for number, line in enumerate(excerpt.lines, start=excerpt.first):
        mark = ">" if number == excerpt.line else " "
        yield f"{mark} {number:>{digits}}  {line}".rstrip()


def _fenced(text: str, language: str) -> Iterator[str]:
    """A block of code, its fence longer than any that stands in it."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{language}"
    yield from text.split("\n")
    yield fence
