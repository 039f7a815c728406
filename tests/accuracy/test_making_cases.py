"""How recorded runs become cases: what is checked, marked and left out."""

from __future__ import annotations

import json
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from lab.assemble import Network, Run, write_cases
from lab.bugs import Bug, Variant
from lab.records import ROOT, make_neutral, read_records
from lab.running import runs_of
from lab.score import cases_of

GOOD = "embedding mul view addmm mean ones_like".split()


def write_run(folder: Path, name: str, ops: list[str], loss: float, **marks: list[int]) -> None:
    """A run of ops that each read what the one before wrote."""
    lines = [
        f"(%{7 * place + 8}) = aten::{op}(%{7 * place + 1}), task_info: {place}, attrs {{}} \n"
        "    (Float32:[2]) <- (Float32:[2])\n    # File:/lab/a.py;Line:1;Function:f|\n"
        for place, op in enumerate(ops)
    ]
    (folder / f"{name}.ir").write_text("".join(lines), encoding="utf-8")
    facts: dict[str, Any] = {"loss": loss, "weights": 2.0, "ops": len(ops), "compiled": 0}
    facts |= {"loss_op": ops.index("ones_like"), "bwd_op": len(ops)}
    facts["marks"] = {key.replace("_at_", "@"): found for key, found in marks.items()}
    (folder / f"{name}.json").write_text(json.dumps(facts), encoding="utf-8")


def network(folder: Path, *bugs: dict[str, Any], variants: tuple[str, ...] = ()) -> Network:
    file = folder / "net.network.json"
    about = {
        "name": "net",
        "held_out": False,
        "bugs": [{"ways": [], **bug} for bug in bugs],
        "variants": [{"way": way} for way in variants],
    }
    file.write_text(json.dumps(about), encoding="utf-8")
    return Network(folder, file)


def test_a_bug_covers_its_sites() -> None:
    everywhere, here = Bug("no_scale", "missing op"), Bug("no_scale", "missing op", 2)
    alike = Bug("no_scale", "missing op", 2, alike=True)
    assert everywhere.covers("no_scale@1")
    assert here.covers("no_scale@2")
    assert not here.covers("no_scale@1")
    assert not here.covers("no_mask@2")
    assert alike.may_cover("no_scale@1")
    assert not alike.covers("no_scale@1")
    assert not alike.may_cover("no_mask@1")


def test_a_missing_op_is_marked_where_it_ran(tmp_path: Path) -> None:
    write_run(tmp_path, "net-good-eager", GOOD, 1.0, no_mul=[2])
    write_run(tmp_path, "net-no_mul-eager", [op for op in GOOD if op != "mul"], 1.5, no_mul=[])
    [(which, case, _)] = network(tmp_path, {"name": "no_mul", "sort": "missing op"}).cases()
    assert (which, case["name"], case["mode"]) == ("tuned", "net-no_mul", "same")
    assert case["truth"]["left"]["marks"] == [4]
    assert case["truth"]["right"]["marks"] == []
    assert "unseen_from" not in case["truth"]


def test_views_are_marked_only_where_both_sides_run_alike(tmp_path: Path) -> None:
    for way in ("eager", "aot_eager"):
        write_run(tmp_path, f"net-good-{way}", GOOD, 1.0, wired=[3, 4])
        write_run(tmp_path, f"net-wired-{way}", GOOD[1:], 1.5, wired=[2, 3])
    bug = {"name": "wired", "sort": "wiring", "ways": ["aot_eager"], "held_out": True}
    same, compiled = network(tmp_path, bug).cases()
    assert [which for which, *_ in (same, compiled)] == ["held_out", "held_out"]
    assert [case["truth"]["left"]["marks"] for _, case, _ in (same, compiled)] == [[7, 10], [10]]
    assert compiled[1]["name"] == "net-wired-aot_eager"


def test_starts_from_which_nothing_differs_are_told(tmp_path: Path) -> None:
    write_run(tmp_path, "net-good-eager", [*GOOD, "mul_", "add_"], 1.0, no_decay=[7])
    write_run(tmp_path, "net-no_decay-eager", [*GOOD, "add_"], 1.5, no_decay=[])
    for name in ("net-good-eager", "net-no_decay-eager"):
        facts = json.loads((tmp_path / f"{name}.json").read_text())
        (tmp_path / f"{name}.json").write_text(json.dumps({**facts, "bwd_op": len(GOOD)}))
    [(_, case, _)] = network(tmp_path, {"name": "no_decay", "sort": "optimizer"}).cases()
    assert case["truth"]["unseen_from"] == ["backward", "loss"]


def test_a_bug_that_changes_no_number_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, "net-good-eager", GOOD, 1.0, idle=[2])
    write_run(tmp_path, "net-idle-eager", GOOD, 1.000001, idle=[2])
    with pytest.raises(SystemExit, match="net-idle-eager changes no number"):
        list(network(tmp_path, {"name": "idle", "sort": "missing op"}).cases())


def test_a_bug_that_executes_nothing_is_refused(tmp_path: Path) -> None:
    write_run(tmp_path, "net-good-eager", GOOD, 1.0, other=[2])
    write_run(tmp_path, "net-idle-eager", GOOD, 2.0)
    with pytest.raises(SystemExit, match="net-idle-eager: the bug executes nothing"):
        list(network(tmp_path, {"name": "idle", "sort": "missing op"}).cases())


