from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from opdiff.capture.jit_matrix import (
    Setting,
    Target,
    chosen_settings,
    compare_results,
    jit_matrix,
    marker_row,
    settings,
    table,
)
from opdiff.compare import Kind
from opdiff.errors import OpdiffError
from opdiff.trace import ColumnsBuilder, Source, Trace

FAKE = Path(__file__).parent / "fake_mindspore_python.py"


@pytest.fixture
def fake_python(tmp_path: Path) -> str:
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{FAKE}" "$@"\n')
    program.chmod(0o755)
    return str(program)


def target(python: str, function: str = "f") -> Target:
    return Target(FAKE, function, python, repeat=3)


def quiet(what: str, setting: Setting, number: int, total: int) -> None:
    """Announce nothing."""


def trace_of(*types: str) -> Trace:
    builder = ColumnsBuilder()
    for name in types:
        builder.add(name)
    return Trace(Source("t.ir", "mindspore-tracker"), *builder.build())


def test_every_capture_mode_and_level_is_tried() -> None:
    assert [setting.name for setting in settings()] == [
        "eager",
        "ast O0",
        "ast O1",
        "bytecode O0",
        "bytecode O1",
        "trace O0",
        "trace O1",
        "ast O0 fullgraph",
        "ast O1 fullgraph",
        "bytecode O0 fullgraph",
        "bytecode O1 fullgraph",
    ]


def test_settings_are_chosen_by_their_names() -> None:
    names = [setting.name for setting in chosen_settings(["trace*", "ast O0"])]
    assert names == ["eager", "ast O0", "trace O0", "trace O1"]
    assert chosen_settings([]) == settings()
    with pytest.raises(OpdiffError, match="no setting matches xyz; there are ast O0"):
        chosen_settings(["xyz"])


def test_the_whole_table(tmp_path: Path, fake_python: str) -> None:
    chosen = chosen_settings(["ast O0", "trace O1", "bytecode O1 fullgraph"])
    announced: list[tuple[str, str]] = []
    outcomes = jit_matrix(
        target(fake_python),
        tmp_path / "out",
        lambda what, setting, *_: announced.append((what, setting.name)),
        chosen,
    )
    names = ["eager", "ast O0", "trace O1", "bytecode O1 fullgraph"]
    assert sorted(name for what, name in announced if what == "ops") == sorted(names)
    assert [name for what, name in announced if what == "times"] == names[:3]
    eager, ast, trace, failed = outcomes
    assert eager.ops == 3
    assert ast.equal
    assert ast.by_kind == {Kind.OP_TYPE: 1}
    assert not trace.equal
    assert trace.difference == 1.5
    assert trace.by_kind == {Kind.ONLY_LEFT: 1, Kind.OP_TYPE: 1}
    assert failed.error == "RuntimeError: graph break at line 7"
    lines = table(outcomes).splitlines()
    assert "WRONG (off by 1.5)" in next(line for line in lines if line.startswith("trace O1"))
    assert lines[-1] == "1 of 2 settings compute something else than eager: trace O1"
    assert "错误（相差 1.5）" in table(outcomes, "zh")
    rows = json.loads((tmp_path / "out" / "matrix.json").read_text())
    assert [row["equal"] for row in rows] == [True, True, False, None]


def test_an_eager_run_that_fails_ends_the_matrix(tmp_path: Path, fake_python: str) -> None:
    with pytest.raises(OpdiffError, match="ValueError: cannot do that"):
        jit_matrix(target(fake_python, "broken"), tmp_path / "out", quiet, settings())


@pytest.mark.parametrize("text", ["script.py", ":f", "script.py:", f"{FAKE}"])
def test_targets_that_are_none(text: str) -> None:
    with pytest.raises(OpdiffError, match="SCRIPT:FUNCTION"):
        Target.parse(text, "python", inputs="example_inputs", repeat=1)


def test_a_script_that_is_not_there() -> None:
    with pytest.raises(OpdiffError, match=r"nowhere\.py: there is no such file"):
        Target.parse("nowhere.py:f", "python", inputs="example_inputs", repeat=1)


def test_results_within_the_tolerance_are_equal() -> None:
    reference = {"0_0": np.array([1.0, np.nan]), "1_0": np.array(3)}
    close = {"0_0": np.array([1.00001, np.nan]), "1_0": np.array(3)}
    assert compare_results(close, reference)[1]
    assert not compare_results({**close, "1_0": np.array(4)}, reference)[1]


def test_results_of_another_shape_are_wrong() -> None:
    difference, equal = compare_results({"0_0": np.ones(3)}, {"0_0": np.ones(2)})
    assert np.isinf(difference)
    assert not equal


def test_the_last_whole_marker_counts() -> None:
    marks = ["Erfinv"] * 3
    assert marker_row(trace_of("Mul", *marks, "Mul", "Erfinv", "Mul")) == 3
    assert marker_row(trace_of("Mul", "Erfinv", "Mul")) is None
    assert marker_row(trace_of("Mul")) is None
