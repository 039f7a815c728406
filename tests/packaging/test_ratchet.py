"""Figures of coverage may rise, not fall."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    file = tmp_path / "figures.json"
    file.write_text('{"lines": 90.0, "branches": 80.0}\n')
    return file


def ratchet(
    figures: Path, lines: int, branches: int, *more: str
) -> subprocess.CompletedProcess[str]:
    report = figures.with_name("report.json")
    totals = {"covered_lines": lines, "num_statements": 1000}
    totals |= {"covered_branches": branches, "num_branches": 1000}
    report.write_text(json.dumps({"totals": totals}))
    command = [sys.executable, str(ROOT / "tools/ratchet.py"), str(report), str(figures), *more]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_what_fell_is_named(figures: Path) -> None:
    done = ratchet(figures, 920, 798, "--raise")
    assert done.returncode == 1
    assert done.stderr == "fell: branches\n"
    assert json.loads(figures.read_text()) == {"lines": 90.0, "branches": 80.0}


def test_a_line_less_that_was_covered_is_no_fall(figures: Path) -> None:
    assert ratchet(figures, 899, 800).returncode == 0


def test_what_rose_is_written_down_when_asked(figures: Path) -> None:
    done = ratchet(figures, 915, 800)
    assert (done.returncode, json.loads(figures.read_text())["lines"]) == (0, 90.0)
    assert "--raise" in done.stdout
    assert ratchet(figures, 915, 799, "--raise").returncode == 0
    assert json.loads(figures.read_text()) == {"lines": 91.5, "branches": 80.0}


def test_the_figures_of_the_engine_are_there() -> None:
    reached = json.loads((ROOT / "tools/coverage.json").read_text())
    assert reached.keys() == {"lines", "branches"}
    assert all(80 < figure <= 100 for figure in reached.values())