def test_another_way_of_running_must_give_the_same_numbers(tmp_path: Path) -> None:
    write_run(tmp_path, "net-good-eager", GOOD, 1.0)
    write_run(tmp_path, "net-good-foreach", GOOD, 1.000001)
    [(_, case, _)] = network(tmp_path, variants=("foreach",)).cases()
    assert (case["name"], case["mode"], case["equal"]) == ("net-foreach", "equal", True)
    write_run(tmp_path, "net-good-foreach", GOOD, 1.001)
    with pytest.raises(SystemExit, match="net-good-foreach changes numbers"):
        list(network(tmp_path, variants=("foreach",)).cases())


def test_a_type_that_should_tell_a_bug_occurs_nowhere_else(tmp_path: Path) -> None:
    path = tmp_path / "net-good-jit_forward.ir"
    write_run(tmp_path, path.stem, GOOD, 1.0)
    path.write_text(
        "(%1) = Default/Tanh-op0(%2), task_info: 0, attrs {} \n    () <- ()\n    # \n"
        "(%1) = Gradients/Default/Cast-op0(%2), task_info: 0, attrs {} \n    () <- ()\n    # \n"
    )
    run = Run(tmp_path, "net", None, "jit_forward")
    assert (run.has("Tanh"), run.has("Cast"), run.has("Tan"), run.has("")) == (
        True,
        False,
        False,
        False,
    )


def test_equal_traces_are_kept_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(tmp_path, "net-good-eager", GOOD, 1.0)
    write_run(tmp_path, "net-good-rerun", GOOD, 1.0)
    out = tmp_path / "cases"
    (out / "traces").mkdir(parents=True)
    (out / "traces" / "left_over.ir.gz").write_bytes(b"")
    write_cases(network(tmp_path, variants=("rerun",)).cases(), out)
    assert len(list((out / "traces").iterdir())) == 1
    [case] = json.loads((out / "tuned.json").read_text())
    assert case["left"] == case["right"]
    assert json.loads((out / "held_out.json").read_text()) == []
    assert "1 traces" in capsys.readouterr().out


def test_stacks_lose_what_is_of_this_machine(tmp_path: Path) -> None:
    library, path = sysconfig.get_path("purelib"), tmp_path / "run.ir"
    path.write_text(
        "(%1) = aten::add(%2, %3), task_info: 0, attrs {stream_id=0} \n    () <- ()\n"
        f"    # File:{ROOT}/lab/networks/gan.py;Line:3;Function:f|"
        f"File:<eval_with_key>.31 from {library}/torch/x.py:7 in w;Line:1;Function:g|"
        f"File:<eval_with_key>.30;Line:1;Function:g|File:{library}/torch/y.py;Line:2;Function:h|\n"
    )
    [record] = read_records(path)
    assert (record.op, record.outputs, record.inputs) == ("aten::add", ["%1"], ["%2", "%3"])
    make_neutral(path)
    [record] = read_records(path)
    assert [file for file, _ in record.frames()] == [
        "/lab/networks/gan.py",
        "<eval_with_key>.0 from /env/site-packages/torch/x.py:7 in w",
        "<eval_with_key>.1",
        "/env/site-packages/torch/y.py",
    ]


def test_a_network_is_run_well_and_badly_in_every_way_in_use() -> None:
    class Small:
        BUGS = (Bug("a", "missing op", None, ("aot_eager",)), Bug("b", "missing op", 1))
        VARIANTS = (Variant("rerun"),)

    runs = [(bug.key if bug else None, way) for bug, way in runs_of(Small)]  # type: ignore[arg-type]
    good = [(None, way) for way in ("eager", "aot_eager", "rerun")]
    assert runs == [*good, ("a", "eager"), ("a", "aot_eager"), ("b@1", "eager")]


def case_named(name: str) -> dict[str, Any]:
    every = [*cases_of("tuned"), *cases_of("held_out")]
    return next(case for case in every if case["name"] == name)


@pytest.mark.parametrize(
    ("framework", "runs", "name"),
    [
        pytest.param(
            "torch", "gan-relu@1-aot_eager", "gan-relu_at_1-aot_eager", marks=pytest.mark.torch
        ),
        pytest.param(
            "mindspore",
            "ms_recommender-squashed-jit_forward",
            "ms_recommender-squashed-jit_forward",
            marks=pytest.mark.mindspore,
        ),
        pytest.param(
            "mindspore",
            "ms_detector-keepdim@deep-eager",
            "ms_detector-keepdim_at_deep",
            marks=pytest.mark.mindspore,
        ),
    ],
)
def test_recorded_again_a_run_is_what_its_case_says(
    framework: str, runs: str, name: str, tmp_path: Path
) -> None:
    python = ROOT / f".venv-{framework}" / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no .venv-{framework}: make real makes it")
    subprocess.run(
        [str(python), "-m", f"lab.{framework}_runs", str(tmp_path), runs],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"},
        check=True,
    )
    facts = json.loads((tmp_path / f"{runs}.json").read_text())
    truth = case_named(name)["truth"]["right"]
    assert facts["loss"] == pytest.approx(truth["loss"])
    assert [facts[key] for key in ("ops", "loss_op", "bwd_op")] == [
        truth[key] for key in ("ops", "loss_op", "bwd_op")
    ]
    bug = runs.split("-")[1]
    assert [3 * (number - 1) + 1 for number in facts["marks"][bug]] == truth["marks"]
