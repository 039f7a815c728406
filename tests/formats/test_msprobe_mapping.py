"""msprobe's mapping files: what they mean for a comparison, and what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from format_files import DATA
from hypothesis import given
from hypothesis import strategies as st

from opdiff.cli import main
from opdiff.compare import Direction, Request, compare
from opdiff.errors import OpdiffError
from opdiff.msprobe.mapping import _fitting, renamed_by_layers, told_by, with_mappings
from opdiff.msprobe.mapping_files import Mappings, read_mappings
from opdiff.msprobe.names import owner_of
from opdiff.readers import open_trace
from opdiff.readers.own_values import values_of
from opdiff.trace import Trace

Entries = dict[str, Any]


def tensor(*shape: int, top: float = 1.0) -> dict[str, Any]:
    statistics = {"Max": top, "Min": -top, "Mean": 0.0, "Norm": top}
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": list(shape), **statistics}


def call(inputs: Sequence[Any], *outputs: Any, **named: Any) -> dict[str, Any]:
    return {"input_args": list(inputs), "input_kwargs": named, "output": list(outputs)}


def written(
    folder: Path, framework: str, data: Entries, parents: Mapping[str, str | None] | None = None
) -> Path:
    folder.mkdir()
    content = {"task": "statistics", "level": "mix", "framework": framework, "data": data}
    (folder / "dump.json").write_text(json.dumps(content, indent=1))
    if parents is not None:
        (folder / "construct.json").write_text(json.dumps(parents))
    return folder


def mapping(folder: Path, **texts: str) -> Mappings:
    paths: dict[str, str | Path | None] = {}
    for kind, text in texts.items():
        paths[kind] = folder / f"{kind}.yaml"
        (folder / f"{kind}.yaml").write_text(text)
    return read_mappings(paths)


def paired(mappings: Mappings, left: Trace, right: Trace) -> list[tuple[str, str]]:
    mapped = with_mappings(Request(), mappings, left, right)
    assert mapped.remarks == ()
    comparison = compare(left, right, mapped.request)
    return [
        (left.op(row).name, right.op(int(partner)).name)
        for row, partner in enumerate(comparison.left.partner.tolist())
        if partner >= 0
    ]


# API mapping

ABS = """
ms_api: Functional.abs
pt_api: Torch.absolute_value
ms_args: [0, 2]
pt_args:
- 1
- 0
ms_outputs: [0]
pt_outputs: [0]
"""


@pytest.fixture
def calls(tmp_path: Path) -> tuple[Path, Path]:
    a, b, c = tensor(2), tensor(3), tensor(4)
    left = {"Functional.abs.0.forward": call([a, b, c], tensor(5), eps=tensor(9))}
    right = {"Torch.absolute_value.0.forward": call([c, a], tensor(5))}
    return (
        written(tmp_path / "ms", "mindspore", left),
        written(tmp_path / "pt", "pytorch", right),
    )


def test_calls_that_correspond_argument_by_argument(
    calls: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "api.yaml").write_text(ABS)
    paths = [*map(str, calls)]
    assert main(["compare", *paths]) == 1
    assert main(["compare", *paths, "--api-mapping", str(tmp_path / "api.yaml")]) == 0
    assert main(["compare", *paths[::-1], "--api-mapping", str(tmp_path / "api.yaml")]) == 0
    capsys.readouterr()


def test_values_follow_the_arguments(calls: tuple[Path, Path], tmp_path: Path) -> None:
    told = told_by(mapping(tmp_path, api=ABS))
    left, right = (open_trace(path, told=told) for path in calls)
    assert [str(o.spec) for o in left.op(0).inputs] == ["Float32:[2]", "Float32:[4]"]
    assert left.op(0).attrs == right.op(0).attrs
    counts = [[row.measure.count for row in values_of(trace)] for trace in (left, right)]
    assert counts == [[2, 4, 5], [2, 4, 5]]


def test_arguments_by_name_and_places_that_are_not_there(tmp_path: Path) -> None:
    text = "- {ms_api: F.x, pt_api: T.x, ms_args: [eps, 7], pt_args: [0, 1]}"
    told = told_by(mapping(tmp_path, api=text))
    data = {"F.x.0.forward": call([tensor(2)], tensor(5), eps=tensor(9))}
    trace = open_trace(written(tmp_path / "ms", "mindspore", data), told=told)
    assert [str(o.spec) for o in trace.op(0).inputs] == ["Float32:[9]"]


def test_several_calls_and_backward(tmp_path: Path) -> None:
    text = "- {ms_api: Functional.a, pt_api: Torch.b}\n- {ms_api: Mint.c, pt_api: Tensor.d}\n"
    mapped = with_mappings(Request(), mapping(tmp_path, api=text), *real_pair())
    assert ("Functional::a", "Torch::b") in mapped.request.rules.same
    assert ("Mint::c_backward", "Tensor::d_backward") in mapped.request.rules.same
    (remark,) = mapped.remarks
    assert "2 of 2" in str(remark)
    assert "Functional.a" in str(remark)


def real_pair() -> tuple[Trace, Trace]:
    left, right = (open_trace(DATA / "msprobe" / name) for name in ("A_L1", "B_norm_eps_L1"))
    return left, right


# Cell and data mapping


def cells(tmp_path: Path) -> tuple[Path, Path]:
    def module(name: str, size: int) -> Entries:
        forward = call([tensor(2, top=size)], tensor(2, top=size + 1))
        return {f"{name}.forward.0": forward, f"{name}.parameters_grad.0": {"w": [tensor(size)]}}

    left = {**module("Cell.fc2.Dense", 3), **module("Cell.net.conv1.Conv2d", 5)}
    right = {**module("Module.fc2.Linear", 3), **module("Module.net.conv3.Conv2d", 5)}
    return (
        written(tmp_path / "ms", "mindspore", left),
        written(tmp_path / "pt", "pytorch", right),
    )


def test_cells_by_path_and_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = cells(tmp_path)
    mappings = mapping(tmp_path, cell="fc2.Dense: fc2.Linear\nconv1.Conv2d: conv3.Conv2d\n")
    left, right = map(open_trace, paths)
    assert paired(mappings, left, right) == [
        ("fc2/Dense-op0", "fc2/Linear-op0"),
        ("fc2/Dense_parameters_grad-op0", "fc2/Linear_parameters_grad-op0"),
        ("net.conv1/Conv2d-op0", "net.conv3/Conv2d-op0"),
        ("net.conv1/Conv2d_parameters_grad-op0", "net.conv3/Conv2d_parameters_grad-op0"),
    ]
    words = ["compare", *map(str, paths)]
    assert main(words) == 1
    assert main([*words, "--cell-mapping", str(tmp_path / "cell.yaml")]) == 0
    capsys.readouterr()


def test_single_operands(tmp_path: Path) -> None:
    text = """
