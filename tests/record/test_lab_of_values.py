"""The experiment with mistakes, on one of each sort: recorded by PyTorch, named first by values."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from lab.values import keep, score
from lab.values.mistakes import BY_SORT, NETWORKS, TAMPERINGS, lines_of, places_of
from lab.values.score import scores
from opdiff.compare import Request, compare
from opdiff.report.listing import Listing
from opdiff.report.options import ReportOptions
from opdiff.report.verdict import verdict_of
from opdiff.values.question import Held

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-torch" / "bin" / "python"
CHOSEN = {
    "attention": ("norm_eps", "value_of_key", "no_mask", "merge_bias", "mm_scaled"),
    "scan": ("softplus_beta", "no_gate", "state_row"),
    "graph": ("clip_norm", "swap_ends", "index_add_lost"),
    "denoiser": ("swap_scale", "detach_weights"),
    "experts": ("room", "no_divide"),
    "translate": ("momentum", "no_zero_grad"),
    "windows": ("table_turned", "detach_gate", "average_share"),
}
EAGER = ("denoiser", "translate")
"""Compiled, a view is paired crosswise, and a batch norm updates its statistics by ops of its own:
something is left to suspect where nothing is wrong."""


@pytest.mark.parametrize("network", NETWORKS)
def test_there_are_enough_mistakes_of_all_sorts(network: str) -> None:
    by_sort = BY_SORT[network]
    assert set(by_sort) == {"scalar", "wiring", "missing", "weight", "kernel"}
    assert sum(map(len, by_sort.values())) >= 40
    assert all(len(names) >= 5 for names in by_sort.values())
    assert len(lines_of(network, "elsewhere")) == 2, "all layers but the wrong one"
    for name in (name for names in by_sort.values() for name in names):
        assert bool(places_of(network, name)["lines"]) != (name in TAMPERINGS[network])


@pytest.mark.parametrize(
    ("network", "variant"),
    [(network, variant) for network, variants in keep.MISTAKES.items() for variant in variants],
)
def test_no_figure_of_values_got_worse(network: str, variant: str) -> None:
    with score.kept(network) as folder:
        figures = score.figures_of(folder / variant)
    kept = json.loads(score.FIGURES.read_text(encoding="utf-8"))
    now = {f"{network}, {variant}": figures}
    assert score.worse(kept, now) == [], "make accuracy shows all figures"
    if variant != "bfloat16":
        assert figures["rank 1"] >= 0.9 * figures["cases"]
    assert figures["causes where nothing is wrong"] == 0


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


@pytest.mark.parametrize("network", NETWORKS)
def test_the_runs_that_are_kept_tell_nothing_of_a_machine(network: str) -> None:
    with score.kept(network) as folder:
        files = sorted(folder.rglob("*.ir"))
        assert len(files) >= 6
        for path in files:
            text = path.read_text(encoding="utf-8")
            named = set(re.findall(r"File:([^;|]*)", text))
            assert all(re.match(r"/lab/|/env/|<", file) for file in named), path
            assert f"/lab/values/networks/{network}.py" in named, path
    assert (score.CASES / f"{network}.tar.xz").stat().st_size < 3_000_000


@pytest.mark.torch
@pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-torch: make real makes it")
@pytest.mark.parametrize("network", NETWORKS)
def test_mistakes_recorded_now_are_named_first(network: str, tmp_path: Path) -> None:
    only = [word for name in CHOSEN[network] for word in ("--only", name)]
    variants = ("exact", "noise", "compiled")[: 2 if network in EAGER else 3]
    chosen = [word for variant in variants for word in ("--variant", variant)]
    script = [str(PYTHON), str(ROOT / "lab/values/make.py"), str(tmp_path), "--network", network]
    done = subprocess.run(
        [*script, *only, *chosen],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for variant in variants:
        clean, found = scores(tmp_path / network / variant)
        assert (clean.causes, clean.listed) == (0, []), variant
        ranks = {name: result.rank for name, result in found.items()}
        assert ranks == dict.fromkeys(CHOSEN[network], 1), (variant, found)


def test_the_verdict_names_what_is_read_first() -> None:
    """Beside a wrong wiring the ops that were paired otherwise, and those behind, are none."""
    with score.kept("scan") as folder:
        left, right = (
            score.run_at(folder / "compiled", name) for name in ("base", "skip_before_conv")
        )
        held = Held(left.values, right.values)
        comparison = compare(left.trace, right.trace, Request(), held=held)
        first = verdict_of(Listing(comparison, ReportOptions())).first
    assert first is not None
    assert first.group == comparison.groups[0].id
