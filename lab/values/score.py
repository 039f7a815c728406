"""How often the cause is named first: ``python -m lab.values.score [FOLDER [VARIANT …]]``.

Without a folder those runs are looked at that are kept in the repository; figures are a ratchet.

For every mistake its rank in the report: the place, among the groups in reading order, of the first
one with a member at a line that the mistake executes (0: none). Where nothing is wrong every group
of kind ``value`` is one too many.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from opdiff.compare import Comparison, Kind, Request, Section, Side, compare
from opdiff.readers import open_trace
from opdiff.readers.trace_values import read_values
from opdiff.trace import Trace
from opdiff.values import Held, Values

VARIANTS = ("exact", "noise", "compiled", "bfloat16")
KEPT = ("noise", "compiled", "bfloat16")
"""The variants of which some runs are in the repository."""
CASES = Path(__file__).parent / "cases"
FIGURES = CASES / "figures.json"
MORE_IS_BETTER = frozenset({"cases", "rank 1"})

Figures = dict[str, dict[str, int]]
"""By variant and name."""


@dataclass(frozen=True)
class Run:
    """A trace with what its tensors held."""

    trace: Trace
    values: Values | None


@dataclass(frozen=True)
class Result:
    """What came out for one mistake."""

    rank: int
    by_order: int
    """The rank without values."""
    causes: int
    """How many groups are causes, as values tell."""
    listed: list[str]


def run_at(path: Path) -> Run:
    """A trace with the values beside it."""
    trace = open_trace(path)
    return Run(trace, read_values(trace))


def score(left: Run, right: Run, truth: Mapping[str, object] | None) -> Result:
    """The rank of the truth in a report, with and without values."""
    request = Request()
    told = compare(left.trace, right.trace, request, held=Held(left.values, right.values))
    alone = compare(left.trace, right.trace, request)
    listed = [
        f"{group.kind} {group.title} × {group.count}"
        for group in told.groups
        if group.section is Section.SUSPECT
    ]
    causes = sum(
        group.kind is Kind.VALUE and _is_cause(told, group.members) for group in told.groups
    )
    return Result(rank(told, truth), rank(alone, truth), causes, listed)


def _is_cause(comparison: Comparison, members: tuple[int, ...]) -> bool:
    first = comparison.divergences[members[0]]
    assert comparison.values is not None
    assert first.value_pair is not None
    return comparison.values.cause(first.value_pair) != "consequence"


def rank(comparison: Comparison, truth: Mapping[str, object] | None) -> int:
    """The place of the first group with a member where the mistake is; 0 if there is none."""
    if truth is None:
        return 0
    for place, group in enumerate(comparison.groups, 1):
        if any(_hits(comparison, index, truth) for index in group.members):
            return place
    return 0


def _hits(comparison: Comparison, index: int, truth: Mapping[str, object]) -> bool:
    record = comparison.divergences[index]
    tampered, lines = truth["tampered"], truth["lines"]
    if tampered is not None:
        return tampered in record.right_rows
    calls = truth.get("calls", [])
    assert isinstance(lines, list)
    assert isinstance(calls, list)
    for side in Side:
        for row in record.rows(side):
            found = lines_at(comparison.side(side).trace, row)
            if found[-1:] and (found[-1] in lines or set(found) & set(calls)):
                return True
    return False


def lines_at(trace: Trace, row: int) -> list[int]:
    """The lines of the network that an op was called from, the innermost last."""
    return [frame.line for frame in trace.op(row).stack if frame.file.endswith("/net.py")]


def scores(folder: Path) -> tuple[Result, dict[str, Result]]:
    """What comes out where nothing is wrong, and for every mistake of a variant."""
    base = run_at(folder / "base.ir.gz")
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    clean = score(base, run_at(folder / "clean.ir.gz"), None)
    return clean, {
        name: score(base, run_at(folder / f"{name}.ir.gz"), facts) for name, facts in truth.items()
    }


def figures_of(folder: Path, *, talk: bool = False) -> dict[str, int]:
    """One variant: how many are first, found at all, and what is said where nothing is wrong."""
    clean, results = scores(folder)
    ranks = [result.rank for result in results.values()]
    for name, result in results.items():
        if talk and result.rank != 1:
            print(f"  {name}: rank {result.rank}", *result.listed[:4], sep="\n    ")
    return {
        "cases": len(ranks),
        "rank 1": ranks.count(1),
        "by order alone": sum(result.by_order == 1 for result in results.values()),
        "absent": ranks.count(0),
        "median of causes": int(median(result.causes for result in results.values())),
        "causes where nothing is wrong": clean.causes,
        "suspects where nothing is wrong": len(clean.listed),
    }


def worse(kept: Figures, now: Figures) -> list[str]:
    """The figures that got worse; another number of cases counts as that."""
    found = []
    for variant, figures in now.items():
        for name, number in figures.items():
            old = kept.get(variant, {}).get(name)
            rises = name in MORE_IS_BETTER
            better = old is not None and (number >= old if rises else number <= old)
            if name == "cases" and number != old:
                better = False
            if not better and name != "by order alone":
                found.append(f"{variant}: {name} {old} → {number}")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the runs in a folder, or those that are kept, against the figures kept with them."""
    parser = argparse.ArgumentParser(prog="python -m lab.values.score", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="recorded runs; else those kept")
    parser.add_argument("variant", nargs="*", help=f"of {', '.join(VARIANTS)}")
    parser.add_argument("-v", "--list", action="store_true", help="what is not named first")
    parser.add_argument("--update", action="store_true", help="keep these figures from now on")
    options = parser.parse_args(argv)
    folder = options.folder or CASES
    variants = options.variant or (VARIANTS if options.folder else KEPT)
    now: Figures = {}
    for variant in variants:
        now[variant] = figures_of(folder / variant, talk=options.list)
        told = ", ".join(f"{name} {number}" for name, number in now[variant].items())
        print(f"values, {variant}: {told}")
    if options.folder:
        return 0
    if options.update:
        FIGURES.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        return 0
    fell = worse(json.loads(FIGURES.read_text(encoding="utf-8")), now)
    for text in fell:
        print(f"WORSE: {text}")
    return int(bool(fell))


if __name__ == "__main__":
    sys.exit(main())
