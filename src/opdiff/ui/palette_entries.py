"""What the command palette finds: actions, ops by line, functions and groups of differences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from opdiff.compare import Comparison, Group, Side
from opdiff.trace import Trace
from opdiff.trace.stacks import is_no_stack, user_frame

MOST_FOUND = 40
_MOST_FUNCTIONS = 5_000
_LEAST_LIKENESS = 72.0
"""Of a hundred: below it nobody sees what the words have in common."""
_SHORT = 5
"""Letters: of fewer any text holds something like them."""
_LINE = re.compile(r"(?P<side>[lr左右]?)\s*:?\s*(?P<line>\d{1,12})", re.IGNORECASE)
_SIDES = {"l": (Side.LEFT,), "左": (Side.LEFT,), "r": (Side.RIGHT,), "右": (Side.RIGHT,)}


@dataclass(frozen=True, slots=True)
class Entry:
    """Something to choose: what is said of it, its key or number, and what choosing it does."""

    text: str
    do: Callable[[], object]
    aside: str = ""
    also: str = ""
    """Further words by which it is found."""


@dataclass(frozen=True, slots=True)
class Place:
    """A row that an entry leads to."""

    side: Side
    row: int


def matching(entries: Sequence[Entry], query: str) -> list[Entry]:
    """The entries that a query means, the likeliest first; all of them where nothing is asked."""
    wanted = " ".join(query.casefold().split())
    if not wanted:
        return list(entries)
    from rapidfuzz import fuzz  # takes a moment: nobody waits for it at start

    found = []
    for place, entry in enumerate(entries):
        text = f"{entry.text} {entry.also}".casefold()
        at = text.find(wanted)
        if at >= 0:
            likeness = 200.0 - min(at, 50)
        elif all(word in text for word in wanted.split()):
            likeness = 120.0
        else:
            likeness = fuzz.partial_ratio(wanted, text) if len(wanted) >= _SHORT else 0.0
        if likeness >= _LEAST_LIKENESS:
            found.append((-likeness, place, entry))
    return [entry for _, _, entry in sorted(found, key=lambda each: each[:2])][:MOST_FOUND]


def lines_named(query: str, traces: Sequence[Trace | None]) -> Iterator[Place]:
    """The ops at a line: ``463`` on both sides, ``L463`` or ``R 463`` on one."""
    match = _LINE.fullmatch(query.strip())
    if match is None:
        return
    for side in _SIDES.get(match["side"].lower(), tuple(Side)):
        trace = traces[side]
        row = None if trace is None else trace.row_at(int(match["line"]))
        if row is not None:
            yield Place(side, row)


def functions_of(trace: Trace, side: Side) -> Iterator[tuple[str, str, Place]]:
    """Each function of the user's code: its name, its file, and its first op."""
    seen: dict[tuple[str, str], int] = {}
    for stack, row in zip(trace.tables.stacks, _first_uses(trace), strict=True):
        if row < 0:
            continue
        frame = None if is_no_stack(stack) else user_frame(stack)
        if frame is None or frame.function.startswith("<"):
            continue
        file = str(frame).partition(":")[0]
        key = (frame.function, file)
        seen[key] = min(row, seen.get(key, row))
    for (function, file), row in sorted(seen.items(), key=lambda each: each[1])[:_MOST_FUNCTIONS]:
        yield function, file, Place(side, row)


def _first_uses(trace: Trace) -> list[int]:
    """The first row of every stack of the table, -1 where it is not used."""
    first = np.full(len(trace.tables.stacks), -1, np.int64)
    # Of several rows with the same stack the one written last holds: the first of the trace.
    first[trace.columns.stack[::-1]] = np.arange(len(trace))[::-1]
    return first.tolist()


def groups_of(comparison: Comparison, shown: Callable[[Group], bool]) -> Iterator[tuple[int, int]]:
    """Each group in sight: its id, and its first member."""
    for group in comparison.groups:
        if shown(group):
            yield group.id, group.members[0]
