"""TorchAir's dumps as values of its graphs: FX against GE."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ge_file_text import ge_file

from opdiff.cli import main
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.trace_values import read_values

NODES = ("mul", "add", "tanh")
TARGETS = {"mul": "aten.mul.Tensor", "add": "aten.add.Tensor", "tanh": "aten.tanh.default"}


def graph(folder: Path) -> Path:
    """A chain of three ops, as TorchAir prints it."""
    text = 'name: "graph_1"\nop {\n  name: "arg0_1"\n  type: "Data"\n  output_desc {\n  }\n}\n'
    before = "arg0_1"
    for place, node in enumerate(NODES):
        text += (
            f'op {{\n  name: "{node.title()}_{place}"\n  type: "{node.title()}"\n'
            f'  input: "{before}:0"\n  input_desc {{\n  }}\n  output_desc {{\n'
            f'    attr {{\n      key: "_fx_tensor_name"\n      value {{\n'
            f'        s: "{node}-{TARGETS[node]}.OUTPUT.0"\n      }}\n    }}\n'
            '    attr {\n      key: "_meta"\n      value {\n'
            '        s: "Tensor(dtype=torch.float32, shape=torch.Size([4]))"\n      }\n    }\n'
            "  }\n}\n"
        )
        before = f"{node.title()}_{place}"
    path = folder / "dynamo_optimized_graph_1.txt"
    path.write_text(text, encoding="utf-8")
    return path


def held(wrong: float) -> list[np.ndarray]:
    x = np.array([0.1, 0.2, -0.3, 0.4], np.float32)
    return [x * 2, x * 2 + wrong, np.tanh(x * 2 + wrong)]


def fx_dump(folder: Path, token: str = "1") -> Path:
    place = folder / "msit_fx_dump" / "worldsize1_global_rank0" / "graph_1" / token
    place.mkdir(parents=True)
    for node, array in zip(NODES, held(1.0), strict=True):
        for io in ("INPUT", "OUTPUT"):
            np.save(place / f"{node}-{TARGETS[node]}.{io}.0.20240125031118787351.npy", array)
    return folder / "msit_fx_dump"


def ge_dump(folder: Path, wrong: float) -> Path:
    place = folder / "converted" / "1"
    place.mkdir(parents=True)
    for number, (node, array) in enumerate(zip(NODES, held(wrong), strict=True)):
        name = f"{node.title()}.{node.title()}_{number}.3.1.17061522787873{number}.output.0.npy"
        np.save(place / name, array)
    return folder / "converted"


def raw_dump(folder: Path, wrong: float, *, end: str = "") -> Path:
    """The same in GE's own files, inputs included."""
    place = folder / f"msit_ge_dump{wrong}" / "20240125" / "0" / "graph_1" / "1" / "1"
    place.mkdir(parents=True)
    arrays = held(wrong)
    for number, (node, array) in enumerate(zip(NODES, arrays, strict=True)):
        name = f"{node.title()}.{node.title()}_{number}.3.1.17061522787873{number}{end}"
        (place / name).write_bytes(ge_file([arrays[number - 1]] if number else [], [array]))
    return folder / f"msit_ge_dump{wrong}"


def compared(capsys: Any, trace: Path, left: Path, right: Path) -> tuple[int, dict[str, Any]]:
    options = ("--left-values", str(left), "--right-values", str(right), "--format", "json")
    status = main(["compare", str(trace), str(trace), *options])
    return status, json.loads(capsys.readouterr().out)


def test_fx_against_ge(tmp_path: Path, capsys: Any) -> None:
    trace = graph(tmp_path)
    status, document = compared(capsys, trace, fx_dump(tmp_path), ge_dump(tmp_path, 1.5))
    assert status == 1
    first = document["summary"]["values"]["first"]
    assert "Add" in first["title"]
    value = next(r["value"] for r in document["divergences"] if r["value"]["cause"] == "compute")
    assert value["estimate"] == "tensor"
    assert value["figures"]["max_abs"] == pytest.approx(0.5)


