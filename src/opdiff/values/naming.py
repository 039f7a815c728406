"""Values that are keyed by the names of ops: which row of a trace each of them belongs to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from opdiff.errors import OpdiffError
from opdiff.trace import Trace
from opdiff.wording import Sentence


class NamedOperand(NamedTuple):
    """An operand of which a content is known; several of one name in the order of time."""

    name: str
    is_output: bool
    operand: int


class Joined(NamedTuple):
    """Which row of the trace each content belongs to."""

    rows: tuple[int, ...]
    """A row a content, -1 for one that belongs to none."""
    notes: tuple[Sentence, ...]


def flat_name(name: str) -> str:
    """A name as dumps spell it, where it is a part of a file's name."""
    return name.replace("/", "_")


def join(trace: Trace, contents: Sequence[NamedOperand], path: str) -> Joined:
    """Find the rows: the n-th content of an operand of that name belongs to the n-th such op.

    Names are looked up as they are, else as dumps spell them. Refuses values most of whose names
    no op has: they are another trace's.
    """
    exact, flat = _rows_by_name(trace)
    seen: defaultdict[NamedOperand, int] = defaultdict(int)
    rows: list[int] = []
    strangers: dict[str, None] = {}
    names: set[str] = set()
    for content in contents:
        candidates = exact.get(content.name) or flat.get(flat_name(content.name), [])
        if candidates:
            names.add(content.name)
        else:
            strangers[content.name] = None
        turn = seen[content]
        seen[content] += 1
        rows.append(candidates[turn] if turn < len(candidates) else -1)
    if len(strangers) > len(names):
        raise OpdiffError(
            "values.foreign-names",
            count=len(strangers),
            names=len(strangers) + len(names),
            examples=_listed(strangers),
            path=path,
        )
    notes = []
    if strangers:
        code = "values.strangers"
        notes.append(Sentence.of(code, count=len(strangers), examples=_listed(strangers)))
    surplus = sum(
        row < 0 and content.name in names for row, content in zip(rows, contents, strict=True)
    )
    if surplus:
        notes.append(Sentence.of("values.more-runs", count=surplus))
    return Joined(tuple(rows), tuple(notes))


def _rows_by_name(trace: Trace) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """The rows of every name, as it is and as dumps spell it."""
    names = trace.tables.names
    exact: dict[str, list[int]] = {}
    for row, name in enumerate(trace.columns.name.tolist()):
        exact.setdefault(names[name], []).append(row)
    flat: dict[str, list[int]] = {}
    for text, rows in exact.items():
        flat.setdefault(flat_name(text), []).extend(rows)
    for rows in flat.values():
        rows.sort()
    return exact, flat


def _listed(names: Iterable[str], most: int = 3) -> str:
    every = list(names)
    return ", ".join(every[:most]) + (" …" if len(every) > most else "")
