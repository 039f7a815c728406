"""How often the cause is named first: ``python -m lab.values.score FOLDER [VARIANT …]``.

Pairs are those of the engine; the causes are what values alone tell of them. For every mistake its
rank among the causes in the order of execution (0: not among them), and how many there are.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from opdiff.compare import Request, compare
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.values import (
    Cause,
    Causes,
    ErrorsOfPairs,
    Flow,
    Side,
    compare_values,
    find_causes,
    read_sidecar,
    same_job,
    settle_twins,
    sidecar_beside,
)

VARIANTS = ("exact", "noise", "compiled", "bfloat16")
ROUNDS = 3
"""So often at most ops that were paired crosswise are put right."""


@dataclass(frozen=True)
class Result:
    """What came out for one mistake."""

    rank: int
    causes: list[str]


def side_of(path: Path) -> Side:
    """A trace with the values beside it."""
    trace = open_trace(path)
    sidecar = sidecar_beside(path)
    if sidecar is None:
        raise SystemExit(f"no values beside {path}")
    return Side(trace, read_sidecar(sidecar, trace))


def causes_of(left: Side, right: Side) -> tuple[ErrorsOfPairs, Causes]:
    """Pair two runs and look for causes."""
    partner = compare(left.trace, right.trace, Request()).left.partner
    left_row = np.flatnonzero(partner >= 0).astype(np.int32)
    right_row = partner[left_row]
    flows = [Flow.of(side.trace, side.values) for side in (left, right)]
    for _ in range(ROUNDS):
        useful = same_job(left.trace, right.trace, left_row, right_row)
        left_row, right_row = left_row[useful], right_row[useful]
        pairs = compare_values(left, right, left_row, right_row).pairs
        causes = find_causes(pairs, flows[0], flows[1])
        settled = settle_twins(left, right, pairs, causes)
        if settled is None:
            break
        left_row, right_row = settled
    return pairs, causes


def score(left: Side, right: Side, truth: Mapping[str, object] | None) -> Result:
    """The rank of the truth among the causes; 0 if it is not among them."""
    pairs, causes = causes_of(left, right)
    shown: list[str] = []
    rank = 0
    for number, pair in enumerate(causes.roots().tolist(), 1):
        rows = (int(pairs.left_row[pair]), int(pairs.right_row[pair]))
        cause = Cause(int(causes.cause[pair])).word
        op = right.trace.op(rows[1])
        shown.append(f"{cause} {op.type} {line_of(right.trace, rows[1])} {causes.error[pair]:.1e}")
        blamed = (
            np.flatnonzero(causes.blamed_left == pair).tolist(),
            np.flatnonzero(causes.blamed_right == pair).tolist(),
        )
        if truth and not rank and _hits(left, right, rows, blamed, truth):
            rank = number
    return Result(rank, shown)


def _hits(
    left: Side,
    right: Side,
    rows: tuple[int, int],
    blamed: tuple[list[int], list[int]],
    truth: Mapping[str, object],
) -> bool:
    tampered = truth["tampered"]
    if tampered is not None:
        return rows[1] == tampered
    lines = truth["lines"]
    assert isinstance(lines, list)
    named = [(left.trace, row) for row in (rows[0], *blamed[0])]
    named += [(right.trace, row) for row in (rows[1], *blamed[1])]
    return any(line_of(trace, row) in lines for trace, row in named)


def line_of(trace: Trace, row: int) -> int | None:
    """The line of the network that an op belongs to."""
    for frame in reversed(trace.op(row).stack):
        if frame.file.endswith("/net.py"):
            return frame.line
    return None


def scores(folder: Path) -> tuple[Result, dict[str, Result]]:
    """What comes out where nothing is wrong, and for every mistake of a variant."""
    base = side_of(folder / "base.ir.gz")
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    clean = score(base, side_of(folder / "clean.ir.gz"), None)
    return clean, {
        name: score(base, side_of(folder / f"{name}.ir.gz"), facts) for name, facts in truth.items()
    }


def report(folder: Path, variant: str, *, talk: bool) -> None:
    """One variant: how many are first, found at all, and how long the lists are."""
    clean, results = scores(folder)
    first = sum(result.rank == 1 for result in results.values())
    found = sum(result.rank > 0 for result in results.values())
    length = median(len(result.causes) for result in results.values())
    print(
        f"{variant}: first {first} of {len(results)}, found {found}, median list {length:g}, "
        f"on a clean pair {len(clean.causes)}"
    )
    for name, result in results.items():
        if talk and result.rank != 1:
            print(f"  {name}: rank {result.rank}", *result.causes[:4], sep="\n    ")


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "-v"]
    for chosen in words[1:] or VARIANTS:
        report(Path(words[0]) / chosen, chosen, talk="-v" in sys.argv)
