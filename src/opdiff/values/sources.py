"""Where the values of a trace are: beside it, in a file that was named, or in a dump."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from opdiff.progress import SILENT, Progress
from opdiff.trace import Trace

if TYPE_CHECKING:
    from opdiff.values.sidecar import Parsed
    from opdiff.values.table import Values

STATISTICS = "statistic.csv"
_TENSOR = re.compile(
    r"(?P<type>[^.]+)\.(?P<name>.+)\.(?P<task>-?\d+)\.(?P<stream>-?\d+)\.(?P<time>\d+)"
    r"\.(?P<io>input|output)\.(?P<slot>\d{1,5})\.(?P<format>[^.]+)\.(?P<dtype>[^.]+)\.npy"
)
_MOST_LOOKED_AT = 1000
_DUMPED = frozenset({"mindspore-tracker", "mindspore-execute-order"})
"""Formats of traces whose framework may dump tensors in the same run."""


def sidecar_beside(trace_path: str | Path) -> Path | None:
    """The file with the values of a trace, if there is one beside it."""
    trace = Path(trace_path)
    stem = trace.name.removesuffix(".gz").removesuffix(".ir")
    endings = ("values.csv", "values.csv.gz")
    for ending in reversed(endings) if trace.suffix == ".gz" else endings:
        path = trace.with_name(f"{stem}.{ending}")
        if path.is_file():
            return path
    return None


def is_dump(path: str | Path) -> bool:
    """Whether there are values of a dump at a path: a folder with such files, or the statistics."""
    path = Path(path)
    if path.is_dir():
        return any(True for _ in tensors_in(path)) or any(True for _ in path.rglob(STATISTICS))
    return path.name == STATISTICS


def dump_beside(trace_path: str | Path) -> Path | None:
    """The folder of a dump that lies beside a trace, or in a folder ``dump`` there; else None."""
    folder = Path(trace_path).parent
    for place in (folder, folder / "dump"):
        try:
            with os.scandir(place) as entries:
                names = [entry.name for entry in islice(entries, _MOST_LOOKED_AT)]
        except OSError:
            continue
        if place != folder and names:
            return place if is_dump(place) else None
        if any(name == STATISTICS or _TENSOR.fullmatch(name) for name in names):
            return place
    return None


def tensors_in(folder: Path) -> Iterator[tuple[Path, re.Match[str]]]:
    """The tensors in a folder of a dump, and what their names tell."""
    for path in sorted(folder.rglob("*.npy")):
        match = _TENSOR.fullmatch(path.name)
        if match is not None:
            yield path, match


def open_values(
    trace: Trace,
    path: str | Path | None = None,
    *,
    progress: Progress = SILENT,
    parse: Callable[[Path, Progress], Parsed] | None = None,
) -> Values | None:
    """The values of a trace: those at *path*, else those beside it; None if there are none.

    *parse* reads a sidecar. Raises OpdiffError if they cannot be read or are another trace's.
    """
    source = sidecar_beside(trace.source.path) if path is None else Path(path)
    if source is None and trace.source.format in _DUMPED:
        source = dump_beside(trace.source.path)
    if source is None:
        return None
    # Few traces have values: a command starts at once.
    if source.is_dir() or source.name == STATISTICS:
        from opdiff.values.dump import read_dump

        return read_dump(source, trace, progress=progress)
    from opdiff.values.sidecar import parse_sidecar

    return (parse or parse_sidecar)(source, progress).of(trace)
