"""Comparing with values against comparing without: time of the parts, ratios, and memory.

*comparing* is the ratio of the comparisons alone; *whole* that of reading and comparing, the first
time, and *again* once what was read of traces and values is kept.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.generate import write_pair
from benchmarks.reading import SETTLED, wait_until_kept
from opdiff.compare import Request, compare
from opdiff.readers import open_trace
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Trace
from opdiff.values.sketch import KIND, SUMS

_HEADER = (
    f"# opdiff-values 1; sketch={KIND}\n"
    "op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch\n"
)
_NOISE = 1e-7


def run(ops: list[int]) -> None:
    """Print a row a size; each pair is written here and compared in a process of its own."""
    print(
        f"{'ops':>9} {'open s':>8} {'compare s':>10} {'values s':>9} {'with s':>8} "
        f"{'comparing':>10} {'whole':>6} {'again':>6} {'peak MB':>8}",
        flush=True,
    )
    for size in ops:
        with tempfile.TemporaryDirectory() as name:
            left, right = write_pair(Path(name), size)
            _write_values(left, right)
            os.environ["XDG_CACHE_HOME"] = str(Path(name) / "cache")
            time.sleep(SETTLED)
            command = [sys.executable, "-m", "benchmarks.values", str(left), str(right)]
            subprocess.run(command, check=True)


def _write_values(left: Path, right: Path) -> None:
    """Values beside both traces: those of pairs equal but for noise."""
    traces = [open_trace(path) for path in (left, right)]
    partner = compare(*traces, Request()).right.partner
    rng = np.random.default_rng(1)
    own = [rng.standard_normal((len(trace), SUMS)) for trace in traces]
    paired = partner >= 0
    own[1][paired] = own[0][partner[paired]] * (1 + _NOISE * rng.standard_normal(SUMS))
    for trace, sketches, alone in zip(traces, own, _alone(partner, len(traces[0])), strict=True):
        _hand_on(trace, sketches, alone)
    for path, trace, sketches in zip((left, right), traces, own, strict=True):
        _write_sidecar(path.with_name(f"{path.stem}.values.csv"), trace, sketches)


def _alone(partner: np.ndarray, left_count: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows of each side without counterpart, given the partners of the right ones."""
    left = np.ones(left_count, np.bool_)
    left[partner[partner >= 0]] = False
    return np.flatnonzero(left), np.flatnonzero(partner < 0)


def _hand_on(trace: Trace, sketches: np.ndarray, rows: np.ndarray) -> None:
    """Let ops without counterpart write what they read, as copies do: nothing is wrong here."""
    start, producer = trace.inputs.start, trace.links.producer
    for row in rows.tolist():
        read = producer[start[row] : start[row + 1]]
        if len(read) and read[0] >= 0:
            sketches[row] = sketches[read[0]]


def _write_sidecar(path: Path, trace: Trace, sketches: np.ndarray) -> None:
    outside = np.random.default_rng(2).standard_normal(SUMS)

    def text(numbers: np.ndarray) -> str:
        norm = float(np.linalg.norm(numbers))
        return f",0,,,,{norm:.9g},,{' '.join(f'{number:.9g}' for number in numbers)}"

    inputs, outputs = trace.inputs.start.tolist(), trace.outputs.start.tolist()
    producer = trace.links.producer.tolist()
    written: list[str] = []
    with path.open("w", encoding="ascii") as file:
        file.write(_HEADER)
        weight = text(outside)
        for row, numbers in enumerate(sketches):
            written.append(text(numbers))
            for operand, place in enumerate(range(inputs[row], inputs[row + 1])):
                read = written[producer[place]] if producer[place] >= 0 else weight
                file.write(f"{row},in,{operand},{read}\n")
            for operand in range(outputs[row + 1] - outputs[row]):
                file.write(f"{row},out,{operand},{written[row]}\n")


def measure(left: Path, right: Path) -> None:
    """Compare one pair without values, then with them, in the processor's time."""
    begin = process_time()
    traces = [open_trace(path) for path in (left, right)]
    opened = process_time()
    compare(*traces, Request())
    compared = process_time()
    compare(*traces, Request())  # once more: who reads what is known by now
    again = process_time()
    held = ValueChoice().held(*traces)
    read = process_time()
    told = compare(*traces, Request(), held=held)
    end = process_time()
    assert told.values is not None
    wait_until_kept()
    kept = process_time()
    traces = [open_trace(path) for path in (left, right)]
    found = process_time()
    ValueChoice().held(*traces)
    found_values = process_time()
    opening, first, without = opened - begin, compared - opened, again - compared
    values, with_values = read - again, end - read
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    more = with_values - without
    whole = 1 + (values + more) / (opening + first)
    second = 1 + (found_values - found + more) / (found - kept + first)
    times = f"{opening:>8.2f} {without:>10.2f} {values:>9.2f} {with_values:>8.2f}"
    ratios = f"{with_values / without:>10.2f} {whole:>6.2f} {second:>6.2f}"
    print(f"{len(traces[0]):>9,} {times} {ratios} {peak:>8,}")


if __name__ == "__main__":
    measure(Path(sys.argv[1]), Path(sys.argv[2]))
