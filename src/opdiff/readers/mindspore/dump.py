"""MindSpore's tensor dump: a folder of arrays, one a tensor, or the table of their statistics.

The time in each name gives the order. Tensors have no ids: those with equal content are taken for
the same, and the user is told that these links are guesses. A folder has no lines: its ops are
numbered.
"""

from __future__ import annotations

import re
import tarfile
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from opdiff.readers.arguments import TENSOR, called_with
from opdiff.readers.finishing import finished
from opdiff.readers.formats import Input
from opdiff.readers.mindspore.csv_rows import read_rows
from opdiff.readers.mindspore.dump_files import (
    Dumped,
    DumpedFile,
    files_in,
    files_of_archive,
    look_at,
)
from opdiff.readers.problems import Problems
from opdiff.readers.specs import dtype_name
from opdiff.readers.tensor_ids import TensorIds
from opdiff.trace import ColumnsBuilder, Operand, TensorSpec, Trace
from opdiff.trace.columns import GRAPH
from opdiff.wording import Sentence

FORMAT = "mindspore-dump"
_MAGIC = b"\x93NUMPY"
_HEADER = re.compile(rb"^(?:\xef\xbb\xbf)?Op Type,Op Name,Task ID,", re.M)
_DIMS = re.compile(r"\d{1,18}")
_NO_OPS = frozenset({"Parameter", "Constant", "Const", "ValueNode"})
_STATISTICS = ("Max Value", "Min Value", "Avg Value", "L2Norm Value", "MD5")


@dataclass(frozen=True, slots=True)
class TensorOfOp:
    """One tensor of an op."""

    dumped: Dumped
    spec: TensorSpec
    key: Hashable
    """Equal for tensors that may be the same; None for what may equal anything."""
    text: str | None
    """Its elements, where they are few."""
    line: int = 0
    row: Mapping[str, str] = field(default_factory=dict)
    """What the table says of it."""


@dataclass(slots=True)
class DumpedOp:
    """An op, as the tensors tell that belong to it."""

    name: str
    stream: str
    inputs: list[TensorOfOp] = field(default_factory=list)
    outputs: list[TensorOfOp] = field(default_factory=list)
    arguments: str = ""
    """All inputs, those of a few elements that no op made by their values."""
    lines: tuple[int, int] = (0, 0)


class Arrays:
    """The format of a folder of arrays, whichever of them was opened."""

    def sniff(self, head: bytes) -> bool:
        """Whether a file is an array."""
        return head.startswith(_MAGIC)

    def read(self, source: Input) -> Trace:
        """The ops of the folder that the array lies in."""
        folder = Path(source.path).parent
        ops = arranged(tensors_of(files_in(folder), source.problems))
        source.path = str(folder)
        return _trace(source, ops, numbered=True)


class Archive:
    """The format of such a folder in a tar archive."""

    def sniff(self, head: bytes) -> bool:
        """Whether a file is an archive with an array in it."""
        return head[257:262] == b"ustar" and _MAGIC in head

    def read(self, source: Input) -> Trace:
        """The ops of all arrays in it."""
        tensors: list[TensorOfOp] = []
        try:
            tensors.extend(tensors_of(files_of_archive(source.stream), source.problems))
        except (tarfile.TarError, EOFError) as error:
            source.problems.add("archive-cut", 1, 1, reason=str(error))
        return _trace(source, arranged(tensors), numbered=True)


class Statistics:
    """The format of ``statistic.csv``."""

    def sniff(self, head: bytes) -> bool:
        """Whether the beginning of a file has the header of that table."""
        return _HEADER.search(head) is not None

    def read(self, source: Input) -> Trace:
        """The ops of all rows."""
        return _trace(source, arranged(listed(source)), numbered=False)


def tensors_of(files: Iterable[DumpedFile], problems: Problems) -> Iterator[TensorOfOp]:
    """Every array looked at; what is none is a problem, whose line is the number of the file."""
    for number, file in enumerate(files, 1):
        try:
            look = look_at(file)
        except (ValueError, OSError, EOFError) as error:
            name, reason = file.dumped.file[:120], str(error)[:120]
            problems.add("dump-file", number, number, file=name, reason=reason)
            continue
        key = None if look.print is None else (look.spec, look.print)
        yield TensorOfOp(file.dumped, look.spec, key, look.text)


