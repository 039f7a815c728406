"""The experiment with mistakes, on one of each sort: recorded by PyTorch, named first by values."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from lab.values import score
from lab.values.mistakes import BY_SORT, TAMPERINGS, lines_of
from lab.values.score import scores

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-torch" / "bin" / "python"
CHOSEN = ("norm_eps", "value_of_key", "no_mask", "merge_bias", "gelu_scaled")


def test_there_are_enough_mistakes_of_all_sorts() -> None:
    assert set(BY_SORT) == {"scalar", "wiring", "missing", "weight", "kernel"}
    assert sum(map(len, BY_SORT.values())) >= 30
    assert all(len(names) >= 5 for names in BY_SORT.values())
    for name in (name for names in BY_SORT.values() for name in names):
        assert bool(lines_of(name)) != (name in TAMPERINGS)


def test_no_figure_of_values_got_worse() -> None:
    now = {variant: score.figures_of(score.CASES / variant) for variant in score.KEPT}
    kept = json.loads(score.FIGURES.read_text(encoding="utf-8"))
    assert score.worse(kept, now) == [], "make accuracy shows all figures"
    for variant in ("noise", "compiled"):
        assert now[variant]["rank 1"] >= 0.9 * now[variant]["cases"]
    assert {figures["causes where nothing is wrong"] for figures in now.values()} == {0}


def test_a_figure_that_got_worse_is_told() -> None:
    kept = {"noise": {"cases": 10, "rank 1": 10, "absent": 0}}
    assert score.worse(kept, {"noise": {"cases": 10, "rank 1": 10, "absent": 0}}) == []
    assert score.worse(kept, {"noise": {"cases": 10, "rank 1": 9, "absent": 1}}) == [
        "noise: rank 1 10 → 9",
        "noise: absent 0 → 1",
    ]
    assert score.worse(kept, {"noise": {"cases": 12, "rank 1": 12, "absent": 0}}) == [
        "noise: cases 10 → 12"
    ]


def test_the_runs_that_are_kept_tell_nothing_of_a_machine() -> None:
    files = sorted(score.CASES.rglob("*.ir.gz"))
    assert len(files) >= 30
    for path in files:
        text = gzip.decompress(path.read_bytes()).decode()
        named = set(re.findall(r"File:([^;|]*)", text))
        assert all(re.match(r"/lab/|/env/|<", file) for file in named), path
    assert sum(path.stat().st_size for path in score.CASES.rglob("*.gz")) < 6_000_000


@pytest.mark.torch
@pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-torch: make real makes it")
def test_one_mistake_of_each_sort_is_named_first(tmp_path: Path) -> None:
    only = [word for name in CHOSEN for word in ("--only", name)]
    variants = ("exact", "noise", "compiled")
    chosen = [word for variant in variants for word in ("--variant", variant)]
    done = subprocess.run(
        [str(PYTHON), str(ROOT / "lab/values/make.py"), str(tmp_path), *only, *chosen],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for variant in variants:
        clean, found = scores(tmp_path / variant)
        assert (clean.causes, clean.listed) == (0, []), variant
        ranks = {name: result.rank for name, result in found.items()}
        assert ranks == dict.fromkeys(CHOSEN, 1), (variant, found)
