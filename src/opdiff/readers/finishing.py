"""From ops that a reader gave one by one to a trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from opdiff.errors import OpdiffError
from opdiff.readers.formats import Input
from opdiff.readers.tracker.problems import Problems
from opdiff.trace import Columns, Operands, Part, Source, Tables, Trace
from opdiff.trace.columns import Flags
from opdiff.wording import Sentence


def finished(
    source: Input,
    format_name: str,
    columns: Columns,
    tables: Tables,
    problems: Problems,
    *,
    last_line: int = 1,
    execution_order: bool = True,
    companions: Iterable[str] = (),
    notes: Iterable[Sentence] = (),
    parts: Sequence[Part] = (),
) -> Trace:
    """The trace; raises OpdiffError where not one op was found."""
    for sentence in source.cut:
        problems.add_at(last_line, sentence)
    if not len(columns.line):
        raise OpdiffError(
            Sentence.of("reading.no-ops-of", format=format_name),
            path=source.path,
            line=next((int(problem.line) for problem in problems.all()), None),
        )
    columns, numbered = _told_apart(columns)
    notes = [*notes, *([Sentence.of("reading.numbered")] if numbered else [])]
    origin = Source(
        source.path, format_name, execution_order, tuple(companions), tuple(parts), source.told
    )
    return Trace(origin, columns, tables, problems.all(), notes=tuple(notes))


def kept(columns: Columns, keep: Flags) -> Columns:
    """Only some of the rows."""
    if keep.all():
        return columns
    return Columns(
        line=columns.line[keep],
        last_line=columns.last_line[keep],
        name=columns.name[keep],
        outputs=_operands_kept(columns.outputs, keep),
        inputs=_operands_kept(columns.inputs, keep),
        attrs=columns.attrs[keep],
        stack=columns.stack[keep],
        task=columns.task[keep],
        mode=columns.mode[keep],
        graph=columns.graph[keep],
    )


def _operands_kept(operands: Operands, keep: Flags) -> Operands:
    counts = operands.counts()
    mine = np.repeat(keep, counts)
    start = np.concatenate(([0], np.cumsum(counts[keep]))).astype(np.int64)
    return Operands(start, operands.memory[mine], operands.spec[mine])


def _told_apart(columns: Columns) -> tuple[Columns, bool]:
    """With numbers in place of lines, where a file prints several ops on one line."""
    rows = len(columns.line)
    if len(np.unique(columns.line)) == rows:
        return columns, False
    order = np.argsort(columns.line, kind="stable")
    number = np.empty(rows, np.int32)
    number[order] = np.arange(1, rows + 1, dtype=np.int32)
    return replace(columns, line=number, last_line=number), True
