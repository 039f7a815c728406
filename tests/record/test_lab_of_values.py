"""The experiment with mistakes, on one of each sort: recorded by PyTorch, named first by values."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

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
        assert clean.causes == [], variant
        ranks = {name: result.rank for name, result in found.items()}
        assert ranks == dict.fromkeys(CHOSEN, 1), (variant, found)
