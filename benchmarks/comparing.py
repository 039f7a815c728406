"""Comparing two traces, as a whole process, against ``git diff`` of the same files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.generate import write_pair

_LINES_AN_OP = 3
_FEW_EVERY = 2_000


def run(ops: list[int]) -> None:
    """Print a row a size and sort of pair: time of both, their ratio, and the peak of memory."""
    print(
        f"{'ops':>9} {'differences':>12} {'git s':>8} {'opdiff s':>9} {'ratio':>6} {'peak MB':>8}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in ops:
            left, right = write_pair(folder, size)
            _row(size, "many", left, right)
            few = folder / "few.ir"
            _write_few(left, few)
            _row(size, "few", left, few)
            for path in (left, right, few):
                path.unlink()


def _row(size: int, sort: str, left: Path, right: Path) -> None:
    git = ["git", "diff", "--no-index", "--histogram", "--stat", str(left), str(right)]
    ours = [sys.executable, "-m", "opdiff", "compare", str(left), str(right), "--format", "json"]
    ours.append("--no-cache")
    for flag, path in (("--left-anchor", left), ("--right-anchor", right)):
        ours += [flag, str(_last_op(path))]
    rounds = 3 if size <= 300_000 else 1
    timed = [(_timed(git), _timed(ours)) for _ in range(rounds)]
    theirs = min(first for (first, _), _ in timed)
    mine = min(second for _, (second, _) in timed)
    peak = max(memory for _, (_, memory) in timed)
    print(f"{size:>9,} {sort:>12} {theirs:>8.2f} {mine:>9.2f} {mine / theirs:>6.2f} {peak:>8,}")


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


def _timed(command: list[str]) -> tuple[float, int]:
    """Seconds and megabytes at the peak of one run."""
    start = perf_counter()
    # Standard output is thrown away: both sides print, and neither should wait for a reader.
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise RuntimeError(f"{command[0]} ended with status {process.returncode}")
    return seconds, usage.ru_maxrss // 1024
