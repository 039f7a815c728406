"""A trace as a file that is mapped, not read: columns as they lie in memory, tables as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from opdiff.readers.kept.arrays import Array, Arrays, Facts, Form
from opdiff.trace import (
    Frame,
    Line,
    Operands,
    Problem,
    Row,
    Source,
    Tables,
    TensorSpec,
    Trace,
    TraceColumns,
)
from opdiff.trace.stacks import LazyStacks
from opdiff.wording import Sentence

# Columns


def _arrays_of(columns: TraceColumns | Operands, prefix: str) -> Arrays:
    found: Arrays = {}
    for each in fields(columns):
        value = getattr(columns, each.name)
        if isinstance(value, Operands):
            found |= _arrays_of(value, f"{prefix}{each.name}.")
        else:
            found[prefix + each.name] = value
    return found


def _columns_from(arrays: Arrays) -> TraceColumns:
    parts: dict[str, Any] = {
        each.name: arrays[each.name] for each in fields(TraceColumns) if each.name in arrays
    }
    for name in ("outputs", "inputs"):
        inner = {each.name: arrays[f"{name}.{each.name}"] for each in fields(Operands)}
        parts[name] = Operands(**inner)
    return TraceColumns(**parts)


# Tables


def _facts_of(trace: Trace) -> Facts:
    tables, source = trace.tables, trace.source
    specs = [(s.dtype, s.shape, s.strides, s.offset) for s in tables.specs]
    frames = _frames_of(tables.stacks)
    return {
        "format": source.format,
        "execution_order": source.execution_order,
        "names": list(tables.names),
        "specs": specs,
        "attrs": list(tables.attrs),
        "frames": [(frame.file, frame.line, frame.function) for frame in frames],
        "graphs": list(tables.graphs),
        "problems": [(p.line, p.last_line, sentence_json(p.sentence)) for p in trace.problems],
        "repaired": [int(row) for row in trace.repaired],
        "notes": [sentence_json(note) for note in trace.notes],
    }


def _parts(trace: Trace) -> tuple[Facts, Arrays]:
    arrays = {**_arrays_of(trace.columns, ""), **_arrays_of_stacks(trace.tables.stacks)}
    return _facts_of(trace), arrays


def _whole(header: Facts, arrays: Arrays, origin: str, companions: tuple[str, ...]) -> Trace:
    tables = Tables(
        names=header["names"],
        specs=[
            TensorSpec(dtype, tuple(shape), None if strides is None else tuple(strides), offset)
            for dtype, shape, strides, offset in header["specs"]
        ],
        attrs=[tuple((key, value) for key, value in attrs) for attrs in header["attrs"]],
        stacks=_Stacks(
            [Frame(*frame) for frame in header["frames"]],
            arrays["stacks.start"],
            arrays["stacks.frame"],
        ),
        graphs=header["graphs"],
    )
    return Trace(
        Source(origin, header["format"], header["execution_order"], companions),
        _columns_from(arrays),
        tables,
        problems=tuple(
            Problem(Line(first), Line(last), sentence_from(said))
            for first, last, said in header["problems"]
        ),
        repaired=tuple(Row(row) for row in header["repaired"]),
        notes=tuple(sentence_from(note) for note in header["notes"]),
    )


def _arrays_of_stacks(stacks: Sequence[tuple[Frame, ...]]) -> Arrays:
    index = {frame: place for place, frame in enumerate(_frames_of(stacks))}
    counts = [len(stack) for stack in stacks]
    flat = [index[frame] for stack in stacks for frame in stack]
    return {
        "stacks.start": np.cumsum([0, *counts], dtype=np.int64),
        "stacks.frame": np.array(flat, np.int32),
    }


def _frames_of(stacks: Sequence[tuple[Frame, ...]]) -> list[Frame]:
    """Each frame once, in the order of their first sight."""
    return list(dict.fromkeys(frame for stack in stacks for frame in stack))


class _Stacks(LazyStacks):
    def __init__(self, frames: list[Frame], start: Array, frame: Array) -> None:
        self._frames = frames
        self._start = start
        self._frame = frame

    def __len__(self) -> int:
        return len(self._start) - 1

    def at(self, place: int) -> tuple[Frame, ...]:
        own = self._frame[self._start[place] : self._start[place + 1]].tolist()
        return tuple(self._frames[number] for number in own)


def sentence_json(sentence: Sentence) -> list[object]:
    """A sentence as lists, for :func:`sentence_from`."""
    args = [
        (name, sentence_json(value) if isinstance(value, Sentence) else value)
        for name, value in sentence.args
    ]
    return [sentence.code, args]


def sentence_from(said: list[Any]) -> Sentence:
    """The sentence that lists stand for."""
    code, args = said
    filled = ((name, sentence_from(v) if isinstance(v, list) else v) for name, v in args)
    return Sentence(code, tuple(filled))


TRACES: Form[Trace] = Form(
    "trace",
    1,
    _parts,
    _whole,
    # Those that are large, and of which it is known what is read beside them.
    fits=lambda trace: trace.source.format == "mindspore-tracker",
    beside="task.csv",
)
