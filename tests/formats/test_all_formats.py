"""What holds for every format: found by its content alone, whole in any packing, told when cut."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from format_files import DATA, check_survives, content_of, open_content

from opdiff.cli import main
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.formats import formats
from opdiff.trace import Trace

SAMPLES = {
    "mindspore-tracker": "../../../samples/vocab/eager.ir",
    "mindspore-graph-ir": "mindspore-order/graph_build_0_0088.ir",
    "mindspore-execute-order": "mindspore-order/execute_order/execute_order.csv",
    "mindspore-dump": "mindspore-dump/base.tar.gz",
    "msprobe": "msprobe/resnet/dump.json",
    "torch-npu-log": "torch-npu-log/torch_npu_op_plugin_v26.1.log",
    "torchair": "torchair/original.txt",
    "fx": "fx/fx_print_readable_aot.txt",
    "torch-export": "torch-export/rope.base.export.txt",
    "pytorch-et": "pytorch-et/rope.base.et.json.gz",
    "torch-debugmode": "torch-debugmode/gpt2l.base.debug.txt.gz",
    "torch-profiler": "torch-profiler/gpt2l.eager.trace.json.gz",
}
TEXTS = [name for name in SAMPLES if name != "mindspore-dump"]
every = pytest.mark.parametrize("name", SAMPLES)
every_text = pytest.mark.parametrize("name", TEXTS)


def sample(name: str) -> bytes:
    return content_of(DATA / SAMPLES[name])


def facts(trace: Trace) -> list[tuple[object, ...]]:
    return [
        (op.name, dict(op.attrs), op.outputs, op.inputs, op.stack, op.line, op.mode) for op in trace
    ]


@every
def test_info_names_the_format(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(DATA / SAMPLES[name]), "--format", "json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["format"] == name
    assert info["ops"] > 0
    assert info["problems"] == []


@every
def test_the_name_of_the_file_does_not_matter(name: str, tmp_path: Path) -> None:
    for wrong in ("x.json", "x.csv", "x.log"):
        (tmp_path / wrong).write_bytes(sample(name))
        assert open_trace(tmp_path / wrong).source.format == name


@every
def test_only_one_format_claims_a_file(name: str) -> None:
    head = sample(name)[: 1 << 16]
    assert sum(format_.sniff(head) for format_ in formats()) == 1


@every_text
def test_packing_line_ends_and_marks_make_no_difference(name: str) -> None:
    content = sample(name)
    plain = facts(open_content(content))
    assert facts(open_content(gzip.compress(content))) == plain
    assert facts(open_content(b"\xef\xbb\xbf" + content)) == plain
    if b"\r" not in content:
        assert facts(open_content(content.replace(b"\n", b"\r\n"))) == plain


@every_text
@pytest.mark.parametrize("part", [0.3, 0.5, 0.8, 0.97])
def test_a_cut_file_keeps_its_beginning_and_is_told(name: str, part: float) -> None:
    content = sample(name)
    whole = open_content(content)
    cut = content[: int(len(content) * part)]
    cut = cut[: cut.rindex(b"\n") - 5]  # in the middle of a line
    trace = open_content(cut)
    assert trace.source.format == name
    assert 0 < len(trace) <= len(whole)
    # A line may end just there, or the graph before it: then nothing is missing of an op.
    complete = ("torch-debugmode", "torch-npu-log", "mindspore-graph-ir")
    assert trace.problems or name in complete or (name, part) == ("torch-export", 0.97)
    if name not in ("pytorch-et", "torch-profiler"):  # the order of time is not that of the file
        assert [op.name for op in trace][:-1] == [op.name for op in whole][: len(trace) - 1]


@every
def test_a_cut_archive_is_told(name: str) -> None:
    packed = gzip.compress(sample(name), mtime=0)
    trace = open_content(packed[: int(len(packed) * 0.8)])
    assert trace.source.format == name
    assert any(p.sentence.code == "reading.cut-archive" for p in trace.problems)


@every
def test_the_beginning_alone_never_raises_anything_else(name: str) -> None:
    for size in (1, 10, 100, 1000, 3000):
        check_survives(sample(name)[:size])


def test_an_empty_file_is_an_error() -> None:
    with pytest.raises(OpdiffError, match="empty"):
        open_content(b"")


HARD = [
    *(b"\n", b" ", b"a", b"a ", b'"', b'\\"', b'{"', b'[{"', b"op {\n", b"x = ", b"(", b"t: f32["),
    *(b": Tensor size: [", b" exec aten ", b'"schema" : "', b"def forward(\n", b";  a = b = "),
    *(b'"data" : {', b"graph(", b"_ = ge", b"a, ", b": TensorList size: 1, a: ", b"aten::a(t"),
]


@pytest.mark.parametrize("piece", HARD)
def test_beginnings_that_would_take_long_to_look_through(piece: bytes) -> None:
    """A pattern that tries every place again would take minutes here, and this takes none."""
    for start in (b"", b"{", b" "):
        head = (start + piece * (1 << 16))[: 1 << 16]
        for format_ in formats():
            assert format_.sniff(head) in (True, False)


def test_a_folder_with_one_file_of_use_stands_for_it(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing to see")
    (tmp_path / "log").write_bytes(sample("fx"))
    assert open_trace(tmp_path).source.format == "fx"
    (tmp_path / "other").write_bytes(sample("msprobe"))
    with pytest.raises(OpdiffError, match="log, other"):
        open_trace(tmp_path)
