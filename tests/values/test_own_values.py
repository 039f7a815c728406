"""Values that the files of other programs hold: compared as they are, from the command line."""

from __future__ import annotations

import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opdiff.cli import main
from opdiff.readers import open_trace
from opdiff.readers.trace_values import read_values

DUMPS = Path(__file__).parent / "data"
FORMATS = Path(__file__).parents[1] / "formats" / "data"


def report(capsys: Any, left: Path, right: Path, *options: str) -> tuple[int, dict[str, Any]]:
    status = main(["compare", str(left), str(right), "--format", "json", *options])
    return status, json.loads(capsys.readouterr().out)


def first(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["summary"]["values"]["first"]
    return found


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path]:
    """Two real dumps of MindSpore, each beside its trace."""
    folders = (tmp_path / "base", tmp_path / "eps")
    for folder in folders:
        folder.mkdir()
        source = DUMPS / f"dump_{folder.name}"
        (folder / "tracker_graph.ir").write_bytes((source / "tracker_graph.ir").read_bytes())
        with tarfile.open(source / "npy.tar.gz") as archive:
            archive.extractall(folder / "dump", filter="data")
    return folders


def test_a_dump_beside_the_trace_names_the_constant(dumps: Any, capsys: Any) -> None:
    status, document = report(capsys, *dumps)
    assert status == 1
    [cause] = [r for r in document["divergences"] if r.get("value", {}).get("cause") == "external"]
    assert cause["left_lines"] == [first(document)["left_line"]] == [82]
    value = cause["value"]
    assert value["estimate"] == "tensor"
    assert value["figures"]["cosine"] == pytest.approx(1.0)
    assert value["figures"]["max_abs"] == pytest.approx(0.00999)
    assert value["figures"]["within_5e-3"] == 0.0
    assert (value["left"]["max"], value["right"]["max"]) == pytest.approx((1e-5, 1e-2))
    assert report(capsys, *dumps, "--no-values")[0] == 0


def test_a_dump_is_a_trace_of_its_own(dumps: Any, capsys: Any) -> None:
    status, document = report(capsys, dumps[0] / "dump", dumps[1] / "dump")
    assert status == 1
    assert document["left"]["format"] == "mindspore-dump"
    assert first(document)["cause"] == "compute"
    assert "Add" in first(document)["title"]


def statistics(folder: Path, constant: float) -> Path:
    """What Ascend writes of a chain of three ops."""
    folder.mkdir()
    trace = "".join(
        f"(%{row + 2}) = Default/Op{row}-op{row}(%{row + 1}), task_info: {row}, attrs {{}} \n"
        f"    (Float32:[4]) <- (Float32:[4])\n    # \n"
        for row in range(3)
    )
    (folder / "tracker_graph.ir").write_text(trace, encoding="utf-8")
    header = (
        "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,"
        "Max Value,Min Value,Avg Value,L2Norm Value\n"
    )
    rows, held = "", 1.0
    for row in range(3):
        after = held + (constant if row == 1 else 1.0)
        for io, number in (("input", held), ("output", after)):
            rows += (
                f'Op{row},Default_Op{row}-op{row},0,0,{row},{io},0,16,float32,"(4,)",'
                f"{number},{number / 2},{number / 1.5},{number * 1.5}\n"
            )
        held = after
    (folder / "statistic.csv").write_text(header + rows, encoding="utf-8")
    return folder


def test_statistics_of_ascend(tmp_path: Path, capsys: Any) -> None:
    left, right = statistics(tmp_path / "left", 1.0), statistics(tmp_path / "right", 1.5)
    status, document = report(capsys, left, right)
    assert status == 1
    assert first(document) | {"title": ""} == {
        "left_line": 4,
        "right_line": 4,
        "cause": "compute",
        "title": "",
    }
    [value] = [r["value"] for r in document["divergences"] if r["value"]["cause"] == "compute"]
    assert value["estimate"] == "stats"


def call(eps: float, *, value: float, name: str = "") -> dict[str, Any]:
    """An entry of msprobe's dump."""

    def tensor(number: float, data_name: str = "") -> dict[str, Any]:
        told = {
            "type": "torch.Tensor",
            "dtype": "torch.float32",
            "shape": [4],
            "Max": number,
            "Min": -number,
            "Mean": number / 3,
            "Norm": number * 2,
        }
        return told | ({"data_name": data_name} if data_name else {})

    return {
        "input_args": [tensor(value), {"type": "float", "value": eps}],
        "input_kwargs": {},
        "output": [tensor(value + eps, name)],
    }


def msprobe(folder: Path, eps: float, *, tensors: bool = False) -> Path:
    """A dump of two calls; with the tensors it wrote, kept in its tensor mode."""
    folder.mkdir(parents=True)
    names = [f"Torch.op{n}.0.forward.output.0.npy" if tensors else "" for n in range(2)]
    data = {
        "Torch.op0.0.forward": call(0.5, value=1.0, name=names[0]),
        "Torch.op1.0.forward": call(eps, value=1.5, name=names[1]),
    }
    dump = {"task": "tensor", "level": "L1", "dump_data_dir": None, "data": data}
    (folder / "dump.json").write_text(json.dumps(dump), encoding="utf-8")
    if tensors:
        kept = folder / "dump_tensor_data"
        kept.mkdir()
        for name, number in zip(names, (1.5, 1.5 + eps), strict=True):
            np.save(kept / name, np.array([number, -number, number / 3, 0.1], np.float32))
    return folder


