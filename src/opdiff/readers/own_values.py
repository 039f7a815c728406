"""What the files of a trace themselves tell of values, in formats that do."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path

from opdiff.progress import Progress
from opdiff.readers.formats import Input
from opdiff.readers.value_rows import ValueRow
from opdiff.trace import Trace
from opdiff.values.building import ValuesBuilder
from opdiff.values.measures import Measure
from opdiff.values.sketch import read_sketch
from opdiff.values.table import Kept, Values

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


def own_values(trace: Trace, progress: Progress) -> Values | None:
    """The values that a trace's own files hold; None if they tell nothing."""
    builder, telling = ValuesBuilder(trace, trace.source.path), False
    for number, row in enumerate(values_of(trace)):
        if number % _REPORT_EVERY == 0:
            progress.report("values", row.op, max(len(trace), 1))
        place, told = (row.op, row.is_output, row.operand), row.measure
        if row.file is not None:
            if builder.add_file(place, Kept(row.file, told.dtype)):
                telling = True
                continue
            told = replace(told, dtype="")  # what is told of it, as it is damaged
        # The hash that a file tells may be a sketch, which always has its size.
        told = (read_sketch(told.digest) if told.digest else None) or told
        telling = telling or _tells(told)
        builder.add(place, told)
    return builder.values(digest_kind=_HASH[trace.source.format]) if telling else None


def _tells(measure: Measure) -> bool:
    """Whether anything but a size is known."""
    return bool(measure.sketch or measure.digest) or any(
        number is not None
        for number in (measure.minimum, measure.maximum, measure.mean, measure.norm)
    )
