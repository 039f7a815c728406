"""Finding the files a run left behind, and bringing them home."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from opdiff.drafts import drafted

TRACE = "tracker_graph.ir"
TABLES = ("task.csv", "memory_block.csv")
FILES = (TRACE, *TABLES)

RECORDED = (".ir", ".ir.gz")
"""Endings of what the recorder of PyTorch writes, on several ranks into a folder a rank."""
_WITH_RECORDED = (*RECORDED, ".values.csv", ".values.csv.gz")
_RANK = re.compile(r"^rank_(\d{1,18})$")
_DEPTH = 3
_SKIPPED = ("site-packages", "node_modules", "__pycache__")

Snapshot = dict[Path, tuple[int, int]]
"""Path → (time of the last change, size)."""


class RankFiles(NamedTuple):
    """The files of one rank."""

    rank: int | None
    """None where the run was not distributed."""
    files: tuple[Path, ...]

    @property
    def holds_ops(self) -> bool:
        """Whether an execution order that is not empty is among them."""
        return any(is_trace(path) for path in self.files)


def is_trace(path: Path) -> bool:
    """Whether a file that a run left is an execution order that is not empty."""
    return path.name.endswith(RECORDED) and path.stat().st_size > 0


def snapshot(roots: Iterable[Path]) -> Snapshot:
    """The tracker's files below the roots as they are now."""
    found: Snapshot = {}
    for root in roots:
        for path in _tracker_files(root):
            try:
                state = path.stat()
            except OSError:  # it vanished between listing and looking
                continue
            found[path.resolve()] = (state.st_mtime_ns, state.st_size)
    return found


def _tracker_files(root: Path) -> Iterator[Path]:
    base = len(root.parts)
    for folder, folders, files in os.walk(root):
        here = Path(folder)
        deep = len(here.parts) - base >= _DEPTH
        folders[:] = [] if deep else [f for f in folders if f[:1] != "." and f not in _SKIPPED]
        recorded: Iterable[str] = ()
        if _RANK.match(here.name):
            recorded = (name for name in files if name.endswith(_WITH_RECORDED))
        yield from (here / name for name in sorted({*(set(FILES) & set(files)), *recorded}))


def changed(before: Snapshot, after: Snapshot, rank: int | None = None) -> tuple[RankFiles, ...]:
    """What is new or was written anew, by rank; with *rank* only that one."""
    by_folder: dict[Path, list[Path]] = {}
    for path, state in after.items():
        if before.get(path) != state:
            by_folder.setdefault(path.parent, []).append(path)
    by_rank: dict[int | None, tuple[Path, ...]] = {}
    for folder in sorted(by_folder):
        number = rank_of(folder)
        # Of two folders of one rank the one that holds a trace is wanted.
        files = tuple(sorted(by_folder[folder]))
        if number not in by_rank or not any(
            path.name.endswith(RECORDED) for path in by_rank[number]
        ):
            by_rank[number] = files
    chosen = [RankFiles(number, files) for number, files in by_rank.items()]
    if rank is not None:
        chosen = [found for found in chosen if found.rank == rank]
    return tuple(sorted(chosen, key=lambda found: -1 if found.rank is None else found.rank))


def rank_of(folder: Path) -> int | None:
    """The rank that a folder is of, by its name."""
    match = _RANK.match(folder.name)
    return int(match[1]) if match else None


def bring_home(found: RankFiles, home: Path, *, keep: bool) -> tuple[Path, ...]:
    """Move the files to *home* (copy them with *keep*), a folder a rank; returns where they are."""
    target = home if found.rank is None else home / f"rank_{found.rank}"
    target.mkdir(parents=True, exist_ok=True)
    brought: list[Path] = []
    for path in found.files:
        destination = target / path.name
        if destination.resolve() != path:
            _put(path, destination, keep=keep)
        brought.append(destination)
    return tuple(brought)


def _put(path: Path, destination: Path, *, keep: bool) -> None:
    """Put a file in the place of another, which stays until the new one is whole."""
    if not keep:
        with contextlib.suppress(OSError):  # on another file system it must be copied
            path.replace(destination)
            return
    with drafted(destination) as draft:
        shutil.copy2(path, draft)
    if not keep:
        path.unlink()


def traces_in(home: Path) -> list[Path]:
    """The execution orders that are in *home*, of whatever run."""
    return [path for path in _kept_in(home) if is_trace(path)]


def remove(home: Path, names: Collection[str]) -> None:
    """Remove those of the tracker's files in *home* that have these names, seen from there."""
    for path in _kept_in(home):
        if path.relative_to(home).as_posix() in names:
            path.unlink(missing_ok=True)


def _kept_in(home: Path) -> list[Path]:
    folders = [folder for folder in home.glob("rank_*") if _RANK.match(folder.name)]
    kept = [home / name for name in FILES if (home / name).is_file()]
    for folder in folders:
        endings = (*FILES, *_WITH_RECORDED)
        kept += sorted(path for path in folder.glob("*") if path.name.endswith(endings))
    return kept