@pytest.mark.parametrize("tensors", [False, True])
def test_msprobe_names_the_scalar(tmp_path: Path, capsys: Any, tensors: bool) -> None:
    left = msprobe(tmp_path / "a", 0.25, tensors=tensors)
    right = msprobe(tmp_path / "b", 0.75, tensors=tensors)
    status, document = report(capsys, left, right)
    assert status == 1
    assert first(document)["cause"] == "compute"
    kinds = [group["kind"] for group in document["groups"]]
    assert kinds == ["attrs", "value"]
    value = document["divergences"][1]["value"]
    assert value["estimate"] == ("tensor" if tensors else "stats")
    assert ("figures" in value) == tensors


@pytest.mark.parametrize(
    ("mistake", "kind", "title"),
    [
        ("scalar", "attrs", "Torch::mul: other args"),
        ("no_mask", "only-left", "Tensor::masked_fill only on the left"),
        ("dropout", "only-right", "Functional::dropout only on the right"),
    ],
)
def test_real_dumps_of_msprobe_name_what_is_wrong(
    mistake: str, kind: str, title: str, capsys: Any
) -> None:
    """Three layers of attention with a mask of -1e9; the second one is wrong."""
    folder = FORMATS / "msprobe"
    status, document = report(capsys, folder / "mask_base", folder / f"mask_{mistake}")
    assert status == 1
    group = document["groups"][0]
    assert (group["kind"], group["title"]) == (kind, title)
    assert document["summary"]["values"]["differ"] > 60
    # The mistake, and where it is one in the backward, too: no softmax behind a mask.
    named = [one["title"] for one in document["groups"] if one["kind"] == "value"]
    assert not any("softmax: inputs agree" in one for one in named)


def test_msprobe_keeps_files_of_pytorch(tmp_path: Path) -> None:
    folder = msprobe(tmp_path / "a", 0.25, tensors=True)
    text = (folder / "dump.json").read_text(encoding="utf-8")
    (folder / "dump.json").write_text(text.replace(".0.npy", ".0.pt"), encoding="utf-8")
    saved = Path(__file__).parent / "data" / "torch"
    kept = folder / "dump_tensor_data"
    shutil.copy(saved / "parameter_part.pt", kept / "Torch.op0.0.forward.output.0.pt")
    shutil.copy(saved / "several.pt", kept / "Torch.op1.0.forward.output.0.pt")
    values = read_values(open_trace(folder))
    assert values is not None
    [(content, _)] = values.kept.items()
    tensor = values.tensor(content)
    assert tensor is not None
    assert tensor.tolist() == [4.0, 5.0, 6.0, 7.0]
    [problem] = values.problems
    assert "never run" in problem.text()


def test_a_data_name_leads_nowhere_else(tmp_path: Path) -> None:
    secret = tmp_path / "secret.npy"
    np.save(secret, np.ones(4, np.float32))
    folder = msprobe(tmp_path / "a", 0.25, tensors=True)
    text = (folder / "dump.json").read_text(encoding="utf-8")
    text = text.replace("Torch.op1.0.forward.output.0.npy", "../../secret.npy")
    (folder / "dump.json").write_text(text, encoding="utf-8")
    values = read_values(open_trace(folder))
    assert values is not None
    assert [Path(kept.path).name for kept in values.kept.values()] == [
        "Torch.op0.0.forward.output.0.npy"
    ]


def test_a_tensor_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    folder = msprobe(tmp_path / "a", 0.25, tensors=True)
    name = "Torch.op1.0.forward.output.0.npy"
    (folder / "dump_tensor_data" / name).write_bytes(b"no tensor")
    values = read_values(open_trace(folder))
    assert values is not None
    [problem] = values.problems
    assert name in problem.text()
    assert values.measure(1, 0, outputs=True) is not None  # the statistics count


def test_hashes_of_debugmode(capsys: Any) -> None:
    samples = (
        sorted((FORMATS / "torch-debugmode").glob("*base*")),
        sorted((FORMATS / "torch-debugmode").glob("*norm_eps*")),
    )
    assert samples[0]
    assert samples[1]
    status, document = report(capsys, samples[0][0], samples[1][0])
    assert status == 1
    assert first(document)["cause"] == "compute"
    assert "aten::add" in first(document)["title"]
    assert document["groups"][0]["kind"] == "attrs"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_real_dump_of_msprobe(capsys: Any, language: str) -> None:
    folder = FORMATS / "msprobe"
    options = ("--lang", language)
    status, document = report(capsys, folder / "A_L1", folder / "B_norm_eps_L1", *options)
    assert status == 1
    top, value, follows = document["groups"][:3]
    assert (top["kind"], top["count"]) == ("attrs", 1)
    assert (value["kind"], follows["kind"]) == ("value", "value")
    # Views are not in such a dump: what comes through them is no weight of its own.
    causes = {r["value"]["cause"] for r in document["divergences"] if "value" in r}
    assert "external" not in causes
