"""Finding the structure of a trace, against reading it; and sequences that were made to be hard."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from benchmarks.generate import write_trace
from opdiff.readers import open_trace
from opdiff.structure import structure_of
from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace

_MOST_HARD = 200_000
_SPEC = TensorSpec("Float32", (4,))


def run(ops: list[int]) -> None:
    """Print a row a size: times of reading and finding, their ratio, and the size of the tree."""
    print(f"{'ops':>9} {'read s':>8} {'find s':>8} {'ratio':>6} {'parts':>9} {'tree MB':>8}")
    with tempfile.TemporaryDirectory() as name:
        for size in ops:
            path = Path(name) / f"{size}.ir"
            write_trace(path, size)
            start = perf_counter()
            trace = open_trace(path, cache=False)
            _ = trace.values  # what every comparison asks for
            read = perf_counter() - start
            _row(str(size), trace, read)
            path.unlink()
    size = min(_MOST_HARD, max(ops))
    print(f"made to be hard, {size} ops:")
    for name, types in _hard(size):
        _row(name, _trace(types))


def _row(name: str, trace: Trace, read: float | None = None) -> None:
    start = perf_counter()
    structure = structure_of(trace)
    found = perf_counter() - start
    columns = vars(structure).values()
    size = sum(column.nbytes for column in columns if hasattr(column, "nbytes")) / 1e6
    against = (
        f"{read:8.2f} {found:8.2f} {found / read:6.2f}" if read else f"{'':8} {found:8.2f} {'':6}"
    )
    print(f"{name:>9} {against} {len(structure):>9} {size:8.1f}", flush=True)


def _hard(size: int) -> Iterator[tuple[str, list[str]]]:
    """One op over and over, two in turn, words of Fibonacci, random ones, and tiny steps."""
    yield "one", ["Add"] * size
    yield "two", ["Add", "Mul"] * (size // 2)
    one, other = ["Add"], ["Add", "Mul"]
    while len(other) < size:
        one, other = other, other + one
    yield "fibonacci", other[:size]
    random_ = random.Random(1)
    yield "random", [random_.choice(("Add", "Mul", "Sub", "Neg")) for _ in range(size)]
    yield "steps", (["Add"] * 24 + ["AddGrad"] * 24 + ["Adam"] * 24) * (size // 72)


def _trace(types: list[str]) -> Trace:
    builder = ColumnsBuilder()
    for place, name in enumerate(types):
        builder.add(name, [Operand(place + 1, _SPEC)], [Operand(place, _SPEC)])
    return Trace(Source("hard.ir", "benchmark"), *builder.build())
