"""From a path to a trace: directories, ranks, compressed files, and which reader to ask."""

from __future__ import annotations

import re
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import IO

from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Progress
from opdiff.readers.formats import Input, formats
from opdiff.readers.unpacking import Unpacking, is_packed
from opdiff.trace import Trace
from opdiff.wording import Sentence

_HEAD = 1 << 16
_TRACE_NAMES = ("tracker_graph.ir", "tracker_graph.ir.gz")
_RANK = re.compile(r"rank_([0-9]+)")


def open_trace(path: str | Path, *, rank: int | None = None, progress: Progress = SILENT) -> Trace:
    """Read the trace in a file, plain or gzipped, or in a directory, of one rank of several.

    Raises OpdiffError where there is no trace; what is unreadable within one is in its problems.
    """
    try:
        file = _file_of(Path(path), rank)
        with file.open("rb") as on_disk:
            return _read(str(file), on_disk, file.stat().st_size, progress)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error


def _unreadable(path: str | Path, reason: str) -> OpdiffError:
    return OpdiffError(Sentence.of("reading.unreadable", reason=reason), path=str(path))


def _read(path: str, on_disk: IO[bytes], size: int, progress: Progress) -> Trace:
    packed = is_packed(on_disk)
    head = (Unpacking(on_disk) if packed else on_disk).read(_HEAD)
    on_disk.seek(0)
    if not head:
        raise OpdiffError(Sentence.of("reading.empty"), path=path)
    source = Input(path, on_disk, on_disk, size, progress)
    if packed:
        source.stream = Unpacking(on_disk, source.cut)
    for format_ in formats():
        if format_.sniff(head):
            return format_.read(source)
    if b"\0" in head:
        raise OpdiffError(Sentence.of("reading.binary"), path=path)
    return formats()[0].read(source)


def _file_of(path: Path, rank: int | None) -> Path:
    """The file a path stands for."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise OpdiffError(Sentence.of("reading.missing"), path=str(path)) from error
    except ValueError as error:  # a path that no system can have: a NUL byte in it, for one
        raise _unreadable(path, str(error)) from error
    if S_ISREG(mode):
        if rank is not None and not _is_of_rank(path.parent, rank):
            raise OpdiffError(Sentence.of("reading.rank-of-a-file", rank=rank), path=str(path))
        return path
    if not S_ISDIR(mode):
        raise OpdiffError(Sentence.of("reading.not-a-file"), path=str(path))
    own = _trace_in(path)
    if own and (rank is None or _is_of_rank(path, rank)):
        return own
    return _file_of_rank(path, rank)


def _file_of_rank(path: Path, rank: int | None) -> Path:
    ranks = ranks_in(path)
    if not ranks:
        code = "reading.directory-without-trace"
        raise OpdiffError(Sentence.of(code), path=str(path))
    listed = ", ".join(map(str, sorted(ranks)))
    if rank is not None and rank not in ranks:
        raise OpdiffError(
            Sentence.of("reading.no-such-rank", rank=rank, ranks=listed), path=str(path)
        )
    if rank is None and len(ranks) > 1:
        raise OpdiffError(Sentence.of("reading.several-ranks", ranks=listed), path=str(path))
    return ranks[rank] if rank is not None else next(iter(ranks.values()))


def _is_of_rank(directory: Path, rank: int) -> bool:
    match = _RANK.fullmatch(directory.resolve().name)
    return match is not None and int(match[1]) == rank


def _trace_in(directory: Path) -> Path | None:
    for name in _TRACE_NAMES:
        if (directory / name).is_file():
            return directory / name
    return None


def ranks_in(directory: Path) -> dict[int, Path]:
    """The traces of a directory that holds ``rank_N`` directories, by their rank."""
    found: dict[int, Path] = {}
    for child in sorted(directory.iterdir()):
        match = _RANK.fullmatch(child.name)
        trace = _trace_in(child) if match else None
        if match and trace:
            found[int(match[1])] = trace
    return found
