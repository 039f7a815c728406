"""``X.values.csv`` beside ``X.ir``: what every operand of a recorded trace held.

# opdiff-values 1; sketch=count16 seed=1
op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch
0,in,0,6400,0,,,,80.0989104,,27.3 -19.8 53.2 …

``op`` is the index of a record from 0, or the full name of the op where a file is keyed by names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Progress
from opdiff.regular_files import open_regular
from opdiff.trace import Trace
from opdiff.trace.columns import Longs
from opdiff.values.blocks import LineBlock, LineBlocks
from opdiff.values.fitting import check_fit, last_measurable
from opdiff.values.measures import Measures
from opdiff.values.naming import NamedOperand, join
from opdiff.values.rows import COLUMNS, OneByOne, Rows
from opdiff.values.table import OperandPlaces, ValueProblem, ValueProblems, Values, put
from opdiff.wording import Sentence

_FIRST = re.compile(rb"# opdiff-values (?P<version>[^;\s]+)(?:;(?P<facts>[^\n]*))?")
_VERSION = b"1"
_NEEDED = {"op", "side", "operand"}
_SUMS = re.compile(r"count([0-9]{1,4})")
_LONGEST_INDEX = 15
_MOST_OPERANDS = 1 << 20
_EXCERPT = 60


def read_sidecar(path: str | Path, trace: Trace, *, progress: Progress = SILENT) -> Values:
    """The values in a file, plain or gzipped.

    Raises OpdiffError if it is no such file or that of another trace; rows that cannot be read
    are among the problems.
    """
    return parse_sidecar(path, progress).of(trace)


def parse_sidecar(path: str | Path, progress: Progress = SILENT) -> Parsed:
    """What stands in a file, whatever trace it belongs to; raises OpdiffError as above."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            return _Sidecar(str(path)).read(LineBlocks(file, size, progress, "values"))
    except OSError as error:
        raise OpdiffError.of_system("reading.unreadable", error, path) from error


class Parsed(NamedTuple):
    """The rows of a file, before anybody knows whether they fit a trace."""

    path: str
    measures: Measures
    places: OperandPlaces
    """The rows are indices of ops, or of their names where there are names."""
    line: Longs
    names: tuple[str, ...] | None
    """The names of ops, where they are the keys."""
    problems: tuple[ValueProblem, ...]

    def of(self, trace: Trace) -> Values:
        """The values of a trace; raises OpdiffError if they are another one's."""
        places, line = self.places, self.line
        notes: tuple[Sentence, ...] = ()
        if self.names is not None:
            places, line, notes = self._joined(trace, self.names)
        check_fit(trace, places, self.measures, self.path, line)
        inputs, outputs = put(trace, places)
        values = Values(self.path, self.measures, inputs, outputs, self.problems, notes)
        more = tuple(self._holes(trace, values, places, line))
        return replace(values, problems=self.problems + more)

    def _joined(
        self, trace: Trace, names: tuple[str, ...]
    ) -> tuple[OperandPlaces, Longs, tuple[Sentence, ...]]:
        """The rows of the trace instead of names."""
        places = self.places
        contents = [
            NamedOperand(names[name], is_output, operand)
            for name, is_output, operand in zip(
                places.row.tolist(),
                places.is_output.tolist(),
                places.operand.tolist(),
                strict=True,
            )
        ]
        joined = join(trace, contents, self.path)
        row = np.array(joined.rows, np.int64)
        there = row >= 0
        return replace(places, row=row).only(there), self.line[there], joined.notes

    def _holes(
        self, trace: Trace, values: Values, places: OperandPlaces, line: Longs
    ) -> Iterator[ValueProblem]:
        """Whether an operand has two values, or the ops at the end have none."""
        if values.known < len(places.row):
            key = (places.row * 2 + places.is_output) * _MOST_OPERANDS + places.operand
            order = np.argsort(key, kind="stable")
            again = order[1:][key[order][1:] == key[order][:-1]]
            yield ValueProblem(self.path, int(line[again.min()]), Sentence.of("values.twice"))
        last = int(places.row.max()) if len(places.row) else -1
        if self.names is None and last < last_measurable(trace):
            sentence = Sentence.of("values.ends-early", op=last + 1, ops=len(trace))
            yield ValueProblem(self.path, None, sentence)