def listed(source: Input) -> Iterator[TensorOfOp]:
    """Every row of the table of statistics."""
    for line, row in read_rows(source, ("Op Type",)):
        side, slot, time = row.get("IO", ""), row.get("Slot", ""), row.get("Timestamp", "")
        if side not in ("input", "output") or not slot.isdecimal() or len(slot) > 5:
            source.problems.add("dump-row", line, line)
            continue
        dumped = Dumped(
            row["Op Type"] or "?",
            row.get("Op Name", ""),
            row.get("Stream ID", "0") or "0",
            int(time) if time.isdecimal() and len(time) < 19 else 0,
            side,
            int(slot),
            row.get("Data Type", ""),
            "",
        )
        dims = tuple(int(dim) for dim in _DIMS.findall(row.get("Shape", "")))
        spec = TensorSpec(dtype_name(dumped.dtype or "?"), dims)
        held = tuple(row.get(column, "") for column in _STATISTICS)
        plain = not any(held) or (held[0] == held[1] and dims)
        number = held[0] if held[0] == held[1] and not dims else None
        yield TensorOfOp(dumped, spec, None if plain else (spec, held), number, line, row)


def arranged(tensors: Iterable[TensorOfOp]) -> list[DumpedOp]:
    """The ops in the order of time; a slot that comes again is that of the next run of its op."""
    ops: list[DumpedOp] = []
    open_ops: dict[tuple[str, str], tuple[DumpedOp, set[tuple[str, int]]]] = {}
    for tensor in sorted(tensors, key=lambda one: (one.dumped.time, one.line)):
        dumped = tensor.dumped
        if dumped.type in _NO_OPS:
            continue
        key, slot = (dumped.type, dumped.node), (dumped.side, dumped.slot)
        known = open_ops.get(key)
        if known is None or slot in known[1]:
            known = open_ops[key] = (DumpedOp(dumped.name, dumped.stream), set())
            ops.append(known[0])
        op, slots = known
        slots.add(slot)
        (op.inputs if dumped.side == "input" else op.outputs).append(tensor)
    _tell_arguments(ops)
    return ops


def _tell_arguments(ops: list[DumpedOp]) -> None:
    """Inputs of a few elements that no op before has made are arguments, no operands."""
    made: set[Hashable] = set()
    for op in ops:
        op.inputs.sort(key=lambda tensor: tensor.dumped.slot)
        op.outputs.sort(key=lambda tensor: tensor.dumped.slot)
        lines = [tensor.line for tensor in (*op.inputs, *op.outputs)]
        op.lines = (min(lines), max(lines))
        texts: list[str] = []
        kept: list[TensorOfOp] = []
        for tensor in op.inputs:
            if tensor.text is not None and (tensor.key is None or tensor.key not in made):
                texts.append(tensor.text)
            else:
                texts.append(TENSOR)
                kept.append(tensor)
        op.inputs = kept
        op.arguments = called_with(texts)
        made.update(tensor.key for tensor in op.outputs if tensor.key is not None)


def _trace(source: Input, ops: list[DumpedOp], *, numbered: bool) -> Trace:
    builder = ColumnsBuilder()
    ids = TensorIds()

    def operand(tensor: TensorOfOp) -> Operand:
        memory = ids.fresh() if tensor.key is None else ids.of(tensor.key)
        return Operand(memory, tensor.spec)

    # Rows of a table are those of an op one after the other, but need not be.
    apart = not numbered and all(one.lines[1] < other.lines[0] for one, other in pairwise(ops))
    for row, op in enumerate(ops):
        first, last = op.lines if apart else (op.lines[0] or row + 1,) * 2
        builder.add(
            op.name,
            [operand(tensor) for tensor in op.outputs],
            [operand(tensor) for tensor in op.inputs],
            line=first,
            last_line=last,
            attrs={"stream_id": op.stream, "args": op.arguments},
            mode=GRAPH,
        )
    notes = [Sentence.of("reading.links-by-content" if numbered else "reading.links-by-statistics")]
    if numbered:
        notes.append(Sentence.of("reading.numbered-folder"))
    return finished(source, FORMAT, builder.build(), notes=notes)
