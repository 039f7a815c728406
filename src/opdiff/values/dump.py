"""Values out of MindSpore's own dump: tensors (``.npy``) or statistics (``statistic.csv``).

    rank_0/Net/0/0/Add.Default_Add-op0.0.0.1794812542691022.input.0.DefaultFormat.Float32.npy
    rank_0/Net/0/0/statistic.csv

The names of ops in it are those of the trace with ``_`` for ``/``. An op that ran several times has
several sets of files, told apart by their time stamps.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Progress
from opdiff.regular_files import open_regular
from opdiff.trace import Trace
from opdiff.values.building import ValuesBuilder, measure_file
from opdiff.values.measures import Measure
from opdiff.values.naming import NamedOperand, join
from opdiff.values.sources import STATISTICS, tensors_in
from opdiff.values.table import Kept, Values
from opdiff.wording import Sentence

_SLOT = re.compile(r"[0-9]{1,5}")
_NEEDED = ("op name", "timestamp", "slot")
_SIDES = ("io", "input/output")
_NOT_FINITE = ("nan count", "negative inf count", "positive inf count")
_HASHES = ("md5", "sha1")


class _DumpedTensor(NamedTuple):
    """One tensor of a dump."""

    time: int
    named: NamedOperand
    measure: Measure
    kept: Kept | None = None
    """Where all of it is."""


def read_dump(path: str | Path, trace: Trace, *, progress: Progress = SILENT) -> Values:
    """The values of a dump, in a folder or in one file of statistics, for a trace of the same run.

    Where tensors were kept, they count. Raises OpdiffError if there is nothing of the trace in it.
    """
    return _Dump(Path(path), trace, progress).read()


class _Dump:
    """One dump, while it is read."""

    def __init__(self, path: Path, trace: Trace, progress: Progress) -> None:
        self._path = path
        self._trace = trace
        self._progress = progress
        self._builder = ValuesBuilder(trace, path)
        self._problems = self._builder.problems

    def read(self) -> Values:
        """Everything in it that belongs to the trace."""
        try:
            found = list(self._tensors()) if self._path.is_dir() else []
            found = found or list(self._statistics())
        except OSError as error:
            raise OpdiffError.of_system("reading.unreadable", error, self._path) from error
        if not found:
            raise OpdiffError("values.no-dump", path=self._path)
        found.sort(key=lambda one: one.time)
        return self._values(found)

    def _values(self, found: list[_DumpedTensor]) -> Values:
        joined = join(self._trace, [one.named for one in found], str(self._path))
        for row, one in zip(joined.rows, found, strict=True):
            place = (row, one.named.is_output, one.named.operand)
            self._builder.add(place, one.measure, one.kept)
        return self._builder.values(digest_kind=_hash_kind(found), notes=joined.notes)

    # Tensors

    def _tensors(self) -> Iterator[_DumpedTensor]:
        files = list(tensors_in(self._path))
        for number, (path, match) in enumerate(files):
            self._progress.report("values", number, len(files))
            try:
                content = measure_file(str(path), match["dtype"])
            except OpdiffError as error:
                self._problems.add(path, None, error.sentence)
                continue
            named = NamedOperand(match["name"], match["io"] == "output", int(match["slot"]))
            kept = Kept(str(path), match["dtype"])
            yield _DumpedTensor(int(match["time"]), named, content, kept)

    # Statistics

    def _statistics(self) -> Iterator[_DumpedTensor]:
        path = self._path
        files = sorted(path.rglob(STATISTICS)) if path.is_dir() else [path]
        for file in files:
            with (
                open_regular(file) as content,
                io.TextIOWrapper(content, "utf-8", "backslashreplace", newline="") as lines,
            ):
                yield from self._rows(file, lines)

    def _rows(self, path: Path, lines: Iterable[str]) -> Iterator[_DumpedTensor]:
        reader = csv.reader(line.replace("\0", "") for line in lines)
        header: list[str] = []
        with contextlib.suppress(csv.Error):  # one field without end, as in any other file
            header = [name.strip().lower() for name in next(reader, [])]
        side = next((name for name in _SIDES if name in header), None)
        if side is None or not set(_NEEDED) <= set(header):
            raise OpdiffError("values.no-statistics", path=path, line=1)
        try:
            for fields in reader:
                # Some versions end every row with one more comma.
                found = _statistic(dict(zip(header, fields, strict=False)), side)
                if found is not None:
                    yield found
                elif any(fields):
                    self._problems.add(path, reader.line_num, Sentence.of("values.bad-statistic"))
        except csv.Error as error:  # a field without end: there is no next row
            reason = Sentence.of("values.bad-tensor", reason=str(error))
            self._problems.add(path, reader.line_num, reason)


def _statistic(fields: Mapping[str, str], side: str) -> _DumpedTensor | None:
    """One row of statistics; None if it is damaged."""
    try:
        return _read_statistic(fields, fields[side].strip().lower())
    except (ValueError, KeyError):
        return None


def _read_statistic(fields: Mapping[str, str], io: str) -> _DumpedTensor:
    if io not in ("input", "output") or not fields["op name"]:
        raise ValueError(io)
    if not _SLOT.fullmatch(fields["slot"].strip()):
        raise ValueError(fields["slot"])
    bad = [_whole(fields.get(name, "")) for name in _NOT_FINITE]
    known = [count for count in bad if count is not None]
    digest = next((fields[name] for name in _HASHES if fields.get(name)), None)
    return _DumpedTensor(
        int(fields["timestamp"]),
        NamedOperand(fields["op name"], io == "output", int(fields["slot"])),
        Measure(
            count=_size(fields.get("shape", "")),
            nonfinite=sum(known) if known else None,
            minimum=_number(fields.get("min value", "")),
            maximum=_number(fields.get("max value", "")),
            mean=_number(fields.get("avg value", "")),
            norm=_number(fields.get("l2norm value", "")),
            digest=digest,
            dtype=fields.get("data type", ""),
        ),
    )


def _hash_kind(found: list[_DumpedTensor]) -> str:
    lengths = {len(one.measure.digest) for one in found if one.measure.digest}
    return {frozenset({32}): "md5", frozenset({40}): "sha1"}.get(frozenset(lengths), "")


def _size(shape: str) -> int | None:
    """The elements of a shape like ``(2,3)``; ``()`` is one."""
    if not shape.startswith("("):
        return None
    size = 1
    for text in re.findall(r"-?\d+", shape):
        size *= int(text)
    return size if size >= 0 else None


def _whole(text: str) -> int | None:
    number = _number(text)
    return None if number is None or not np.isfinite(number) else int(number)


def _number(text: str) -> float | None:
    text = text.strip().lower()
    if text in ("", "null", "none", "n/a"):
        return None
    return {"true": 1.0, "false": 0.0}.get(text) if text in ("true", "false") else float(text)
