"""Reading a trace, against Python's own loop over the lines of the same file."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from benchmarks.generate import write_trace
from opdiff.readers import open_trace

_PEAK = """
import resource, sys
from opdiff.readers import open_trace
trace = open_trace(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def run(ops: list[int]) -> None:
    """Print a row a size: time of both, their ratio, and the peak of memory."""
    print(f"{'ops':>9} {'file MB':>8} {'loop s':>8} {'read s':>8} {'ratio':>6} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for size in ops:
            path = Path(folder) / f"{size}.ir"
            write_trace(path, size)
            loop, read = _best_of(lambda p=path: _loop(p), lambda p=path: open_trace(p), size)
            megabytes = path.stat().st_size / 1e6
            print(
                f"{size:>9,} {megabytes:>8.1f} {loop:>8.3f} {read:>8.3f} {read / loop:>6.2f} "
                f"{_peak_megabytes(path):>8,}"
            )
            path.unlink()


def _loop(path: Path) -> int:
    lines = 0
    with path.open("rb") as file:
        for _ in file:
            lines += 1
    return lines


def _best_of(
    first: Callable[[], object], second: Callable[[], object], ops: int
) -> tuple[float, float]:
    """The shortest time of each, in rounds by turns so that both meet the same noise."""
    best = [float("inf"), float("inf")]
    for _ in range(max(3, min(15, 2_000_000 // ops))):
        for place, work in enumerate((first, second)):
            start = perf_counter()
            work()
            best[place] = min(best[place], perf_counter() - start)
    return best[0], best[1]


def _peak_megabytes(path: Path) -> int:
    """In a process of its own: a peak cannot be taken back."""
    command = [sys.executable, "-c", _PEAK, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout)
