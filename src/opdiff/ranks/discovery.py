"""Which ranks a folder holds: folders a rank, as frameworks make them, or files named by rank."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.readers.opening import rank_of, runs_in, trace_of_rank
from opdiff.wording import Sentence

_FILE = re.compile(r"(?:^|.*[._-])rank_?([0-9]{1,18})(?:[._-].*|$)")
_NO_TRACE = (".values.csv", ".values.csv.gz", ".part", ".log", ".html", ".xlsx")
"""Endings of what lies beside traces and is named by rank too."""
_DEEPEST = 4
_PACKED_BY = 12
"""How much smaller traces get by gzip."""
_EMPTY = "ranks.empty-folder"
_RANGE = re.compile(r"([0-9]{1,18})(?:-([0-9]{1,18}))?")


@dataclass(frozen=True)
class FoundRanks:
    """The traces of one run."""

    folder: str
    paths: Mapping[int, str]
    """A file, or a folder that holds one."""
    troubles: Mapping[int, OpdiffError] = field(default_factory=dict)
    """Ranks that are there and have no trace that could be read: two folders, an empty one."""
    complete: bool = True
    """Whether these are all ranks in the folder."""

    @property
    def ranks(self) -> list[int]:
        """All ranks of which there is any sign."""
        return sorted({*self.paths, *self.troubles})

    def largest(self) -> int:
        """How many bytes the largest trace has when it is unpacked, more or less."""
        return max(map(_bytes, self.paths.values()), default=0)

    def is_missing(self, rank: int) -> bool:
        """Whether a rank has left nothing, not even something that cannot be read."""
        trouble = self.troubles.get(rank)
        return rank not in self.paths and (trouble is None or trouble.sentence.code == _EMPTY)

    def only(self, wanted: Callable[[int], bool]) -> FoundRanks:
        """Some of the ranks."""
        return FoundRanks(
            self.folder,
            {rank: path for rank, path in self.paths.items() if wanted(rank)},
            {rank: error for rank, error in self.troubles.items() if wanted(rank)},
            complete=False,
        )


def _bytes(path: str) -> int:
    try:
        size = os.stat(path).st_size
    except OSError:
        return 0
    return size * _PACKED_BY if path.endswith(".gz") else size


def find_ranks(folder: str | Path) -> FoundRanks:
    """The ranks in a folder, or in the only folder within it; raises OpdiffError if there are none.

    Traces are not opened here.
    """
    path = Path(folder)
    try:
        if not path.exists():
            raise OpdiffError("reading.missing", path=folder)
        if not path.is_dir():
            raise OpdiffError("ranks.not-a-folder", path=folder)
        found = _find(path, _DEEPEST)
    except OSError as error:
        raise OpdiffError.of_system("reading.unreadable", error, folder) from error
    if found is None:
        raise OpdiffError("ranks.none", path=folder)
    return found


def holds_ranks(folder: str | Path) -> bool:
    """Whether a folder holds the traces of several ranks."""
    try:
        return Path(folder).is_dir() and len(find_ranks(folder).paths) > 1
    except OpdiffError:
        return False


def _find(folder: Path, depth: int) -> FoundRanks | None:
    children = sorted(folder.iterdir())
    by_rank = _by_rank((rank, c) for c in children if (rank := rank_of(c)) is not None)
    if any(child.is_dir() for paths in by_rank.values() for child in paths):
        return _folders(folder, by_rank)
    files = _by_rank(
        (int(match[1]), child)
        for child in children
        if (match := _FILE.fullmatch(child.name))
        and child.is_file()
        and not child.name.endswith(_NO_TRACE)
    )
    if files:
        return _of(folder, files, {})
    steps = runs_in(folder)
    if len(steps) > 1:
        names = ", ".join(step.name for step in steps[:8])
        raise OpdiffError("reading.several-runs", folders=names, path=folder)
    below = steps or [child for child in children if child.is_dir() and not child.is_symlink()]
    return _find(below[0], depth - 1) if depth and len(below) == 1 else None


def _by_rank(found: Iterable[tuple[int, Path]]) -> dict[int, list[Path]]:
    by_rank: dict[int, list[Path]] = {}
    for rank, path in found:
        by_rank.setdefault(rank, []).append(path)
    return by_rank


def _folders(folder: Path, by_rank: dict[int, list[Path]]) -> FoundRanks:
    """Ranks with a trace of a known name; else whatever is in their folder, if anything is."""
    paths: dict[int, list[Path]] = {}
    troubles: dict[int, OpdiffError] = {}
    for rank, folders in by_rank.items():
        found = _traces_of(folders)
        if isinstance(found, OpdiffError):
            troubles[rank] = found
        else:
            paths[rank] = found
    return _of(folder, paths, troubles)


def _traces_of(folders: list[Path]) -> list[Path] | OpdiffError:
    """What there is of one rank; an error where that is nothing, or cannot be seen."""
    try:
        full = [child for child in folders if not child.is_dir() or any(child.iterdir())]
        if not full:
            return OpdiffError(_EMPTY, path=folders[0])
        return full if len(full) > 1 else [trace_of_rank(full[0]) or full[0]]
    except OSError as error:
        return OpdiffError.of_system("reading.unreadable", error, folders[0])


def _of(
    folder: Path, by_rank: Mapping[int, list[Path]], troubles: dict[int, OpdiffError]
) -> FoundRanks:
    for rank, found in by_rank.items():
        if len(found) > 1:
            names = ", ".join(path.name for path in found[:8])
            sentence = Sentence.of("ranks.same-rank", rank=rank, names=names)
            troubles[rank] = OpdiffError(sentence, path=folder)
    paths = {rank: str(found[0]) for rank, found in by_rank.items() if rank not in troubles}
    return FoundRanks(str(folder), paths, troubles)


def ranks_wanted(text: str) -> Callable[[int], bool]:
    """What ``--rank`` means: ``3``, ``0-7`` or ``0-7,16``; raises OpdiffError."""
    ranges: list[tuple[int, int]] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None or (match[2] and int(match[2]) < int(match[1])):
            raise OpdiffError("ranks.not-a-range", text=text[:80])
        ranges.append((int(match[1]), int(match[2] or match[1])))
    return lambda rank: any(first <= rank <= last for first, last in ranges)