@pytest.mark.parametrize("end", ["", ".bin", ".2.0.0.0"])
def test_fx_against_files_of_ge(end: str, tmp_path: Path, capsys: Any) -> None:
    trace = graph(tmp_path)
    raw = raw_dump(tmp_path, 1.5, end=end)
    status, document = compared(capsys, trace, fx_dump(tmp_path), raw)
    assert status == 1
    assert "Add" in document["summary"]["values"]["first"]["title"]
    value = next(r["value"] for r in document["divergences"] if r["value"]["cause"] == "compute")
    assert value["figures"]["max_abs"] == pytest.approx(0.5)


def test_with_fusion_against_without(tmp_path: Path, capsys: Any) -> None:
    trace = graph(tmp_path)
    status, document = compared(capsys, trace, raw_dump(tmp_path, 1.0), ge_dump(tmp_path, 1.0))
    assert status == 0
    assert document["summary"]["values"]["compared"] == 3


def test_where_both_agree(tmp_path: Path, capsys: Any) -> None:
    trace = graph(tmp_path)
    status, document = compared(capsys, trace, fx_dump(tmp_path), ge_dump(tmp_path, 1.0))
    assert status == 0
    assert document["summary"]["values"]["compared"] == 3


def test_tokens_are_chosen_and_told(tmp_path: Path) -> None:
    trace = open_trace(graph(tmp_path))
    fx_dump(tmp_path, "2")
    values = read_values(trace, fx_dump(tmp_path, "1"))
    assert values is not None
    assert any("of several tokens (1, 2) the values of 1" in str(note) for note in values.notes)


def test_older_versions_count_tokens_one_too_high(tmp_path: Path) -> None:
    trace = open_trace(graph(tmp_path))
    new = fx_dump(tmp_path) / "worldsize1_global_rank0" / "graph_1" / "1"
    old = tmp_path / "data_dump" / "3" / "gm_20240125_dump"
    old.parent.mkdir(parents=True)
    new.rename(old)
    values = read_values(trace, tmp_path / "data_dump")
    assert values is not None
    assert any("folder 3 is token 2" in str(note) for note in values.notes)


def test_very_many_damaged_files_are_counted(tmp_path: Path) -> None:
    trace = open_trace(graph(tmp_path))
    dump = ge_dump(tmp_path, 1.0)
    for number in range(130):
        (dump / "1" / f"Add.Add_1.3.1.9{number:03}.output.0.npy").write_bytes(b"no array")
    values = read_values(trace, dump)
    assert values is not None
    assert len(values.problems) == 101
    assert "30 more" in values.problems[-1].text()


def test_what_cannot_be_used_is_refused_with_the_reason(tmp_path: Path) -> None:
    trace = open_trace(graph(tmp_path))
    raw = tmp_path / "msit_ge_dump" / "1"
    raw.mkdir(parents=True)
    (raw / "Add.Add_1.3.1.1706152278787351").write_bytes(b"\0" * 16)
    with pytest.raises(OpdiffError, match="msaccucmp"):
        read_values(trace, tmp_path / "msit_ge_dump")
    (tmp_path / "empty").mkdir()
    with pytest.raises(OpdiffError, match="no tensor of TorchAir"):
        read_values(trace, tmp_path / "empty")
    other = tmp_path / "other"
    other.mkdir()
    np.save(other / "sub-aten.sub.Tensor.OUTPUT.0.20240125031118787351.npy", np.ones(4))
    with pytest.raises(OpdiffError, match="belongs to the graph"):
        read_values(trace, other)


def test_a_damaged_array_is_told(tmp_path: Path) -> None:
    trace = open_trace(graph(tmp_path))
    folder = fx_dump(tmp_path)
    path = next(folder.rglob("add-*OUTPUT*"))
    path.write_bytes(b"no array")
    values = read_values(trace, folder)
    assert values is not None
    [problem] = values.problems
    assert problem.path == str(path)
