"""Comparing two traces, as a whole process, against ``git diff`` of the same files.

Both tell all that differs: as JSON, a record a difference, and as a patch. The seconds of the
processor are those of all processes of a command together.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from benchmarks.generate import write_pair
from benchmarks.reading import SETTLED

_LINES_AN_OP = 3
_FEW_EVERY = 2_000


def run(ops: list[int]) -> None:
    """Print a row a size and sort of pair: time of both, their ratio, and the peak of memory."""
    with _table() as folder:
        for size in ops:
            left, right = write_pair(folder, size)
            _row(size, "many", left, right)
            few = folder / "few.ir"
            _write_few(left, few)
            _row(size, "few", left, few)
            for path in (left, right, few):
                path.unlink()


def run_pair(left: Path, right: Path) -> None:
    """Print the same of two traces of the user's own."""
    with _table(), left.open("rb") as file:
        _row(sum(b" = " in line for line in file), "own", left, right)


@contextlib.contextmanager
def _table() -> Iterator[Path]:
    """The heading, and a folder in which also the cache is."""
    print(
        f"{'ops':>9} {'differences':>12} {'git s':>8} {'opdiff s':>9} {'ratio':>6} {'again s':>8} "
        f"{'git cpu':>8} {'opdiff cpu':>10} {'peak MB':>8}"
    )
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = str(Path(name) / "cache")
        yield Path(name)


def _row(size: int, sort: str, left: Path, right: Path) -> None:
    # A file of more than half a gigabyte is binary to git, unless it is told otherwise.
    git = ["git", "-c", "core.bigFileThreshold=100g", "diff", "--no-index", "--histogram"]
    git += [str(left), str(right)]
    ours = [sys.executable, "-m", "opdiff", "compare", str(left), str(right), "--format", "json"]
    for flag, path in (("--left-anchor", left), ("--right-anchor", right)):
        ours += [flag, str(_last_op(path))]
    rounds = 3 if size <= 300_000 else 1
    costs = [(timed(git), timed([*ours, "--no-cache"])) for _ in range(rounds)]
    theirs, mine = (min(each[side] for each in costs) for side in (0, 1))
    peak = max(second.megabytes for _, second in costs)
    time.sleep(SETTLED)
    again = [timed(ours) for _ in range(rounds + 1)][1:]
    ratio = f"{mine.seconds / theirs.seconds:>6.2f}" if theirs.seconds else "     –"
    print(
        f"{size:>9,} {sort:>12} {theirs.seconds:>8.2f} {mine.seconds:>9.2f} {ratio} "
        f"{min(again).seconds:>8.2f} {theirs.processor:>8.2f} {mine.processor:>10.2f} {peak:>8,}",
        flush=True,
    )


def _last_op(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in file) - _LINES_AN_OP + 1


def _write_few(source: Path, target: Path) -> None:
    """The same trace with one op in some thousands of another type."""
    with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        for number, line in enumerate(lines):
            if number % (_LINES_AN_OP * _FEW_EVERY) == 0:
                line = line.replace(" = ", " = Another", 1)
            out.write(line)


class Cost(NamedTuple):
    """What one run of a command takes."""

    seconds: float
    processor: float
    megabytes: int


def timed(command: list[str]) -> Cost:
    """What one run costs; nothing where it is refused: files of a gigabyte are too large to git."""
    start = perf_counter()
    # Standard output is thrown away: both sides print, and neither should wait for a reader.
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        if command[0] == "git":
            return Cost(0.0, 0.0, 0)
        raise RuntimeError(f"{command[0]} ended with status {process.returncode}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1024)
