"""torch_npu's op_plugin log: the kernels of eager PyTorch on Ascend, as the host enqueued them.

It is the one stock record of that order. Other output is mixed into it; views never appear, for no
kernel stands for them; and which arguments are written is not told, but known by rules.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from opdiff.readers.arguments import TENSOR, called_with
from opdiff.readers.ascend.npu_log_roles import Roles, roles_of
from opdiff.readers.ascend.npu_log_text import (
    Argument,
    KernelHeader,
    is_about_names,
    is_detail,
    read_argument,
    read_header,
    resembles_argument,
)
from opdiff.readers.finishing import choose_rows, finished
from opdiff.readers.formats import Input
from opdiff.readers.problems import Problems, excerpt
from opdiff.readers.tensor_ids import Storages, Stored, TensorIds
from opdiff.readers.text_lines import numbered_lines
from opdiff.trace import ColumnsBuilder, Tables, Trace, TraceColumns
from opdiff.trace.columns import EAGER, Flags
from opdiff.trace.told import Kernel
from opdiff.wording import Sentence

FORMAT = "torch-npu-log"
_KERNEL = re.compile(rb" (?:EXEC_NPU\w*|exec aten) ")
_TENSOR = re.compile(rb": (?:TensorList size: \d+, [^\n:]*: )?Tensor size: \[")


def sniff(head: bytes) -> bool:
    """Whether the beginning of a file has a record of a kernel in it."""
    return b" with" in head and bool(_KERNEL.search(head) and _TENSOR.search(head))


def read(source: Input) -> Trace:
    """The kernels of one rank."""
    builder = _LogBuilder(source.told.kernels)
    reader = _Reader(builder, source.problems)
    for number, line in numbered_lines(source):
        reader.take(number, line)
    reader.finish()
    names = [f"rank {rank}" if rank else "kernels" for rank in builder.ranks]
    keep, parts = choose_rows(source, names, builder.runs)
    return finished(
        source,
        FORMAT,
        builder.build(),
        keep=keep,
        notes=builder.notes(keep),
        parts=parts,
    )


@dataclass(slots=True)
class _LogRecord:
    """A kernel and what the lines below its header say."""

    header: KernelHeader
    caller: str
    line: int
    last_line: int
    arguments: list[Argument] = field(default_factory=list)


class _Reader:
    def __init__(self, builder: _LogBuilder, problems: Problems) -> None:
        self._problems = problems
        self._builder = builder
        self._record: _LogRecord | None = None
        self._skipping = False
        """Whether the lines belong to a record of another kind."""
        self._callers: dict[tuple[str, str], str] = {}

    def take(self, number: int, line: str) -> None:
        """Take in one line of the log."""
        header = read_header(line)
        if header is not None:
            self._begin(number, header)
        elif not line.strip() or is_detail(line):
            self.finish()
            self._skipping = bool(line.strip())
        elif is_about_names(line):
            pass
        elif self._record is not None:
            self._take_argument(self._record, number, line)
        elif resembles_argument(line) and not self._skipping:
            self._problems.skip(number, line.encode())

    def _begin(self, number: int, header: KernelHeader) -> None:
        self.finish()
        key = (header.rank, header.thread)
        if header.is_kernel:
            self._record = _LogRecord(header, self._callers.get(key, ""), number, number)
        else:
            self._callers[key] = header.op
            self._skipping = True

    def _take_argument(self, record: _LogRecord, number: int, line: str) -> None:
        argument = read_argument(line)
        if argument is not None:
            record.arguments.append(argument)
            record.last_line = number
        elif resembles_argument(line):
            record.last_line = number
            self._problems.add("log-argument", number, number, excerpt=excerpt(line))

    def finish(self) -> None:
        """The record ends here."""
        record, self._record = self._record, None
        self._skipping = False
        if record is not None:
            self._problems.close()
            self._builder.add(record)


class _LogBuilder:
    """Adds kernels; those of several ranks, whose memory has nothing to do with each other's."""

    def __init__(self, told: Mapping[str, Kernel]) -> None:
        self.columns = ColumnsBuilder()
        self.runs: list[int] = []
        """Of each op, the place of its rank among all ranks."""
        self.ranks: dict[str, int] = {}
        self._told = told
        self._ids = TensorIds()
        self._storages: dict[str, Storages] = {}
        self._guessed: list[bool] = []
        self._lists: list[bool] = []
        self._addresses: list[bool] = []

    def add(self, record: _LogRecord) -> None:
        """Add a kernel as an op."""
        op = record.header.op.removeprefix("aclnn") or record.header.op
        roles = roles_of(op, record.arguments, self._told)
        inputs, outputs = _sides(record.arguments, roles)
        storages = self._storages_of(record.header.rank)
        began, read = storages.begin(inputs)
        written, _ = storages.end(began, inputs, outputs)
        self.columns.add(
            op,
            written,
            read,
            scope=record.caller,
            line=record.line,
            last_line=record.last_line,
            attrs={"stream_id": record.header.stream, "args": _text(record.arguments, roles)},
            mode=EAGER,
        )
        self.runs.append(self.ranks[record.header.rank])
        self._guessed.append(roles.guessed)
        self._lists.append(any((argument.listed or 0) > 1 for argument in record.arguments))
        self._addresses.append(
            any(argument.tensor and argument.tensor.block for argument in record.arguments)
        )

    def build(self) -> tuple[TraceColumns, Tables]:
        """All kernels; what is known of the memory is no longer needed."""
        self._storages.clear()
        return self.columns.build()

    def _storages_of(self, rank: str) -> Storages:
        self.ranks.setdefault(rank, len(self.ranks))
        if rank not in self._storages:
            self._storages[rank] = Storages(self._ids, views_are_seen=False)
        return self._storages[rank]

    def notes(self, keep: Flags) -> list[Sentence]:
        """What the log does not tell of these ops."""
        found = []
        guessed, lists, addresses = (
            int((np.array(flags, bool) & keep).sum())
            for flags in (self._guessed, self._lists, self._addresses)
        )
        if guessed:
            total = int(keep.sum())
            found.append(Sentence.of("reading.guessed-roles", count=guessed, total=total))
        if not addresses:
            found.append(Sentence.of("reading.no-addresses"))
        if lists:
            found.append(Sentence.of("reading.first-of-list", count=lists))
        return found


def _sides(arguments: Sequence[Argument], roles: Roles) -> tuple[list[Stored], list[Stored]]:
    """What an op reads, and what it writes."""
    inputs, outputs = [], []
    for place, argument in enumerate(arguments):
        if argument.tensor is None:
            continue
        place_in_memory: Hashable = argument.tensor.block
        if place_in_memory is None and place in roles.also_read:
            place_in_memory = object()  # wherever it is, what is written is what was read
        stored = Stored(place_in_memory, argument.tensor.spec)
        if place in roles.written:
            outputs.append(stored)
        if place not in roles.written or place in roles.also_read:
            inputs.append(stored)
    return inputs, outputs


def _text(arguments: Sequence[Argument], roles: Roles) -> str:
    """The arguments that are read, numbers by their names."""
    texts = []
    for place, argument in enumerate(arguments):
        if place in roles.written and place not in roles.also_read:
            continue
        if argument.text:
            texts.append(f"{argument.name}={argument.text}")
        elif argument.listed is not None:
            texts.append(f"[{TENSOR} x{argument.listed}]")
        else:
            texts.append(TENSOR)
    return called_with(texts)
