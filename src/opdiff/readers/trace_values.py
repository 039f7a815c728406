"""The values of a trace, wherever they are: a file that is named, one beside it, or its own."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Progress
from opdiff.readers.formats import Input
from opdiff.readers.opening import CACHED_FROM
from opdiff.readers.value_rows import ValueRow
from opdiff.trace import Trace
from opdiff.values import (
    Kept,
    Measure,
    MeasuresBuilder,
    ValueProblem,
    Values,
    measure_file,
    open_values,
    read_sketch,
)
from opdiff.values.fitting import fitting_values
from opdiff.values.sidecar import Parsed, parse_sidecar
from opdiff.values.sketch import KIND, SUMS
from opdiff.values.table import OperandPlaces

_READERS = {
    "mindspore-dump": "mindspore.dump_values",
    "msprobe": "msprobe.values",
    "torch-debugmode": "pytorch.debugmode_values",
}
"""The modules that read what a format tells of values; few traces are of one of these formats."""
_HASH = {"msprobe": "crc32", "torch-debugmode": "debugmode", "mindspore-dump": "md5"}
"""What sort of hash each format prints: only those of one sort can be compared."""
_REPORT_EVERY = 4096

_Parse = Callable[[Path, Progress], Parsed]


def read_values(
    trace: Trace,
    path: str | Path | None = None,
    *,
    progress: Progress = SILENT,
    cache: bool = True,
    elsewhere: bool = False,
) -> Values | None:
    """The values at *path*; else those beside the trace; else those of its own files.

    None if there are none. Raises OpdiffError if they cannot be read, or are another trace's.
    With *cache*, a large file that was read before is not read again; with *elsewhere* one is
    read by another process.
    """
    if path is not None and Path(path).is_dir():
        # Needed by few: a command starts at once.
        from opdiff.readers.ascend.torchair import FORMAT as TORCHAIR
        from opdiff.readers.ascend.torchair_values import read_torchair_dump

        if trace.source.format == TORCHAIR:
            return _at(path, lambda: read_torchair_dump(Path(path), trace, progress))
    parse = _parsed_elsewhere if elsewhere else parse_sidecar
    if cache:
        parse = partial(_parsed_once, parse)
    found = open_values(trace, path, progress=progress, parse=parse)
    if found is not None or trace.source.format not in _READERS:
        return found
    return _at(trace.source.path, lambda: _Own(trace, progress).read())


def _parsed_once(parse: _Parse, path: Path, progress: Progress) -> Parsed:
    """What stands in a sidecar, read once for each content."""
    with contextlib.suppress(OSError):  # parsing says what is wrong
        if path.stat().st_size >= CACHED_FROM:
            # Needed by few: a command starts at once.
            from opdiff.readers.kept.cache import through_cache
            from opdiff.readers.kept.sidecars import SIDECARS

            return through_cache(path, SIDECARS, lambda: parse(path, progress))
    return parse(path, progress)


def _parsed_elsewhere(path: Path, progress: Progress) -> Parsed:
    """What stands in a sidecar, read by another process where that pays."""
    from opdiff.readers.elsewhere import FailedElsewhereError, can_read_elsewhere, sidecar_elsewhere

    with contextlib.suppress(OSError, FailedElsewhereError):  # parsing says what is wrong
        if can_read_elsewhere(path):
            return sidecar_elsewhere(path, progress)
    return parse_sidecar(path, progress)


def _at(path: str | Path, work: Callable[[], Values | None]) -> Values | None:
    """What the work gives; a file that cannot be read is told of."""
    try:
        return work()
    except OSError as error:
        raise OpdiffError.of_system("reading.unreadable", error, path) from error


def values_of(trace: Trace) -> Iterator[ValueRow]:
    """Read a trace's own files again, for what its tensors held, as far as its format tells that.

    Rows come in the order of the file; ``op`` is the row of the trace. Raises OSError where a file
    is no longer there.
    """
    module = importlib.import_module(f"opdiff.readers.{_READERS[trace.source.format]}")
    reader: Callable[[Input, Trace], Iterator[ValueRow]] = module.rows
    path, told = trace.source.path, trace.source.told
    if Path(path).is_dir():
        nothing = BytesIO()
        yield from reader(Input(path, nothing, nothing, 0, told=told), trace)
        return
    with Input.opened(path, told=told) as source:
        yield from reader(source, trace)


class _Own:
    """The values that a trace's own files hold, while they are read."""

    def __init__(self, trace: Trace, progress: Progress) -> None:
        self._trace = trace
        self._progress = progress
        self._kept: dict[int, Kept] = {}
        self._problems: list[ValueProblem] = []
        self._places: list[tuple[int, bool, int]] = []

    def read(self) -> Values | None:
        """All of them; None if the files tell nothing."""
        measures = list(self._measures())
        if not any(_tells(measure) for measure in measures):
            return None
        sketched = any(measure.sketch for measure in measures)
        builder = MeasuresBuilder(
            sketch_kind=KIND if sketched else "",
            digest_kind="blake2b" if self._kept else _HASH[self._trace.source.format],
            sums=SUMS if sketched else 0,
        )
        for measure in measures:
            builder.add(measure)
        return fitting_values(
            self._trace,
            self._trace.source.path,
            OperandPlaces.of(self._places),
            builder.build(),
            problems=self._problems,
            kept=self._kept,
        )

    def _measures(self) -> Iterator[Measure]:
        for number, row in enumerate(values_of(self._trace)):
            if number % _REPORT_EVERY == 0:
                self._progress.report("values", row.op, max(len(self._trace), 1))
            self._places.append((row.op, row.is_output, row.operand))
            yield _sketched(row.measure) if row.file is None else self._whole(number, row)

    def _whole(self, number: int, row: ValueRow) -> Measure:
        """What a tensor in a file of its own holds; what is told of it where that is damaged."""
        told, file = row.measure, str(row.file)
        try:
            found = measure_file(file, told.dtype)
        except OpdiffError as error:
            self._problems.append(ValueProblem(file, None, error.sentence))
            return _sketched(replace(told, dtype=""))
        self._kept[number] = Kept(file, told.dtype)
        return found


def _tells(measure: Measure) -> bool:
    """Whether anything but a size is known."""
    return bool(measure.sketch or measure.digest) or any(
        number is not None
        for number in (measure.minimum, measure.maximum, measure.mean, measure.norm)
    )


def _sketched(told: Measure) -> Measure:
    """What a file tells of a tensor; its hash may be a sketch, which always has its size."""
    return (read_sketch(told.digest) if told.digest else None) or told
