"""Comparing with values against comparing without: whole commands, what they take and their ratio.

*first* reads everything, sketches of all operands beside both traces included; *again* is once
traces and values are kept; *comparing* is the comparison alone, in the processor's time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.comparing import Cost, timed
from benchmarks.generate import write_pair
from benchmarks.reading import SETTLED
from opdiff.compare import Request, compare
from opdiff.readers import open_trace, open_traces
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Trace
from opdiff.values.sketch import KIND, SUMS

_HEADER = (
    f"# opdiff-values 1; sketch={KIND}\n"
    "op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch\n"
)
_NOISE = 1e-7


def run(ops: list[int]) -> None:
    """Print a row a size."""
    print(
        f"{'ops':>9} {'MB':>6} {'without s':>10} {'first s':>8} {'ratio':>6} "
        f"{'kept s':>7} {'again s':>8} {'ratio':>6} {'comparing':>10} {'peak MB':>8}",
        flush=True,
    )
    for size in ops:
        with tempfile.TemporaryDirectory() as name:
            left, right = write_pair(Path(name), size)
            _write_values(left, right)
            os.environ["XDG_CACHE_HOME"] = str(Path(name) / "cache")
            time.sleep(SETTLED)
            _row(size, left, right)


def _row(size: int, left: Path, right: Path) -> None:
    ours = [sys.executable, "-m", "opdiff", "compare", str(left), str(right), "--format", "json"]
    rounds = 3 if size <= 300_000 else 2

    def least(*options: str) -> Cost:
        return min(timed([*ours, *options]) for _ in range(rounds))

    without, first = least("--no-cache", "--no-values"), least("--no-cache")
    timed(ours)  # from now on everything is kept
    kept, again = least("--no-values"), least()
    alone = [sys.executable, "-m", "benchmarks.values", str(left), str(right)]
    comparing = float(subprocess.run(alone, check=True, capture_output=True, text=True).stdout)
    megabytes = sum(_sidecar(path).stat().st_size for path in (left, right)) >> 20
    print(
        f"{size:>9,} {megabytes:>6,} {without.seconds:>10.2f} {first.seconds:>8.2f} "
        f"{first.seconds / without.seconds:>6.2f} {kept.seconds:>7.2f} {again.seconds:>8.2f} "
        f"{again.seconds / kept.seconds:>6.2f} {comparing:>10.2f} {first.megabytes:>8,}",
        flush=True,
    )


def _sidecar(trace: Path) -> Path:
    return trace.with_name(f"{trace.stem}.values.csv")


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
        _write_sidecar(_sidecar(path), trace, sketches)


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


def comparing(left: Path, right: Path) -> float:
    """How many times longer the comparison alone takes with values."""
    traces = open_traces([left, right])
    held = ValueChoice().held(*traces)

    def seconds(**how: object) -> float:
        begin = process_time()
        compare(*traces, Request(), **how)  # type: ignore[arg-type]
        return process_time() - begin

    seconds(held=held)  # once in advance: who reads what is known by then
    return min(seconds(held=held) for _ in range(3)) / min(seconds() for _ in range(3))


if __name__ == "__main__":
    print(comparing(Path(sys.argv[1]), Path(sys.argv[2])))
