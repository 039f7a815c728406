"""A table of ranks against errors, from sidecars and from msprobe's dumps."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from cluster import Cluster
from opdiff.cli import main
from opdiff.ranks import Question
from opdiff.ranks.job import PairJob
from opdiff.ranks.values_table import ValuesWanted

RUN = Cluster(1, 1, 2, layers=2)


def _with_values(folder: Path, factor: dict[int, float]) -> str:
    """Values for every op of every rank; *factor* makes those of a rank larger from the first
    AllReduce on.
    """
    RUN.write(folder)
    for rank in range(RUN.size):
        lines = [
            "# opdiff-values 1",
            "op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch",
        ]
        scale = 1.0
        for row, op in enumerate(RUN.ops(rank)):
            for side in ("in", "out"):
                if op.name == "AllReduce" and side == "out":
                    scale = factor.get(rank, 1.0)
                numbers = ",".join(str(scale * value) for value in (-1.0, 2.0, 0.5, 8.0))
                lines.append(f"{row},{side},0,{op.size},0,{numbers},,")
        sidecar = folder / f"rank_{rank}" / "tracker_graph.values.csv"
        sidecar.write_text("\n".join(lines) + "\n")
    return str(folder)


def _table(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, Any]]:
    status = main(["ranks", *arguments, "--jobs", "1", "--format", "json"])
    assert status in (0, 1)
    document = json.loads(capsys.readouterr().out)
    return {
        sheet["figure"]: {call["name"]: call["ranks"] for call in sheet["calls"]}
        for sheet in document["values"]
    }


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    return (
        _with_values(tmp_path / "left", {1: 1.5}),
        _with_values(tmp_path / "right", {}),
    )


def test_communication_by_default(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    table = _table(capsys, *runs, "--values-of")
    errors = table["Error"]
    assert set(errors) == {
        f"AllReduce.{n}.{side}.0" for n in range(6) for side in ("input", "output")
    }
    assert errors["AllReduce.0.input.0"] == {"0": 0.0, "1": 0.0}
    assert errors["AllReduce.0.output.0"]["0"] == 0.0
    assert errors["AllReduce.0.output.0"]["1"] > 0.1
    assert table["Max diff"]["AllReduce.0.output.0"]["1"] == pytest.approx(1.0)
    assert table["NormRelativeErr"]["AllReduce.0.output.0"]["1"] == pytest.approx(0.5)


def test_values_count_in_comparing(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ranks", *runs, "--jobs", "1", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert [rank["status"] for rank in document["ranks"]] == ["equal", "differs"]
    assert {group["kind"] for group in document["groups"]} == {"value"}
    assert main(["ranks", *runs, "--jobs", "1", "--no-values"]) == 0
    assert main(["ranks", runs[1], "--jobs", "1"]) == 0
    capsys.readouterr()
    assert main(["ranks", *runs, "--jobs", "1", "--bitwise"]) == 2  # there are no hashes


def test_ops_by_glob(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    table = _table(capsys, *runs, "--values-of", "MatMul", "--values-of", "Ada*")
    assert {name.split(".")[0] for name in table["Error"]} == {"MatMul", "Adam"}


def test_text_shows_the_worst(runs: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ranks", *runs, "--jobs", "1", "--values-of"]) == 1
    said = capsys.readouterr().out
    assert "Error, calls by rank:" in said
    assert re.search(r"AllReduce\.0\.output\.0 +0 +0\.\d+", said)


def test_html_has_a_table_a_figure(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ranks", *runs, "--jobs", "1", "--values-of", "--format", "html"]) == 1
    page = capsys.readouterr().out
    assert "<h2>Error, calls by rank:</h2>" in page
    assert re.search(r"AllReduce\.0\.output\.0</th>\s*<td class=\"number\">0</td>", page)


def test_one_sheet_a_figure(runs: tuple[str, str], tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    out = tmp_path / "values.xlsx"
    arguments = [*runs, "--jobs", "1", "--values-of", "--format", "xlsx", "-o", str(out)]
    assert main(["ranks", *arguments]) == 1
    with zipfile.ZipFile(out) as book:
        names = re.findall(r'<sheet name="([^"]+)"', book.read("xl/workbook.xml").decode())
    assert names[2:4] == ["Error", "Max diff"]


def test_ranks_without_values_are_named(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    (Path(runs[1]) / "rank_1" / "tracker_graph.values.csv").unlink()
    status = main(["ranks", *runs, "--jobs", "1", "--values-of", "--format", "json"])
    document = json.loads(capsys.readouterr().out)
    assert status == 0
    assert [note["ranks"] for note in document["notes"] if note["code"] == "no-values"] == [[1]]
    assert {rank for call in document["values"][0]["calls"] for rank in call["ranks"]} == {"0"}


def test_a_long_table_is_cut_with_a_word(
    runs: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opdiff.ranks.job.MOST_CELLS", 3)
    paths = [str(Path(run) / "rank_0" / "tracker_graph.ir") for run in runs]
    outcome = PairJob(0, *paths, Question(values=ValuesWanted())).run()
    assert outcome.verdict is not None
    assert len(outcome.verdict.values) == 3
    assert outcome.verdict.value_trouble is not None
    assert "12 operands" in outcome.verdict.value_trouble.text()


def _msprobe(folder: Path, norms: list[float]) -> str:
    """A dump a rank, with one number that differs from rank to rank."""
    for rank, norm in enumerate(norms):
        inside = folder / "step0" / f"rank{rank}"
        inside.mkdir(parents=True)
        tensor = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [4]}
        held = {**tensor, "Max": 2.0, "Min": -1.0, "Mean": 0.5, "Norm": norm}
        calls = {
            f"{name}.{number}.forward": {
                "input_args": [held],
                "input_kwargs": {},
                "output": [held],
            }
            for name in ("Functional.linear", "Distributed.all_reduce")
            for number in range(2)
        }
        dump = {"task": "statistics", "level": "L1", "framework": "pytorch", "data": calls}
        (inside / "dump.json").write_text(json.dumps(dump, indent=1))
    return str(folder)


def test_the_configuration_of_merge_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left = _msprobe(tmp_path / "npu", [8.0, 9.0])
    right = _msprobe(tmp_path / "bench", [8.0, 8.0])
    config = tmp_path / "config.yaml"
    config.write_text(
        "api:\n- Distributed.all_reduce\n- Functional.linear.1\n"
        "compare_index:\n- Norm diff\n- Cosine\n- MaxRelativeErr\n"
    )
    status = main(
        ["ranks", left, right, "--jobs", "1", "--values-of", str(config), "--format", "json"]
    )
    said = capsys.readouterr()
    assert status in (0, 1)
    assert "Cosine" in said.err
    document = json.loads(said.out)
    sheets = {sheet["figure"]: sheet["calls"] for sheet in document["values"]}
    assert list(sheets) == ["Norm diff", "MaxRelativeErr"]
    named = {call["name"]: call["ranks"] for call in sheets["Norm diff"]}
    assert set(named) == {
        f"{name}.forward.{side}.0"
        for name in ("Distributed.all_reduce.0", "Distributed.all_reduce.1", "Functional.linear.1")
        for side in ("input", "output")
    }
    assert named["Distributed.all_reduce.0.forward.output.0"] == {"0": 0.0, "1": 1.0}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("api: [x]\nbad: 1\n", "unknown key"),
        ("compare_index: [Norm diff]\n", "api is missing"),
        ("api: x\n", "list"),
        ("- a\n", "mapping"),
        ("api: [", "YAML"),
        ("api: [x]\ncompare_index: [Cosine]\n", "Cosine"),
    ],
)
def test_a_broken_configuration_is_told(
    text: str, word: str, runs: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(text)
    assert main(["ranks", *runs, "--values-of", str(config)]) == 2
    said = capsys.readouterr().err
    assert word in said
    assert "config.yaml" in said


def test_a_sidecar_of_another_trace_is_told(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    sidecar = Path(runs[0]) / "rank_0" / "tracker_graph.values.csv"
    sidecar.write_text("# opdiff-values 1\nop,side,operand,count\n99999,out,0,4\n")
    main(["ranks", *runs, "--jobs", "1", "--values-of"])
    assert "values of rank 0: " in capsys.readouterr().out
