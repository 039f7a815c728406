"""msprobe's ``dump.json``: the API calls and modules of a run, with statistics of their tensors.

An entry is written when its call ends. ``stack.json`` and ``construct.json`` beside it tell the
Python stacks and which module encloses which. There are no ids: two operands with the very same
statistics are taken for the same tensor, and the user is told that these links are guesses.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from opdiff.readers.arguments import whole
from opdiff.readers.finishing import choose_parts, finished
from opdiff.readers.formats import Input
from opdiff.readers.json_entries import Shape, entries
from opdiff.readers.msprobe.beside import Beside, read_beside
from opdiff.readers.msprobe.entries import (
    API,
    MODULE,
    EntryName,
    RecordedCall,
    read_call,
    read_name,
    spec_of,
)
from opdiff.readers.tensor_ids import TensorIds
from opdiff.trace import ColumnsBuilder, Operand, Tables, TensorSpec, Trace, TraceColumns
from opdiff.trace.columns import EAGER
from opdiff.trace.told import AS_THEY_ARE, Arguments
from opdiff.wording import Sentence

FORMAT = "msprobe"
LEVELS = (API, MODULE)
"""The calls themselves, and the modules that enclose them."""

_SHAPE = Shape(
    opening=re.compile(r'\{\s*"(?:task|level|framework|dump_data_dir|data)"\s*:'),
    member="data",
    bracket="{",
    entry=re.compile(r'"[^"\n]*\.(?:forward|backward|parameters_grad)(?:\.\d+)?"\s*:\s*\{'),
)
_HEADER = re.compile(rb'"(?:task|level|dump_data_dir)"\s*:')
_DATA = re.compile(rb'"data"\s*:\s*\{')
_STATISTICS = ("Max", "Min", "Mean", "Norm", "md5")
_MOST_FIELDS = 5
_PLAIN = struct.Struct("<i4d")
"""A spec and the four numbers that nearly all tensors have."""


def sniff(head: bytes) -> bool:
    """Whether the beginning of a file is such a dump."""
    data = _DATA.search(head)
    if data is None or b"{" not in head[: data.start()]:
        return False
    if _HEADER.search(head, 0, data.start()):
        return True
    following = head[data.end() : data.end() + 4096].decode("utf-8", "replace").lstrip()
    return _SHAPE.entry.match(following) is not None


def read(source: Input) -> Trace:
    """The API calls, with the modules around them as scopes; where there are none, the modules."""
    reader = _Reader(read_beside(Path(source.path)))
    for call in calls(source):
        reader.take(call)
    levels = np.array(reader.levels, np.int8)
    sizes = np.bincount(levels, minlength=len(LEVELS)).tolist()
    present = {level: size for level, size in zip(LEVELS, sizes, strict=True) if size}
    _, parts = choose_parts(source, present)
    return finished(
        source,
        FORMAT,
        reader.build(),
        keep=np.isin(levels, [LEVELS.index(part.name) for part in parts if part.read]),
        companions=reader.beside.files,
        notes=reader.notes(),
        parts=parts,
    )


class Called(NamedTuple):
    """An entry of the dump that stands for an op."""

    key: str
    name: EntryName
    entry: Mapping[str, Any]
    line: int
    last_line: int
    arguments: Arguments
    """Which of its arguments count."""

    def read(self) -> RecordedCall:
        """What it says."""
        return read_call(self.name, self.entry, self.arguments)


def calls(source: Input) -> Iterator[Called]:
    """All calls and modules in the order of the file."""
    framework, told = "", source.told.arguments
    for member, key, value, line, last_line in entries(source, _SHAPE):
        if member == "framework" and isinstance(value, str):
            framework = value
        if member != _SHAPE.member or key is None:
            continue
        key = whole(key)
        name = read_name(key)
        if name is None or not isinstance(value, dict):
            source.problems.add("msprobe-entry", line, last_line, name=key[:80])
        else:
            arguments = told.get((framework, name.type), AS_THEY_ARE)
            yield Called(key, name, value, line, last_line, arguments)


class _Reader:
    def __init__(self, beside: Beside) -> None:
        self.builder = ColumnsBuilder()
        self.levels: list[int] = []
        self.beside = beside
        self._ids = TensorIds()
        self._specs: dict[TensorSpec, int] = {}
        self._unknown: dict[str, int] = {}

    def take(self, called: Called) -> None:
        """Add one call."""
        name = called.name
        call = called.read()
        for key in call.unknown:
            self._unknown.setdefault(whole(key), called.line)
        scope = name.path if name.level == MODULE else self.beside.scope(called.key)
        attrs = {"args": call.arguments} if call.arguments else {}
        if call.recomputed:
            attrs["recompute"] = "True"
        self.builder.add(
            f"{name.type}-op{name.number}",
            [self._operand(tensor) for tensor in call.outputs],
            [self._operand(tensor) for tensor in call.inputs],
            scope=scope,
            line=called.line,
            last_line=called.last_line,
            attrs=attrs,
            stack=self.beside.stack(called.key),
            mode=EAGER,
        )
        self.levels.append(LEVELS.index(name.level))

    def build(self) -> tuple[TraceColumns, Tables]:
        """All calls; what told tensors apart is no longer needed, and takes as much as they do."""
        self._ids = TensorIds()
        return self.builder.build()

    def _operand(self, tensor: Mapping[str, Any]) -> Operand:
        spec = spec_of(tensor)
        held = tuple(_plain(tensor.get(key)) for key in _STATISTICS)
        if held[0] is None or (held[0] == held[1] and spec.shape):
            # Nothing is known of it, or it is full of one number, as many others may be.
            return Operand(self._ids.fresh(), spec)
        number = self._specs.setdefault(spec, len(self._specs))
        return Operand(self._ids.of(_mark(number, held)), spec)

    def notes(self) -> list[Sentence]:
        """What the user should know of these links, and of what is not understood."""
        found = [Sentence.of("reading.links-by-statistics"), *self.beside.notes]
        if self._unknown:
            fields = ", ".join(list(self._unknown)[:_MOST_FIELDS])
            line = min(self._unknown.values())
            found.append(Sentence.of("reading.unknown-fields", fields=fields, line=line))
        return found


def _mark(spec: int, held: tuple[object, ...]) -> bytes:
    """A few bytes for what is known of a tensor: there are as many of them as tensors."""
    try:
        return _PLAIN.pack(spec, *held[:4]) + str(held[4] or "").encode()
    except (struct.error, OverflowError, UnicodeError):  # whole numbers have no mean, for one
        return blake2b(repr((spec, held)).encode("utf-8", "replace"), digest_size=16).digest()


def _plain(value: object) -> object:
    """A statistic that can be compared: unlike nan, it equals itself."""
    if isinstance(value, float):
        return value if value == value else "nan"
    return value if isinstance(value, (int, str)) else None
