"""``tools/ratchet.py REPORT FIGURES [--raise]``: coverage against the figures reached so far.

A figure below the one in *FIGURES* makes the exit status 1. ``--raise`` writes the new ones down,
which may only be better.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

_NOISE = 0.1
"""Percent: removing a covered line lowers the share of covered ones a little."""


def figures_of(report: Path) -> dict[str, float]:
    """Percent of lines and of branches that ran, rounded down to what is worth telling."""
    totals = json.loads(report.read_text(encoding="utf-8"))["totals"]
    return {
        "lines": _percent(totals["covered_lines"], totals["num_statements"]),
        "branches": _percent(totals["covered_branches"], totals["num_branches"]),
    }


def _percent(part: int, whole: int) -> float:
    return int(1000 * part / whole) / 10


def main(arguments: list[str]) -> int:
    """Hold a report of coverage against the figures."""
    raising = "--raise" in arguments
    report, figures = (Path(each) for each in arguments if each != "--raise")
    now, reached = figures_of(report), json.loads(figures.read_text(encoding="utf-8"))
    fallen = [name for name in reached if now[name] < reached[name] - _NOISE]
    for name, best in reached.items():
        print(f"{name}: {now[name]} % (reached: {best} %)")
    if fallen:
        print(f"fell: {', '.join(fallen)}", file=sys.stderr)
        return 1
    better = {name: max(now[name], best) for name, best in reached.items()}
    if raising:
        figures.write_text(json.dumps(better) + "\n", encoding="utf-8")
    elif better != reached:
        print(f"better than {figures}: --raise writes it down")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
