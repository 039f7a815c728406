"""From ops that a reader gave one by one to a trace, or to those parts that the user wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from opdiff.errors import OpdiffError
from opdiff.readers.formats import Input
from opdiff.trace import Operands, Part, Source, Tables, Trace, TraceColumns
from opdiff.trace.columns import Flags
from opdiff.trace.sorting import distinct
from opdiff.wording import Sentence


def finished(
    source: Input,
    format_name: str,
    built: tuple[TraceColumns, Tables],
    *,
    keep: Flags | None = None,
    execution_order: bool = True,
    companions: Iterable[str] = (),
    notes: Iterable[Sentence] = (),
    parts: Sequence[Part] = (),
) -> Trace:
    """The trace of all rows, or of some to *keep*; raises OpdiffError where there is no op."""
    columns, tables = built
    problems = source.problems
    if keep is not None:
        columns = _kept(columns, keep)
    for sentence in source.cut:
        problems.add_at(source.last_line, sentence)
    if not len(columns.line):
        raise OpdiffError(
            "reading.no-ops-of",
            format=format_name,
            path=source.path,
            line=next((int(problem.line) for problem in problems.all()), None),
        )
    columns, numbered = _told_apart(columns)
    notes = [*notes, *([Sentence.of("reading.numbered")] if numbered else [])]
    origin = Source(
        source.path, format_name, execution_order, tuple(companions), tuple(parts), source.told
    )
    return Trace(origin, columns, tables, problems.all(), notes=tuple(notes))


def _kept(columns: TraceColumns, keep: Flags) -> TraceColumns:
    """Only some of the rows."""
    if keep.all():
        return columns
    kept: dict[str, Any] = {}
    for each in fields(columns):
        column = getattr(columns, each.name)
        some = isinstance(column, Operands)
        kept[each.name] = _operands_kept(column, keep) if some else column[keep]
    return TraceColumns(**kept)


def _operands_kept(operands: Operands, keep: Flags) -> Operands:
    counts = operands.counts()
    mine = np.repeat(keep, counts)
    return Operands.counted(counts[keep], operands.memory[mine], operands.spec[mine])


def _told_apart(columns: TraceColumns) -> tuple[TraceColumns, bool]:
    """With numbers in place of lines, where a file prints several ops on one line."""
    rows = len(columns.line)
    if len(distinct(columns.line)) == rows:
        return columns, False
    order = np.argsort(columns.line, kind="stable")
    number = np.empty(rows, np.int32)
    number[order] = np.arange(1, rows + 1, dtype=np.int32)
    return replace(columns, line=number, last_line=number), True


# Which of several graphs, or levels of detail, in a file


def choose_parts(
    source: Input, sizes: Mapping[str, int]
) -> tuple[tuple[int, ...], tuple[Part, ...]]:
    """The places of the parts that the user wants, in that order, else of the first; and all."""
    chosen = choose(list(sizes), source.graph, source.path)
    parts = tuple(
        Part(name, ops, place in chosen) for place, (name, ops) in enumerate(sizes.items())
    )
    return chosen, parts


def choose_rows(
    source: Input, names: Sequence[str], part_of_row: Sequence[int]
) -> tuple[Flags, tuple[Part, ...]]:
    """Which rows are of parts that the user wants, by the place of each row's part; and all."""
    of_row = np.array(part_of_row, np.int32)
    sizes = np.bincount(of_row, minlength=len(names)).tolist()
    chosen, parts = choose_parts(source, dict(zip(names, sizes, strict=True)))
    return np.isin(of_row, chosen), parts


def choose(names: Sequence[str], wanted: str | None, path: str) -> tuple[int, ...]:
    """The places of the parts that the user wants: numbers, names or globs, joined by ``+``.

    Raises OpdiffError, listing the parts, for what names none.
    """
    if wanted is None:
        return (0,) if names else ()
    found: dict[int, None] = {}
    for one in _split(wanted, names):
        hits = _named(one, names)
        if not hits:
            listed = "; ".join(f"{place}: {name}" for place, name in enumerate(names, 1))
            raise OpdiffError("reading.no-such-graph", graph=one, graphs=listed or "–", path=path)
        found.update(dict.fromkeys(hits))
    return tuple(found)


def told_apart(names: Sequence[str]) -> list[str]:
    """Names with numbers where several are alike."""
    total, seen = Counter(names), Counter[str]()
    found: list[str] = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} #{seen[name]}" if total[name] > 1 else name)
    return found


def first_of_several(source: Input, parts: Sequence[Part]) -> list[Sentence]:
    """A note that there are others than the graph that is read, where nobody chose it."""
    if len(parts) < 2 or source.graph is not None:
        return []
    return [Sentence.of("reading.first-graph", count=len(parts), name=parts[0].name)]


def _split(wanted: str, names: Sequence[str]) -> list[str]:
    return [wanted] if wanted in names else [one.strip() for one in wanted.split("+")]


def _named(one: str, names: Sequence[str]) -> list[int]:
    if one in names:
        return [names.index(one)]
    if one.isascii() and one.isdigit() and len(one) < 10:
        return [int(one) - 1] if 0 < int(one) <= len(names) else []
    folded = one.casefold()
    return [place for place, name in enumerate(names) if fnmatchcase(name.casefold(), folded)]
