"""How often the cause is named first: ``python -m lab.values.score [FOLDER] [--network NAME …]``.

Without a folder those runs are looked at that are kept in the repository; figures are a ratchet.

For every mistake its rank in the report: the place, among the groups in reading order, of the first
one with a member at a line that the mistake executes, in the layer where it is made (0: none).
Where nothing is wrong every group of kind ``value`` is one too many.
"""

from __future__ import annotations

import argparse
import json
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from lab.values.mistakes import NETWORKS
from opdiff.compare import Comparison, Kind, Request, Section, Side, compare
from opdiff.readers import open_trace
from opdiff.readers.trace_values import read_values
from opdiff.trace import Trace
from opdiff.values.question import Held
from opdiff.values.table import Values

VARIANTS = ("exact", "noise", "compiled", "bfloat16")
CASES = Path(__file__).parent / "cases"
"""Of each network an archive: what runs of it have in common is stored once."""
FIGURES = CASES / "figures.json"
MORE_IS_BETTER = frozenset({"cases", "rank 1"})

Figures = dict[str, dict[str, int]]
"""By network and variant, and by name."""


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


@contextmanager
def kept(network: str) -> Iterator[Path]:
    """The runs of a network that are in the repository, in a folder as make.py makes it."""
    with TemporaryDirectory() as folder, tarfile.open(CASES / f"{network}.tar.xz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            path = Path(folder) / member.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.read())
        yield Path(folder)


def run_at(folder: Path, name: str) -> Run:
    """A trace with the values beside it."""
    packed = folder / f"{name}.ir.gz"
    trace = open_trace(packed if packed.exists() else folder / f"{name}.ir")
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
    calls, elsewhere = truth["calls"], truth["elsewhere"]
    assert isinstance(lines, list)
    assert isinstance(calls, list)
    assert isinstance(elsewhere, list)
    for side in Side:
        for row in record.rows(side):
            found = lines_at(comparison.side(side).trace, row)
            if not found or set(found) & set(elsewhere):
                continue
            if found[-1] in lines or set(found) & set(calls):
                return True
    return False


def lines_at(trace: Trace, row: int) -> list[int]:
    """The lines of the network that an op was called from, the innermost last."""
    return [frame.line for frame in trace.op(row).stack if "/values/networks/" in frame.file]


def scores(folder: Path) -> tuple[Result, dict[str, Result]]:
    """What comes out where nothing is wrong, and for every mistake of a variant."""
    base = run_at(folder, "base")
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    clean = score(base, run_at(folder, "clean"), None)
    return clean, {name: score(base, run_at(folder, name), facts) for name, facts in truth.items()}


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


def measured(folder: Path, only: Sequence[str] = (), *, talk: bool = False) -> Figures:
    """All variants in the folder of a network, or *only* those so called."""
    found: Figures = {}
    for variant in VARIANTS:
        path = folder / variant
        if (path / "truth.json").exists() and (not only or variant in only):
            found[variant] = figures_of(path, talk=talk)
            told = ", ".join(f"{name} {number}" for name, number in found[variant].items())
            print(f"  {variant}: {told}", flush=True)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the runs in a folder, or those that are kept, against the figures kept with them."""
    parser = argparse.ArgumentParser(prog="python -m lab.values.score", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="recorded runs; else those kept")
    parser.add_argument("--network", action="append", choices=NETWORKS)
    parser.add_argument("--variant", action="append", choices=VARIANTS, default=[])
    parser.add_argument("-v", "--list", action="store_true", help="what is not named first")
    parser.add_argument("--update", action="store_true", help="keep these figures from now on")
    options = parser.parse_args(argv)
    now: Figures = {}
    for network in options.network or NETWORKS:
        print(f"values, {network}:")
        with nullcontext(options.folder / network) if options.folder else kept(network) as folder:
            for variant, figures in measured(folder, options.variant, talk=options.list).items():
                now[f"{network}, {variant}"] = figures
    if options.folder:
        print(table(now))
        return 0
    if options.update:
        FIGURES.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        return 0
    fell = worse(json.loads(FIGURES.read_text(encoding="utf-8")), now)
    for text in fell:
        print(f"WORSE: {text}")
    return int(bool(fell))


def table(figures: Figures) -> str:
    """As in README.md."""
    rows = [
        "| network, the other run | named first | by order alone | median of causes "
        "| causes, suspects where nothing is wrong |",
        "| --- | --- | --- | --- | --- |",
    ]
    for place, of in figures.items():
        clean = f"{of['causes where nothing is wrong']}, {of['suspects where nothing is wrong']}"
        first = f"{of['rank 1']} of {of['cases']}"
        told = (place, first, of["by order alone"], of["median of causes"], clean)
        rows.append(f"| {' | '.join(map(str, told))} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
