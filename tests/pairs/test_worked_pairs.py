"""Four small pairs worked out by hand: exactly what they say must be reported."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pairs.running import ask, records_of
from tests.pairs.truth import Truth, load_truth, score, truth_text

from opdiff.readers import open_trace

DATA = Path(__file__).parent / "data"
PAIRS = sorted(path.name for path in DATA.iterdir())


@pytest.mark.parametrize("name", PAIRS)
def test_worked_pair_is_reported_exactly(name: str) -> None:
    folder = DATA / name
    truth = load_truth(folder / "truth.json")
    comparison = ask(open_trace(folder / "left.ir"), open_trace(folder / "right.ir"), truth)
    result = score(truth, records_of(comparison))
    assert (result.missed, result.invented) == ([], [])
    assert len(comparison.groups) <= truth.max_groups


@pytest.mark.parametrize("name", PAIRS)
def test_a_truth_survives_being_written(name: str, tmp_path: Path) -> None:
    truth: Truth = load_truth(DATA / name / "truth.json")
    (tmp_path / "truth.json").write_text(truth_text(truth), encoding="utf-8")
    assert load_truth(tmp_path / "truth.json") == truth
