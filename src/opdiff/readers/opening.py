"""From a path to a trace: directories, ranks, compressed files, and which reader to ask."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import IO, TYPE_CHECKING, TypeAlias

from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Progress
from opdiff.readers.formats import Format, Input, formats, usual_format
from opdiff.readers.unpacking import unpacked
from opdiff.regular_files import open_regular
from opdiff.trace import Trace
from opdiff.trace.told import NOTHING_TOLD, Told

if TYPE_CHECKING:
    from opdiff.readers.elsewhere import Elsewhere

_HEAD = 1 << 16
_RUN = re.compile(r"(?:step|proc)[0-9]+")
_MOST_LOOKED_AT = 200
_MOST_NAMED = 8
_MOST_FOLDERS = 2000
_TRACE_NAMES = (
    "tracker_graph.ir",
    "tracker_graph.ir.gz",
    "dump.json",
    "dump.json.gz",
    "execute_order.csv",
    "execute_order/execute_order.csv",
)
_OTHER_FORMS = {
    b"\xff\xfe\0\0": ("reading.other-text", "UTF-32"),
    b"\xff\xfe": ("reading.other-text", "UTF-16"),  # what PowerShell writes for "2> ops.log"
    b"\xfe\xff": ("reading.other-text", "UTF-16"),
    b"\x1f\x8b": ("reading.packed", "gzip in gzip"),
    b"BZh": ("reading.packed", "bzip2"),
    b"\xfd7zXZ\0": ("reading.packed", "xz"),
    b"\x28\xb5\x2f\xfd": ("reading.packed", "Zstandard"),
    b"7z\xbc\xaf": ("reading.packed", "7-Zip"),
    b"PK\x03\x04": ("reading.packed", "ZIP"),
}
"""What files begin with that hold a trace in a form that is not read, and how that is said."""
_TAR, _ARRAY = b"ustar", b"\x93NUMPY"
"""What an archive says from byte 257 on, and how arrays begin: only they are read from one."""
_RANK = re.compile(r"rank_?([0-9]{1,18})")
"""MindSpore's folders have the dash, msprobe's have not."""

ReadAhead: TypeAlias = "dict[int, Elsewhere[Trace]]"
"""What copies of this process read, by its place among the paths."""

CACHED_FROM = 16 << 20
"""Bytes of a file: what is smaller is read in no time anyway."""
FIRST_ROWS_FROM = 2 << 20
"""Bytes of a file: what is smaller is there before anybody has looked."""
_BEGINNING = 192 << 10
"""Bytes: some hundreds of ops, many screens."""


def open_trace(
    path: str | Path,
    *,
    rank: int | None = None,
    graph: str | None = None,
    told: Told = NOTHING_TOLD,
    progress: Progress = SILENT,
    cache: bool = True,
) -> Trace:
    """Read the trace in a file, plain or gzipped, or in a directory, of one rank of several.

    *graph* chooses among the graphs or levels of a file that holds several: numbers or names.
    *told* is what the user says of files that do not say it themselves.
    Raises OpdiffError where there is no trace; what is unreadable within one is in its problems.
    With *cache*, a large file that was read before is not read again.
    """
    return _opened(path, rank, graph, told, progress, cache, read_plainly)


def _opened(
    path: str | Path,
    rank: int | None,
    graph: str | None,
    told: Told,
    progress: Progress,
    cache: bool,
    read: Callable[[Path, Progress], Trace],
) -> Trace:
    """The trace; *read* reads a large one of which nothing in particular is asked."""
    try:
        file = _file_of(Path(path), rank)
        if graph is not None or told != NOTHING_TOLD or file.stat().st_size < CACHED_FROM:
            trace = _read_file(file, progress, graph, told)
        elif not cache:
            trace = read(file, progress)
        else:
            # Needed by few: a command starts at once.
            from opdiff.readers.kept.cache import through_cache
            from opdiff.readers.kept.traces import TRACES

            trace = through_cache(file, TRACES, lambda: read(file, progress))
    except OSError as error:
        raise OpdiffError.of_system("reading.unreadable", error, path) from error
    if graph not in (None, "1") and not trace.source.parts:
        raise OpdiffError("reading.one-graph", graph=str(graph), path=path)
    return trace


def open_traces(
    paths: Sequence[str | Path],
    *,
    rank: int | None = None,
    graphs: Sequence[str | None] | None = None,
    told: Told = NOTHING_TOLD,
    progress: Progress = SILENT,
    cache: bool = True,
    ahead: ReadAhead | None = None,
) -> list[Trace]:
    """Several of them, read at the same time; *graphs* names the graph of each.

    What is read *ahead* already is waited for.
    """
    from opdiff.readers.together import together  # where one is read it is not needed

    # What is read elsewhere is read as a whole and as it is.
    begun = ahead if ahead and told == NOTHING_TOLD and not any(graphs or ()) else {}
    here = next((place for place in range(len(paths)) if place not in begun), None)

    def reading(place: int, graph: str | None) -> Callable[[Progress], Trace]:
        read = read_plainly if place == here else partial(_read_beside, begun.get(place))
        return lambda part: _opened(paths[place], rank, graph, told, part, cache, read)

    works = [reading(*each) for each in enumerate(graphs or [None] * len(paths))]
    return together(works, progress, paths)


@contextlib.contextmanager
def reading_ahead(
    paths: Sequence[str | Path], rank: int | None = None, cache: bool = True
) -> Iterator[ReadAhead]:
    """For a process that does nothing else: copies of it read all but the smallest from now on."""
    begun = _begun(paths, rank, cache)
    try:
        yield begun
    finally:
        for other in begun.values():
            other.close()


def _begun(paths: Sequence[str | Path], rank: int | None, cache: bool) -> ReadAhead:
    from opdiff.forked import can_fork
    from opdiff.readers.together import can_read_elsewhere

    found: ReadAhead = {}
    if not can_fork():
        return found
    files: dict[int, Path] = {}
    for place, path in enumerate(paths):
        # Whatever is wrong with one, reading it says so.
        with contextlib.suppress(OpdiffError, OSError):
            files[place] = _file_of(Path(path), rank)
    for place in sorted(files, key=lambda place: (files[place].stat().st_size, place))[1:]:
        with contextlib.suppress(OSError):
            file = files[place]
            if not can_read_elsewhere(file) or _format_of(file) is not usual_format():
                continue
            if cache and _is_kept(file):
                continue
            from opdiff.readers.elsewhere import Elsewhere, FailedElsewhereError
            from opdiff.readers.kept.traces import TRACES

            with contextlib.suppress(FailedElsewhereError):
                found[place] = Elsewhere(file, TRACES, copied=True)
    return found


def _is_kept(file: Path) -> bool:
    from opdiff.readers.kept.cache import is_kept
    from opdiff.readers.kept.traces import TRACES

    return is_kept(file, TRACES)


def read_plainly(file: Path, progress: Progress) -> Trace:
    """What a file holds, read here and now."""
    return _read_file(file, progress, None, NOTHING_TOLD)


def _read_beside(begun: Elsewhere[Trace] | None, file: Path, progress: Progress) -> Trace:
    """The same, by another process where that pays: this one reads another trace meanwhile."""
    from opdiff.readers.together import can_read_elsewhere

    if begun is None and not (can_read_elsewhere(file) and _format_of(file) is usual_format()):
        return read_plainly(file, progress)
    from opdiff.readers.elsewhere import FailedElsewhereError, trace_elsewhere

    try:
        if begun is not None:
            return begun.result(partial(progress.report, "reading"))
        return trace_elsewhere(file, progress)
    except FailedElsewhereError:
        return read_plainly(file, progress)  # which says what is wrong, if so


def _read_file(file: Path, progress: Progress, graph: str | None, told: Told) -> Trace:
    with Input.opened(file, progress, graph, told) as source:
        return _read(source)


def _read(source: Input) -> Trace:
    path, head = source.path, head_of(source.on_disk)
    if not head:
        raise OpdiffError("reading.empty", path=path)
    if head[257:262] == _TAR and _ARRAY not in head:
        raise OpdiffError("reading.packed", form="tar", path=path)
    for format_ in formats():
        if format_.sniff(head):
            return format_.read(source)
    other = next((said for start, said in _OTHER_FORMS.items() if head.startswith(start)), None)
    if other is not None:
        code, form = other
        raise OpdiffError(code, form=form, path=path)
    if b"\0" in head:
        raise OpdiffError("reading.binary", path=path)
    return usual_format().read(source)


def head_of(on_disk: IO[bytes]) -> bytes:
    """The beginning of a file's content; its position stays at the start."""
    head = unpacked(on_disk).read(_HEAD)
    on_disk.seek(0)
    return head