# A call, a module, gradients of a module's parameters
Cell.fc2.Dense.forward.0.input.0: Module.fc2.Linear.forward.0.input.0
Cell.net.conv1.Conv2d.parameters_grad.w: Module.net.conv3.Conv2d.parameters_grad.w
"""
    left, right = map(open_trace, cells(tmp_path))
    mapped = with_mappings(Request(), mapping(tmp_path, data=text), left, right)
    assert mapped.remarks == ()
    assert mapped.request.pins == ((0, 0), (3, 3))
    assert ("Dense", "Linear") in mapped.request.rules.same


@pytest.mark.parametrize(
    ("operand", "path", "kind", "rest"),
    [
        ("Functional.x.4.forward.input.0", "", "Functional::x", "input.0"),
        ("Functional.x.4.backward", "", "Functional::x_backward", ""),
        ("Module.a.output.b.Linear.forward.0.output.1.y", "a.output.b", "Linear", "output.1.y"),
        ("Cell.relu.ReLU.parameters_grad.weight", "relu", "ReLU_parameters_grad", "weight"),
        ("Cell.relu.ReLU.parameters_grad.2.weight", "relu", "ReLU_parameters_grad", "weight"),
    ],
)  # fmt: skip
def test_what_an_operand_belongs_to(operand: str, path: str, kind: str, rest: str) -> None:
    name, found = owner_of(operand)
    assert name is not None
    assert (name.path, name.type, found) == (path, kind, rest)


# Layer mapping

LAYERS = """
ParallelAttention:
  qkv_proj: query_key_value(Linear)
  deep.out_proj: dense
Cell:
  network: module
