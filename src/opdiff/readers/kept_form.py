"""A trace as a file that is mapped, not read: columns as they lie in memory, tables as JSON.

The last bytes are a digest of all that stands before them. Nothing in such a file is ever
executed, and one that is damaged, foreign or of another machine is no trace at all.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, BinaryIO, overload

import numpy as np
from numpy.typing import NDArray

from opdiff.regular_files import open_regular
from opdiff.trace import (
    Columns,
    Frame,
    Line,
    Operands,
    Problem,
    Row,
    Source,
    Tables,
    TensorSpec,
    Trace,
)
from opdiff.wording import Sentence

_MAGIC = b"opdiff-kept-trace/1\n"
_ALIGNED = 64
_DIGEST_BYTES = 32
_NUMBER_BYTES = 8

Array = NDArray[Any]


class NotKeptError(Exception):
    """A file that is none of these, or no longer whole."""


def write_kept(file: BinaryIO, trace: Trace) -> None:
    """Write a trace so that :func:`read_kept` gives an equal one."""
    arrays = {**_arrays_of(trace.columns, ""), **_arrays_of_stacks(trace.tables.stacks)}
    placed, place = {}, 0
    for name, array in arrays.items():
        place += -place % _ALIGNED
        placed[name] = [array.dtype.str, place, len(array)]
        place += array.nbytes
    header = json.dumps({"arrays": placed, **_described(trace)}).encode()
    header += b" " * (-(len(_MAGIC) + _NUMBER_BYTES + len(header)) % _ALIGNED)
    out = _Digesting(file)
    out.write(_MAGIC + len(header).to_bytes(_NUMBER_BYTES, "little") + header)
    written = 0
    for array in arrays.values():
        gap = -written % _ALIGNED
        out.write(bytes(gap))
        out.write(np.ascontiguousarray(array).data.cast("B") if len(array) else b"")
        written += gap + array.nbytes
    file.write(out.digest())


def read_kept(path: Path, origin: str, companions: tuple[str, ...]) -> Trace:
    """The trace that a file holds, its columns mapped; *origin* is where it was once read from."""
    with open_regular(path) as file:
        return mapped_trace(file, origin, companions)


def mapped_trace(
    file: BinaryIO, origin: str, companions: tuple[str, ...], *, checked: bool = False
) -> Trace:
    """The same of an open file; one that nobody else can have touched counts as *checked*."""
    try:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as error:  # an empty file
        raise NotKeptError from error
    header, start = _header(content, checked)
    try:
        arrays = {
            name: np.frombuffer(content, dtype, count, start + place)
            for name, (dtype, place, count) in header["arrays"].items()
        }
        return _restored(header, arrays, origin, companions)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotKeptError from error


def _header(content: mmap.mmap, checked: bool) -> tuple[dict[str, Any], int]:
    """The header, and where the arrays begin."""
    begin = len(_MAGIC) + _NUMBER_BYTES
    if content[: len(_MAGIC)] != _MAGIC or len(content) < begin + _DIGEST_BYTES:
        raise NotKeptError
    if not checked:
        with memoryview(content) as whole, whole[:-_DIGEST_BYTES] as text:
            if _digest_of(text) != content[-_DIGEST_BYTES:]:
                raise NotKeptError
    size = int.from_bytes(content[len(_MAGIC) : begin], "little")
    header = json.loads(content[begin : begin + size])
    if header["byteorder"] != sys.byteorder:
        raise NotKeptError
    return header, begin + size


def _digest_of(content: memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest()


class _Digesting:
    """Passes on what is written, and remembers its digest."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sum = hashlib.blake2b(digest_size=_DIGEST_BYTES)

    def write(self, content: bytes | memoryview) -> None:
        self._sum.update(content)
        self._file.write(content)

    def digest(self) -> bytes:
        return self._sum.digest()


# Columns


def _arrays_of(columns: Columns | Operands, prefix: str) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for each in fields(columns):
        value = getattr(columns, each.name)
        if is_dataclass(value):
            found |= _arrays_of(value, f"{prefix}{each.name}.")  # type: ignore[arg-type]
        else:
            found[prefix + each.name] = value
    return found


def _columns_from(arrays: dict[str, Array]) -> Columns:
    parts: dict[str, Any] = {
        each.name: arrays[each.name] for each in fields(Columns) if each.name in arrays
    }
    for name in ("outputs", "inputs"):
        inner = {each.name: arrays[f"{name}.{each.name}"] for each in fields(Operands)}
        parts[name] = Operands(**inner)
    return Columns(**parts)


# Tables


def _described(trace: Trace) -> dict[str, object]:
    tables, source = trace.tables, trace.source
    specs = [(s.dtype, s.shape, s.strides, s.offset) for s in tables.specs]
    frames = _frames_of(tables.stacks)
    return {
        "byteorder": sys.byteorder,
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


def _restored(
    header: dict[str, Any], arrays: dict[str, Array], origin: str, companions: tuple[str, ...]
) -> Trace:
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


def _arrays_of_stacks(stacks: Sequence[tuple[Frame, ...]]) -> dict[str, Array]:
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


class _Stacks(Sequence[tuple[Frame, ...]]):
    """Stacks put together when someone looks: most are never looked at."""

    def __init__(self, frames: list[Frame], start: Array, frame: Array) -> None:
        self._frames = frames
        self._start = start
        self._frame = frame

    def __len__(self) -> int:
        return len(self._start) - 1

    def __iter__(self) -> Iterator[tuple[Frame, ...]]:
        return (self[place] for place in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> tuple[Frame, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[tuple[Frame, ...]]: ...
    def __getitem__(self, index: int | slice) -> tuple[Frame, ...] | Sequence[tuple[Frame, ...]]:
        if isinstance(index, slice):
            return [self[place] for place in range(len(self))[index]]
        place = range(len(self))[int(index)]
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
