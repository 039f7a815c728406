"""What tensors held in runs of TorchAir: its dumps, for the graphs it prints.

    msit_fx_dump/…/TOKEN/mm-aten.mm.default.OUTPUT.0.20240125031118787351.npy    before GE
    msit_ge_dump/…/TOKEN/MatMul.MatMul_2.3.1.1706152278787351                     of GE
    …/MatMul.MatMul_2.3.1.1706152278787351.output.0.npy                           of GE, converted

A graph says of its ops which tensor of FX each output is (``_fx_tensor_name``), so both dumps
become values of one graph.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.progress import Progress
from opdiff.readers.ascend.text_proto import Message
from opdiff.readers.ascend.torchair import described, printed_fields
from opdiff.readers.formats import Input
from opdiff.trace import Trace
from opdiff.values.building import Place, ValuesBuilder
from opdiff.values.ge_files import GeTensor, tensors_of
from opdiff.values.table import Kept, ValueProblem, Values
from opdiff.wording import Sentence

_FX = re.compile(r"(?P<tensor>.+-.+\.(?:OUTPUT|INPUT)\.[0-9]+)\.[0-9]+\.npy")
_GE = re.compile(
    r"[^.]+\.(?P<name>.+)\.-?[0-9]+\.-?[0-9]+\.[0-9]+\.(?P<io>input|output)\.(?P<slot>[0-9]{1,6})"
    r"(?:\.[^.]+)*\.npy"
)
_RAW = re.compile(r"[^.]+\.(?P<name>.+?)(?:\.-?[0-9]+){3,7}(?:\.bin)?")
"""GE's own: all operands of an op. Behind the time newer versions have up to four numbers more."""
_OLD = re.compile(r"gm_.*_dump")
"""Folders of versions up to 7.1.0, whose tokens are numbered one too high."""


@dataclass(slots=True)
class _Names:
    """Where tensors of both dumps belong in a graph."""

    rows: dict[str, int] = field(default_factory=dict)
    tensors: dict[str, Place] = field(default_factory=dict)


def read_torchair_dump(folder: Path, trace: Trace, progress: Progress) -> Values:
    """The values in a folder for a graph; raises OpdiffError where none of them belongs to it."""
    names = _names(trace)
    tokens = _tensors(folder)
    if not tokens:
        raise OpdiffError("values.no-torchair-dump", path=folder)
    token, files = min(tokens.items())
    read = _TorchairDump(trace, names, folder)
    for number, path in enumerate(files):
        progress.report("values", number, len(files))
        read.take(path)
    notes = []
    if len(tokens) > 1:
        listed = ", ".join(str(number) for number in sorted(tokens))
        notes.append(Sentence.of("values.tokens", token=token, tokens=listed))
    if any(_OLD.fullmatch(path.parent.name) for path in files):
        notes.append(Sentence.of("values.old-tokens", token=token, meant=token - 1))
    return read.values(notes)


def _tensors(folder: Path) -> dict[int, list[Path]]:
    """The files of each token, 0 where folders have no number."""
    found: dict[int, list[Path]] = {}
    for place, _, files in os.walk(folder):
        path = Path(place)
        for name in sorted(files):
            if any(pattern.fullmatch(name) for pattern in (_FX, _GE, _RAW)):
                found.setdefault(_token(path), []).append(path / name)
    return found


def _token(folder: Path) -> int:
    """The number of the folder that an array lies in; of older versions the one above."""
    name = folder.parent.name if _OLD.fullmatch(folder.name) else folder.name
    return int(name) if name.isdecimal() and len(name) < 10 else 0


def _names(trace: Trace) -> _Names:
    """Read a graph's text again, for the names of its ops and of the tensors of FX."""
    names = _Names()
    rows = {int(line): row for row, line in enumerate(trace.columns.line)}
    with Input.opened(trace.source.path) as source:
        for found in printed_fields(source):
            row, message = rows.get(found.line), found.value
            if row is None or not isinstance(message, Message):  # of another graph, or its name
                continue
            names.rows.setdefault(message.text("name").replace("/", "_"), row)
            _, _, outputs = described(found.name, message)
            for place, desc in enumerate(outputs):
                tensor = desc.entries("attr").get("_fx_tensor_name", Message()).text("s")
                if tensor:
                    names.tensors[tensor] = (row, True, place)
    return names


class _TorchairDump:
    """The values of one graph, while they are read."""

    def __init__(self, trace: Trace, names: _Names, folder: Path) -> None:
        self._names = names
        self._builder = ValuesBuilder(trace, folder)
        self._unplaced = 0

    def take(self, path: Path) -> None:
        """Take the arrays of one file, if they belong to the graph."""
        raw = _RAW.fullmatch(path.name)
        if raw is None:
            self._take(path, self._place(path.name))
            return
        row = self._row(raw["name"])
        if row is None:
            self._unplaced += 1
            return
        try:
            tensors = tensors_of(path)
        except OpdiffError as error:
            self._builder.problems.add(path, None, error.sentence)
            return
        for tensor in tensors:
            self._take(path, (row, tensor.is_output, tensor.place), tensor)

    def _take(self, path: Path, place: Place | None, inside: GeTensor | None = None) -> None:
        if place is None:
            self._unplaced += 1
        else:
            dtype = "" if inside is None else inside.dtype
            self._builder.add_file(place, Kept(str(path), dtype, inside))

    def _row(self, name: str) -> int | None:
        return self._names.rows.get(name.replace("/", "_"))

    def _place(self, name: str) -> Place | None:
        tensor = _FX.fullmatch(name)
        if tensor is not None:
            return self._names.tensors.get(tensor["tensor"])
        found = _GE.fullmatch(name)
        row = None if found is None else self._row(found["name"])
        if found is None or row is None:
            return None
        return row, found["io"] == "output", int(found["slot"])

    def values(self, notes: list[Sentence]) -> Values:
        """All that belongs to the graph."""
        values = self._builder.values(notes=notes, unplaced=self._unplaced)
        if not len(self._builder):
            foreign = ValueProblem(values.source, None, Sentence.of("values.foreign-dump"))
            why = (*values.problems, foreign)[0]
            raise OpdiffError(why.sentence, path=why.path)
        return values
