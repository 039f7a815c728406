"""The values of a trace, wherever they are: a file that is named, one beside it, or its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Progress
from opdiff.readers.opening import CACHED_FROM
from opdiff.readers.together import can_read_elsewhere
from opdiff.trace import Trace
from opdiff.values.sources import open_values

# What reads values is imported where there are some: few traces have any.
if TYPE_CHECKING:
    from opdiff.values.sidecar import Parsed
    from opdiff.values.table import Values

_TELL_VALUES = ("mindspore-dump", "msprobe", "torch-debugmode")
"""Formats that tell of values themselves."""

_Parse = Callable[[Path, Progress], "Parsed"]


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
        from opdiff.readers.ascend.torchair import FORMAT as TORCHAIR
        from opdiff.readers.ascend.torchair_values import read_torchair_dump

        if trace.source.format == TORCHAIR:
            return _at(path, lambda: read_torchair_dump(Path(path), trace, progress))
    parse = _parsed_elsewhere if elsewhere else _parsed
    if cache:
        parse = partial(_parsed_once, parse)
    found = open_values(trace, path, progress=progress, parse=parse)
    if found is not None or trace.source.format not in _TELL_VALUES:
        return found
    from opdiff.readers.own_values import own_values

    return _at(trace.source.path, lambda: own_values(trace, progress))


def _parsed(path: Path, progress: Progress) -> Parsed:
    from opdiff.values.sidecar import parse_sidecar

    return parse_sidecar(path, progress)


def _parsed_once(parse: _Parse, path: Path, progress: Progress) -> Parsed:
    """What stands in a sidecar, read once for each content."""
    with contextlib.suppress(OSError):  # parsing says what is wrong
        if path.stat().st_size >= CACHED_FROM:
            from opdiff.readers.kept.cache import through_cache
            from opdiff.readers.kept.sidecars import SIDECARS

            return through_cache(path, SIDECARS, lambda: parse(path, progress))
    return parse(path, progress)


def _parsed_elsewhere(path: Path, progress: Progress) -> Parsed:
    """What stands in a sidecar, read by another process where that pays."""
    from opdiff.readers.elsewhere import FailedElsewhereError, sidecar_elsewhere

    with contextlib.suppress(OSError, FailedElsewhereError):  # parsing says what is wrong
        if can_read_elsewhere(path):
            return sidecar_elsewhere(path, progress)
    return _parsed(path, progress)


def _at(path: str | Path, work: Callable[[], Values | None]) -> Values | None:
    """What the work gives; a file that cannot be read is told of."""
    try:
        return work()
    except OSError as error:
        raise OpdiffError.of_system("reading.unreadable", error, path) from error
