"""The memory that reading large dumps and logs takes, against the size of the file.

A file that lived in memory as text would take its own size at least. What is kept are columns of
numbers, so the ratio falls with the size of an entry and must not rise with that of the file.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.written import FILES

FORMATS = ("msprobe", "torch-npu-log", "torch-debugmode", "pytorch-et", "torch-profiler")
_MOST_OPS = 100_000
"""Of a file: they are read op by op, and the ratio hardly changes any more."""
_MEASURED = r"""
import re, sys, time
from pathlib import Path
from opdiff.readers import open_trace

def peak():
    return int(re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())[1]) * 1024

before, start = peak(), time.perf_counter()
trace = open_trace(sys.argv[1], cache=False)
trace.links
print(len(trace), peak() - before, time.perf_counter() - start)
"""


def run(ops: list[int]) -> None:
    """Print a row a format and size."""
    print(
        f"{'format':<18} {'ops':>9} {'file MB':>8} {'more MB':>8} {'ratio':>6} {'a op':>6} {'s':>7}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in FORMATS:
            for size in sorted({min(size, _MOST_OPS) for size in ops}):
                _row(name, FILES[name](Path(folder), size))


def _row(name: str, path: Path) -> None:
    file = path.stat().st_size
    command = [sys.executable, "-c", _MEASURED, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    ops, more, seconds = (float(word) for word in done.stdout.split())
    print(
        f"{name:<18} {ops:>9,.0f} {file / 1e6:>8.1f} {more / 1e6:>8.1f} {more / file:>6.2f} "
        f"{more / ops:>6.0f} {seconds:>7.2f}",
        flush=True,
    )
    path.unlink()