Nothing:
"""


def test_names_of_layers(tmp_path: Path) -> None:
    def entries(kind: str, *paths: str) -> tuple[Entries, dict[str, str | None]]:
        data: Entries = {}
        parents: dict[str, str | None] = {}
        for place, path in enumerate(paths):
            name = (
                f"Mint.matmul.{place}.forward"
                if kind == "Cell"
                else f"Torch.matmul.{place}.forward"
            )
            data[name] = call([tensor(4, top=place + 1)], tensor(4, top=place + 2))
            parents[name] = f"{kind}.{path}.Linear.forward.0"
            up = path.rpartition(".")[0].removesuffix(".deep")
            parents[parents[name] or ""] = f"{kind}.{up}.ParallelAttention.forward.0"
        return data, parents

    left = entries("Cell", "network.attn.qkv_proj", "network.attn.deep.out_proj")
    right = entries("Module", "module.attn.query_key_value", "module.attn.dense")
    traces = [
        open_trace(written(tmp_path / name, framework, *side))
        for name, framework, side in (("ms", "mindspore", left), ("pt", "pytorch", right))
    ]
    mappings = mapping(tmp_path, layer=LAYERS)
    mapped = with_mappings(Request(), mappings, *traces)
    assert mapped.remarks == ()
    assert mapped.request.pins == ((0, 0), (1, 1))
    turned = with_mappings(Request(), mappings, *traces[::-1])
    assert turned.request.pins == ((0, 0), (1, 1)), "whichever is left"


def test_a_layer_is_renamed_only_within_its_class() -> None:
    used: set[tuple[str, str]] = set()
    layers = {"A": {"x": "y", "x.long": "short"}, "TopLayer": {"net": "model"}}
    renamed = renamed_by_layers(layers, {"net": "A", "net.b": "B"}, used)
    assert renamed("net.x.z") == "model.y.z"
    assert renamed("net.x.long.z") == "model.short.z"
    assert renamed("net.b.x") == "model.b.x"
    assert renamed("") == ""
    assert renamed("xnet.x") == "xnet.x"
    assert used == {("A", "x"), ("A", "x.long"), ("TopLayer", "net")}


# Pins that can be kept together


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12))
def test_pins_that_are_kept_ascend(pairs: list[tuple[int, int]]) -> None:
    request = Request(Direction.UP, 6, 5, pins=((2, 2),))
    chosen, dropped = _fitting(pairs, request)
    ours = sorted({*chosen, (2, 2), (6, 5)})
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(ours))
    assert all(pair in pairs and pair[0] <= 6 and pair[1] <= 5 for pair in chosen)
    assert dropped >= 0


def test_the_longest_run_is_kept() -> None:
    pairs = [(0, 5), (1, 1), (2, 2), (3, 9), (4, 3)]
    assert _fitting(pairs, Request()) == ([(1, 1), (2, 2), (4, 3)], 2)
    assert _fitting([], Request()) == ([], 0)


# What is wrong with a file


@pytest.mark.parametrize(
    ("kind", "text", "line", "words"),
    [
        ("api", "- ms_api: a\n", 1, "no pt_api"),
        ("api", "ms_api: a.b\npt_api: c.d\nms_args: [0]\npt_args: [0, 1]\n", 4, "equally many"),
        ("api", "ms_api: a.b\npt_api: c.d\nms_args: [0, 0]\npt_args: [0, 1]\n", 3, "second time"),
        ("api", "ms_api: a.b\npt_api: c.d\nms_args: [-1]\npt_args: [0]\n", 3, "places"),
        ("api", "ms_api: a.b\npt_api: c.d\nms_args: 0\n", 3, "places"),
        ("api", "ms_api: a.b\npt_api: c.d\nother: 0\n", 3, "unknown key other"),
        ("api", "just text\n", 1, "the text “just text”"),
        ("cell", "fc: [a]\n", 1, "a list"),
        ("cell", "fc: a\nfc: b\n", 2, "second time"),
        ("cell", "- fc\n", 1, "a list"),
        ("data", "a: {b: c}\n", 1, "a mapping"),
        ("data", "a:\n", 1, "nothing"),
        ("layer", "A: b\n", 1, "the text “b”"),
        ("layer", "A:\n  b: [c]\n", 2, "a list"),
        ("layer", "A: {b: c\n", 2, "not YAML"),
    ],
)
def test_mistakes_name_the_file_and_the_line(
    kind: str, text: str, line: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(OpdiffError, match=words) as caught:
        mapping(tmp_path, **{kind: text})
    assert caught.value.line == line
    path = str(tmp_path / f"{kind}.yaml")
    sample = str(DATA / "msprobe" / "A_L1")
    assert main(["compare", sample, sample, f"--{kind}-mapping", path]) == 2
    assert f"{kind}.yaml:{line}: " in capsys.readouterr().err


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(OpdiffError):
            read_mappings({"api": path})
    (tmp_path / "odd.yaml").write_bytes(b"a: \xff\n")
    with pytest.raises(OpdiffError, match="UTF-8"):
        read_mappings({"cell": tmp_path / "odd.yaml"})


@pytest.mark.parametrize("kind", ["api", "cell", "data", "layer"])
def test_an_empty_file_says_nothing(kind: str, tmp_path: Path) -> None:
    mappings = mapping(tmp_path, **{kind: "# nothing yet\n"})
    assert with_mappings(Request(), mappings, *real_pair()).request == Request()


def test_a_mapping_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cell.yaml"
    path.write_text("a.B: c.D\n")
    sample = str(DATA / "msprobe" / "A_L1")
    words = ["compare", sample, sample, "--cell-mapping", str(path), "-o", str(path)]
    assert main(words) == 2
    assert path.read_text() == "a.B: c.D\n"
    capsys.readouterr()
