"""Where the values of a trace are: beside it, in a file that was named, or in a dump."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from opdiff.progress import SILENT, Progress
from opdiff.trace import Trace
from opdiff.values.dump import STATISTICS, dump_beside, read_dump
from opdiff.values.sidecar import Parsed, parse_sidecar, sidecar_beside
from opdiff.values.table import Values

_DUMPED = frozenset({"mindspore-tracker", "mindspore-execute-order"})
"""Formats of traces whose framework may dump tensors in the same run."""


def open_values(
    trace: Trace,
    path: str | Path | None = None,
    *,
    progress: Progress = SILENT,
    parse: Callable[[Path, Progress], Parsed] = parse_sidecar,
) -> Values | None:
    """The values of a trace: those at *path*, else those beside it; None if there are none.

    *parse* reads a sidecar. Raises OpdiffError if they cannot be read or are another trace's.
    """
    source = sidecar_beside(trace.source.path) if path is None else Path(path)
    if source is None and trace.source.format in _DUMPED:
        source = dump_beside(trace.source.path)
    if source is None:
        return None
    if source.is_dir() or source.name == STATISTICS:
        return read_dump(source, trace, progress=progress)
    return parse(source, progress).of(trace)
