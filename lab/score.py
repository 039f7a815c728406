"""``python -m lab.score``: where in the report does the true cause stand?

Every case is compared as a whole, upward from the end of the backward, and upward from the loss.
Rank is the place, among the groups in the order in which they are listed, of the first one with a
member at a line that the bug executes. Of two correct runs every group that is not harmless is one
too many. The figures are a ratchet: ``figures.json`` holds the best so far, and a figure that got
worse makes the exit status 1.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opdiff.compare import Direction, Request, compare
from opdiff.readers import open_trace
from opdiff.report import render

LAB = Path(__file__).resolve().parent
CASES, FIGURES = LAB / "cases", LAB / "figures.json"
SETS = ("tuned", "held_out")
STARTS = {"whole": None, "backward": "bwd_op", "loss": "loss_op"}
"""Where a comparison starts, and what a case calls the record."""
CHANGES, EQUAL = ("cases", "rank 1", "rank <= 3", "absent"), ("cases", "quiet", "suspect groups")
FEWER_IS_BETTER = {"absent", "suspect groups"}

Case = dict[str, Any]
Figures = dict[str, dict[str, dict[str, dict[str, int]]]]
"""By set, mode, start and name."""


@dataclass(frozen=True)
class Outcome:
    """What a report said about a case."""

    case: str
    mode: str
    start: str
    rank: int | None
    groups: int
    suspects: int

    @property
    def equal(self) -> bool:
        """Whether there was nothing to find."""
        return self.mode == "equal"


def cases_of(which: str) -> list[Case]:
    """The cases of a set."""
    cases: list[Case] = json.loads((CASES / f"{which}.json").read_text(encoding="utf-8"))
    return cases


def line_of(record: int) -> int:
    """The header line of a record counted from 1: records of the lab have three lines each."""
    return 3 * (record - 1) + 1


def examine(case: Case) -> list[Outcome]:
    """The outcomes from every start from which there is something to see."""
    truth = case["truth"]
    left, right = (open_trace(CASES / "traces" / f"{case[side]}.ir.gz") for side in SIDES)
    outcomes = []
    for start, key in STARTS.items():
        marks = {side: _marks_seen(truth[side], key) for side in SIDES}
        unseen = start in truth.get("unseen_from", ())
        if unseen or (not case.get("equal") and not any(marks.values())):
            continue
        request = Request()
        if key is not None:
            request = Request(Direction.UP, truth["left"][key] - 1, truth["right"][key] - 1)
        report = json.loads(render(compare(left, right, request), "json"))
        refuse_rings([record["caused_by"] for record in report["divergences"]])
        outcomes.append(_outcome(case, start, report, marks))
    return outcomes


def refuse_rings(causes: Sequence[int | None]) -> None:
    """Raise where differences explain each other in a ring: readers would never get to a root."""
    rooted: set[int] = set()
    for number in range(len(causes)):
        path: dict[int, None] = {}
        at: int | None = number
        while at is not None and at not in rooted:
            if at in path:
                raise ValueError(f"differences that explain each other: {list(path)}")
            path[at] = None
            at = causes[at]
        rooted.update(path)


SIDES = ("left", "right")


def _marks_seen(side: dict[str, Any], key: str | None) -> set[int]:
    """The lines of the change that are not below the anchor."""
    last = line_of(side["ops"] if key is None else side[key])
    return {line for line in side["marks"] if line <= last}


def _outcome(case: Case, start: str, report: dict[str, Any], marks: dict[str, set[int]]) -> Outcome:
    hit = {
        record["group"]
        for record in report["divergences"]
        if any(marks[side].intersection(record[f"{side}_lines"]) for side in SIDES)
    }
    places = (place for place, group in enumerate(report["groups"], 1) if group["id"] in hit)
    suspects = sum(not group.get("harmless", False) for group in report["groups"])
    groups = len(report["groups"])
    return Outcome(case["name"], case["mode"], start, next(places, None), groups, suspects)


def measure(which: str, jobs: int = 1) -> list[Outcome]:
    """All outcomes of a set."""
    cases = cases_of(which)
    if jobs == 1:
        return [outcome for case in cases for outcome in examine(case)]
    with ProcessPoolExecutor(jobs) as pool:
        return [outcome for found in pool.map(examine, cases) for outcome in found]


def figures_of(outcomes: Iterable[Outcome]) -> dict[str, dict[str, dict[str, int]]]:
    """How many outcomes are how good, by mode and start."""
    found: dict[str, dict[str, list[Outcome]]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.mode, {}).setdefault(outcome.start, []).append(outcome)
    return {
        mode: {start: _figures(some) for start, some in starts.items()}
        for mode, starts in found.items()
    }


def _figures(outcomes: Sequence[Outcome]) -> dict[str, int]:
    if outcomes[0].equal:
        suspects = [outcome.suspects for outcome in outcomes]
        return dict(zip(EQUAL, (len(suspects), suspects.count(0), sum(suspects)), strict=True))
    ranks = [outcome.rank for outcome in outcomes]
    near = sum(rank is not None and rank <= 3 for rank in ranks)
    counts = (len(ranks), ranks.count(1), near, ranks.count(None))
    return dict(zip(CHANGES, counts, strict=True))


def changes(kept: Figures, now: Figures) -> Iterator[tuple[bool, str]]:
    """Whether a figure got worse, and how; another number of cases counts as worse."""
    for which, modes in now.items():
        for mode, starts in modes.items():
            for start, figures in starts.items():
                before = kept.get(which, {}).get(mode, {}).get(start, {})
                for name, value in figures.items():
                    old = before.get(name)
                    if old == value:
                        continue
                    rose = old is not None and (value > old) != (name in FEWER_IS_BETTER)
                    better = rose and name != "cases"
                    yield not better, f"{which}, {mode}, {start}: {name} {old} → {value}"


def table(figures: dict[str, dict[str, dict[str, int]]]) -> str:
    """The figures of one set, a line a mode and start."""
    lines = [f"{'mode':<16}{'start':<10}" + "".join(f"{name:>11}" for name in CHANGES)]
    for mode, starts in sorted(figures.items()):
        if mode == "equal":
            continue
        for start, counts in starts.items():
            lines.append(f"{mode:<16}{start:<10}" + "".join(f"{n:>11}" for n in counts.values()))
    lines.append(f"{'':<26}" + "".join(f"{name:>17}" for name in EQUAL))
    for start, counts in figures.get("equal", {}).items():
        lines.append(f"{'equal':<16}{start:<10}" + "".join(f"{n:>17}" for n in counts.values()))
    return "\n".join(lines)


def details(outcomes: Iterable[Outcome]) -> str:
    """A line an outcome, for tuning."""
    return "\n".join(
        f"{outcome.mode:<16}{outcome.start:<10}{outcome.case:<42}"
        + (f"{'':12}" if outcome.equal else f" rank {outcome.rank or 'absent':>6}")
        + f" groups {outcome.groups:>4}, not harmless {outcome.suspects:>4}"
        for outcome in outcomes
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and hold the figures against those kept."""
    parser = argparse.ArgumentParser(prog="python -m lab.score", description=__doc__)
    parser.add_argument("--list", action="store_true", help="each tuned case; held-out ones never")
    parser.add_argument("--update", action="store_true", help="keep these figures from now on")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args(argv)
    now: Figures = {}
    for which in SETS:
        outcomes = measure(which, options.jobs)
        now[which] = figures_of(outcomes)
        if options.list and which == "tuned":
            print(details(outcomes))
        print(f"{which}\n{table(now[which])}\n")
    if options.update:
        FIGURES.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        return 0
    found = list(changes(kept_figures(), now))
    for worse, text in found:
        print(f"{'WORSE' if worse else 'better'}: {text}")
    if found and not any(worse for worse, _ in found):
        print("`python -m lab.score --update` keeps these figures.")
    return int(any(worse for worse, _ in found))


def kept_figures() -> Figures:
    """The figures that must not get worse."""
    figures: Figures = json.loads(FIGURES.read_text(encoding="utf-8"))
    return figures


if __name__ == "__main__":
    sys.exit(main())
