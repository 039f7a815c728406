"""Comparing with values against comparing without: time of both, their ratio, parts, and memory."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.generate import write_pair
from opdiff.compare import Request, compare
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.values import Flow, Side, compare_values, find_causes, open_values, same_job
from opdiff.values.sketch import KIND, SUMS

_HEADER = (
    f"# opdiff-values 1; sketch={KIND}\n"
    "op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch\n"
)
_NOISE = 1e-7


def run(ops: list[int]) -> None:
    """Print a row a size; each pair is written here and compared in a process of its own."""
    print(
        f"{'ops':>9} {'without s':>10} {'values s':>9} {'causes s':>9} {'ratio':>6} {'peak MB':>8}"
    )
    for size in ops:
        with tempfile.TemporaryDirectory() as name:
            left, right = write_pair(Path(name), size)
            _write_values(left, right)
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
    for path, trace, sketches in zip((left, right), traces, own, strict=True):
        _write_sidecar(path.with_name(f"{path.stem}.values.csv"), trace, sketches)


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
    """Compare one pair without values, then look at its values."""
    begin = perf_counter()
    traces = [open_trace(path) for path in (left, right)]
    partner = compare(*traces, Request()).left.partner
    compared = perf_counter()
    sides = [Side(trace, values) for trace in traces if (values := open_values(trace))]
    read = perf_counter()
    rows = np.flatnonzero(partner >= 0).astype(np.int32)
    rows = rows[same_job(*traces, rows, partner[rows])]
    pairs = compare_values(*sides, rows, partner[rows]).pairs
    find_causes(pairs, *(Flow.of(side.trace, side.values) for side in sides))
    end = perf_counter()
    without, values, causes = compared - begin, read - compared, end - read
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    ratio = (end - begin) / without
    times = f"{without:>10.2f} {values:>9.2f} {causes:>9.2f}"
    print(f"{len(traces[0]):>9,} {times} {ratio:>6.2f} {peak:>8,}")


if __name__ == "__main__":
    measure(Path(sys.argv[1]), Path(sys.argv[2]))