def _file_of(path: Path, rank: int | None) -> Path:
    """The file a path stands for."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise OpdiffError("reading.missing", path=path) from error
    except ValueError as error:  # a path that no system can have: a NUL byte in it, for one
        raise OpdiffError.of_system("reading.unreadable", error, path) from error
    if S_ISREG(mode):
        if rank is not None and rank_of(path.parent.resolve()) != rank:
            raise OpdiffError("reading.rank-of-a-file", rank=rank, path=path)
        return path
    if not S_ISDIR(mode):
        raise OpdiffError("reading.not-a-file", path=path)
    own = _trace_in(path)
    if own and (rank is None or rank_of(path.resolve()) == rank):
        return own
    return _file_of_rank(path, rank)


def _file_of_rank(path: Path, rank: int | None) -> Path:
    ranks = _folders_of_ranks(path)
    if not ranks:
        return _file_within(path, rank)
    listed = ", ".join(map(str, sorted(ranks)))
    if rank is not None and rank not in ranks:
        raise OpdiffError("reading.no-such-rank", rank=rank, ranks=listed, path=path)
    if rank is None and len(ranks) > 1:
        raise OpdiffError("reading.several-ranks", ranks=listed, path=path)
    (chosen, *others) = ranks[rank] if rank is not None else next(iter(ranks.values()))
    if others:
        one, other = chosen.parent.name, others[0].parent.name
        raise OpdiffError("reading.same-rank", one=one, other=other, path=path)
    return chosen


def _file_within(path: Path, rank: int | None) -> Path:
    """The file of a directory that has neither a trace of a known name nor ranks in it."""
    from opdiff.readers.mindspore.dump_files import is_dumped  # needed for folders only

    folders = runs_in(path)
    if len(folders) == 1:
        return _file_of(folders[0], rank)
    if folders:
        names = ", ".join(folder.name for folder in folders)
        raise OpdiffError("reading.several-runs", folders=names, path=path)
    dumped = sorted(child for child in path.iterdir() if is_dumped(child.name))
    known = dumped[:1] or ([] if rank is not None else _recognised(path))
    if len(known) > 1:
        names = ", ".join(file.name for file in known[:_MOST_NAMED])
        raise OpdiffError("reading.several-files", files=names, path=path)
    return known[0] if known else _file_below(path, rank)


def _file_below(path: Path, rank: int | None) -> Path:
    """The file of a directory whose only content of use is in one directory below it."""
    dumps = dumps_below(path)
    if len(dumps) == 1:
        return dumps[0]
    if dumps:
        folders = [str(file.parent.relative_to(path)) for file in dumps[:_MOST_NAMED]]
        raise OpdiffError("reading.several-runs", folders=", ".join(folders), path=path)
    below = sorted(child for child in path.iterdir() if child.is_dir())
    if len(below) == 1 and not below[0].is_symlink():
        return _file_of(below[0], rank)
    raise OpdiffError("reading.directory-without-trace", path=path)


def dumps_below(directory: Path) -> list[Path]:
    """One array of each folder of a tensor dump: they lie below a net, a graph, an iteration."""
    from opdiff.readers.mindspore.dump_files import is_dumped

    found: list[Path] = []
    for number, (folder, below, files) in enumerate(os.walk(directory)):
        below.sort()
        dumped = min((name for name in files if is_dumped(name)), default=None)
        if dumped is not None:
            found.append(Path(folder) / dumped)
        if number == _MOST_FOLDERS or len(found) > _MOST_NAMED:
            break
    return found


def runs_in(directory: Path) -> list[Path]:
    """The folders of steps or processes that msprobe made there."""
    found = [child for child in directory.iterdir() if _RUN.fullmatch(child.name)]
    folders = [child for child in found if child.is_dir()]
    return sorted(folders, key=lambda each: (len(each.name), each.name))  # by their numbers


def _recognised(directory: Path) -> list[Path]:
    """The files right in a directory whose content some reader knows."""
    files = sorted(child for child in directory.iterdir() if child.is_file())
    return [file for file in files[:_MOST_LOOKED_AT] if _format_of(file) is not None]


def _format_of(file: Path) -> Format | None:
    try:
        with file.open("rb") as on_disk:
            head = head_of(on_disk)
    except OSError:
        return None
    return next((format_ for format_ in formats() if head and format_.sniff(head)), None)


def rank_of(folder: Path) -> int | None:
    """The rank that a folder is of, by its name."""
    match = _RANK.fullmatch(folder.name)
    return int(match[1]) if match else None


def _trace_in(directory: Path) -> Path | None:
    named = (directory / name for name in _TRACE_NAMES)
    return next((path for path in named if path.is_file()), None)


def ranks_in(directory: Path) -> dict[int, Path]:
    """The traces of a directory that holds ``rank_N`` directories, by their rank."""
    return {rank: traces[0] for rank, traces in _folders_of_ranks(directory).items()}


def _folders_of_ranks(directory: Path) -> dict[int, list[Path]]:
    """The traces by rank: ``rank_0`` and ``rank_00`` are two of the same."""
    found: dict[int, list[Path]] = {}
    for child in sorted(directory.iterdir()):
        rank = rank_of(child)
        trace = None if rank is None else trace_of_rank(child)
        if rank is not None and trace:
            found.setdefault(rank, []).append(trace)
    return found


def trace_of_rank(folder: Path) -> Path | None:
    """The trace of a known name; else the only file there that some reader knows."""
    trace = _trace_in(folder)
    if trace is not None or not folder.is_dir():
        return trace
    known = _recognised(folder)
    return known[0] if len(known) == 1 else None


def first_rows(
    path: str | Path, rank: int | None = None, worth_it: int = FIRST_ROWS_FROM
) -> Trace | None:
    """The first ops of a file that is read line by line; None where it is small or unreadable.

    They are looked at while the rest is read. Other formats say what they hold at their ends, all
    over, or in files beside.
    """
    try:
        with open_regular(_file_of(Path(path), rank)) as on_disk:
            if os.fstat(on_disk.fileno()).st_size < worth_it:
                return None
            head = head_of(on_disk)
            format_ = next((each for each in formats() if each.sniff(head)), None)
            end = _record_end(format_)
            if format_ is None or end is None:
                return None
            whole = unpacked(on_disk).read(_BEGINNING)
            beginning = whole[: whole.rfind(end) + 1]
            if not beginning:
                return None
            content = io.BytesIO(beginning)
            return format_.read(Input(str(path), content, content, len(beginning)))
    except (OSError, OpdiffError):
        return None  # reading all of it says why


def _record_end(format_: Format | None) -> bytes | None:
    """What ends a record of a format whose beginning is a trace by itself; None for others."""
    if format_ is usual_format():
        return b"\n("  # a record begins with the blocks it writes; the last one may not be whole
    from opdiff.readers.ascend import npu_log
    from opdiff.readers.pytorch import debugmode

    return b"\n" if format_ in (npu_log, debugmode) else None
