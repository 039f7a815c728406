"""Reading traces, against Python's own loop over the lines of the same files.

The formats of the frameworks, too: JSON against ``json.load``, arrays against reading their bytes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from benchmarks.generate import write_trace
from benchmarks.written import FILES, JSON
from opdiff.readers import open_trace, open_traces

_MOST_OPS = 50_000
"""Of a file in another format: they are read op by op."""
_PEAK = r"""
import re, resource, sys
from pathlib import Path
from opdiff.readers import open_trace
trace = open_trace(sys.argv[1], cache=False)
status = Path("/proc/self/status")
# The peak that getrusage tells begins at that of the process which made this one.
own = re.search(r"VmHWM:\s*(\d+)", status.read_text()) if status.exists() else None
print((int(own[1]) if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) // 1024)
"""
SETTLED = 2.5
"""Seconds after which a file that was just written is kept when it is read."""


def run(ops: list[int]) -> None:
    """Print a row a size: times, their ratios to the loop, and the peak of memory."""
    print(
        f"{'ops':>9} {'file MB':>8} {'loop s':>8} {'read s':>8} {'ratio':>6} {'peak MB':>8} "
        f"{'two s':>8} {'ratio':>6} {'again s':>8}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        for size in ops:
            paths = [folder / f"{side}-{size}.ir" for side in ("left", "right")]
            write_trace(paths[0], size)
            shutil.copyfile(paths[0], paths[1])
            _row(size, paths)
            for path in paths:
                path.unlink()
    _run_formats(min(_MOST_OPS, max(ops)))


def _row(size: int, paths: list[Path]) -> None:
    loop, read = _best_of(lambda: _loop(paths[0]), lambda: open_trace(paths[0], cache=False), size)
    two_loops, two = _best_of(
        lambda: [_loop(path) for path in paths], lambda: open_traces(paths, cache=False), size
    )
    time.sleep(SETTLED)
    open_trace(paths[0])
    wait_until_kept()
    _, again = _best_of(lambda: None, lambda: open_trace(paths[0]), size)
    print(
        f"{size:>9,} {paths[0].stat().st_size / 1e6:>8.1f} {loop:>8.3f} {read:>8.3f} "
        f"{read / loop:>6.2f} {_peak_megabytes(paths[0]):>8,} {two:>8.3f} {two / two_loops:>6.2f} "
        f"{again:>8.3f}"
    )


def wait_until_kept() -> None:
    """Another thread keeps what was read."""
    for thread in threading.enumerate():
        if thread.name == "keep":
            thread.join()


def _run_formats(ops: int) -> None:
    head = f"{'format':<24} {'ops':>7} {'file MB':>8} {'plain s':>8} {'read s':>8} {'ratio':>6}"
    print(f"\n{head} {'peak MB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, write in FILES.items():
            path = write(Path(folder), ops)
            plain = _load if name in JSON else _read_all if path.is_dir() else _loop
            once, read = _best_of(lambda: plain(path), lambda: open_trace(path), 1_000_000)  # noqa: B023
            trace = open_trace(path)
            assert trace.source.format == name
            assert not trace.problems
            print(
                f"{name:<24} {len(trace):>7,} {_bytes(path) / 1e6:>8.1f} {once:>8.3f} {read:>8.3f} "
                f"{read / once:>6.2f} {_peak_megabytes(path):>8,}"
            )


def _load(path: Path) -> object:
    with path.open("rb") as file:
        return json.load(file)


def _read_all(folder: Path) -> int:
    return sum(len(path.read_bytes()) for path in folder.iterdir())


def _bytes(path: Path) -> int:
    return _read_all(path) if path.is_dir() else path.stat().st_size


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