class _Sidecar:
    """One file, while it is read."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._facts: dict[str, str] = {}
        self._columns: list[str] = []
        self._by_name: bool | None = None
        """Whether ops are named, not numbered; the first row tells."""
        self._names: list[str] = []
        self._places: list[OperandPlaces] = []
        self._lines: list[Longs] = []
        self._problems = ValueProblems()

    def read(self, blocks: LineBlocks) -> Parsed:
        """Everything in the file."""
        rows: Rows | None = None
        for block in blocks:
            if rows is None:
                block, rows = self._begin(block)
            if len(block):
                self._read_block(block, rows)
        if rows is None:
            raise OpdiffError("values.no-sidecar", path=self._path)
        problems = self._problems.all(self._path)
        if blocks.cut:
            cut = ValueProblem(self._path, None, Sentence.of("reading.cut-archive"))
            problems = (*problems, cut)
        return self._parsed(rows, problems)

    @property
    def _sums(self) -> int:
        found = _SUMS.match(self._facts.get("sketch", ""))
        return int(found[1]) if found else 0

    def _begin(self, block: LineBlock) -> tuple[LineBlock, Rows]:
        """Read the two lines at the beginning; what follows them, and the reader of that."""
        first = _FIRST.fullmatch(block.line(0))
        if first is None:
            raise OpdiffError("values.no-sidecar", path=self._path, line=1)
        if first["version"] != _VERSION:
            version = first["version"].decode("utf-8", "backslashreplace")
            raise OpdiffError("values.version", version=version, path=self._path, line=1)
        facts = (first["facts"] or b"").decode("utf-8", "backslashreplace").split()
        self._facts = {key: value for key, _, value in (fact.partition("=") for fact in facts)}
        header = block.line(1) if len(block) > 1 else b""
        self._columns = header.decode("utf-8", "backslashreplace").split(",")
        if not _NEEDED.issubset(self._columns):
            raise OpdiffError(
                "values.no-columns", columns=COLUMNS.decode(), path=self._path, line=2
            )
        rest = LineBlock(block.number + 2, block.text, block.start[2:], block.end[2:])
        return rest, Rows(self._sums)

    def _read_block(self, block: LineBlock, rows: Rows) -> None:
        plain = ",".join(self._columns).encode() == COLUMNS and not self._by_name
        places = rows.read(block) if plain else None
        if places is None:
            self._read_one_by_one(block, rows)
            return
        self._by_name = False
        self._places.append(places)
        self._lines.append(block.number + np.arange(len(block)))

    def _read_one_by_one(self, block: LineBlock, rows: Rows) -> None:
        reader = OneByOne(self._columns, self._sums)
        facts: list[tuple[int, bool, int, int, int]] = []
        for place in range(len(block)):
            line, number = block.line(place), block.number + place
            if not line.strip():
                continue
            row = reader.read(line)
            op = None if row is None else self._key(row.op)
            if row is None or op is None:
                damaged = Sentence.of("values.damaged-row", excerpt=_excerpt(line))
                self._problems.add(self._path, number, damaged)
            else:
                facts.append((op, row.is_output, row.operand, rows.keep(row.measure), number))
        if facts:
            op_, is_output, operand, content, lines = np.array(facts, np.int64).T
            self._places.append(
                OperandPlaces(op_, is_output.astype(np.bool_), operand, content.astype(np.int32))
            )
            self._lines.append(lines)

    def _key(self, op: str) -> int | None:
        """The index of an op, or that of its name among the names; None where it is neither."""
        is_index = op.isascii() and op.isdigit() and len(op) <= _LONGEST_INDEX
        if self._by_name is None:
            self._by_name = not is_index
        if self._by_name:
            self._names.append(op)
            return len(self._names) - 1
        return int(op) if is_index else None

    def _parsed(self, rows: Rows, problems: tuple[ValueProblem, ...]) -> Parsed:
        kind = f"{self._facts['sketch']} seed={self._facts.get('seed', '')}" if self._sums else ""
        return Parsed(
            self._path,
            rows.measures(kind, self._facts.get("hash", "")),
            OperandPlaces.joined(self._places),
            np.concatenate([np.zeros(0, np.int64), *self._lines]),
            tuple(self._names) if self._by_name else None,
            problems,
        )


def _excerpt(line: bytes) -> str:
    text = line[: 4 * _EXCERPT].decode("utf-8", "backslashreplace")
    shown = "".join(char if char.isprintable() else "\N{MIDDLE DOT}" for char in text)
    return shown if len(shown) <= _EXCERPT else shown[:_EXCERPT] + "…"
