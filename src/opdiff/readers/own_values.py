"""What the files of a trace themselves tell of values, in formats that do."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.progress import Progress
from opdiff.readers.formats import Input
from opdiff.readers.value_rows import ValueRow
from opdiff.trace import Trace
from opdiff.values.dump import measure_file
from opdiff.values.fitting import fitting_values
from opdiff.values.measures import Measure, MeasuresBuilder
from opdiff.values.sketch import KIND, SUMS, read_sketch
from opdiff.values.table import Kept, OperandPlaces, ValueProblem, Values

_READERS = {
    "mindspore-dump": "mindspore.dump_values",
    "msprobe": "msprobe.values",
    "torch-debugmode": "pytorch.debugmode_values",
}
"""The modules that read what a format tells of values; few traces are of one of these formats."""
_HASH = {"msprobe": "crc32", "torch-debugmode": "debugmode", "mindspore-dump": "md5"}
"""What sort of hash each format prints: only those of one sort can be compared."""
_REPORT_EVERY = 4096


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


class OwnValues:
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
