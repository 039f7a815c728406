from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from format_files import DATA, check_survives, codes, edited, note_codes, open_content
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.cli import main
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.mindspore.dump_files import is_dumped, read_name
from opdiff.readers.own_values import values_of
from opdiff.readers.trace_values import read_values
from opdiff.session import Work, read_session, save_session
from opdiff.trace import Role, TensorSpec

FOLDER = DATA / "mindspore-dump"
HEADER = (
    "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,"
    "Max Value,Min Value,Avg Value,L2Norm Value,NaN Count\n"
)


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dump of a real run, unpacked: rank_0/Net/0/0/*.npy."""
    top = tmp_path_factory.mktemp("dump")
    for name in ("base", "eps"):
        folder = top / name / "rank_0" / "Net" / "0" / "0"
        folder.mkdir(parents=True)
        with tarfile.open(FOLDER / f"{name}.tar.gz") as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isreg() else None
                if file is not None:
                    (folder / Path(member.name).name).write_bytes(file.read())
    return top


def inner(dump: Path, name: str = "base") -> Path:
    return dump / name / "rank_0" / "Net" / "0" / "0"


def saved(
    folder: Path, node: str, time: int, side: str, slot: int, values: Any, dtype: str = "Float32"
) -> Path:
    kind = re.sub(r"-op\d+$", "", node.split("_")[-1])
    path = folder / f"{kind}.{node}.0.0.{time}.{side}.{slot}.DefaultFormat.{dtype}.npy"
    np.save(path, values)
    return path


def test_a_real_dump_has_the_ops_of_the_tracker_in_its_order(dump: Path) -> None:
    trace = open_trace(inner(dump))
    assert trace.source.format == "mindspore-dump"
    assert trace.source.path == str(inner(dump))
    assert trace.source.execution_order
    assert trace.problems == ()
    assert note_codes(trace) == ["links-by-content", "numbered-folder"]
    tracker = open_trace(FOLDER / "base.ir")
    ran = [op.name for op in tracker if tracker.role[op.row] == Role.OP]
    assert [op.name.replace("/", "_") for op in trace] == [name.replace("/", "_") for name in ran]
    nodes = {read.node for file in inner(dump).iterdir() if (read := read_name(file.name))}
    assert len(trace) == len([node for node in nodes if "-op" in node]) == 32
    assert [op.line for op in trace] == list(range(1, 33))


def test_shapes_scalars_and_links(dump: Path) -> None:
    trace = open_trace(inner(dump))
    rows = {op.name: op for op in trace}
    add = rows["Default/Add-op0"]
    assert add.attrs == {"args": "(_, 1e-05)", "stream_id": "0"}
    assert add.scope == "Default"
    assert [str(o.spec) for o in (*add.outputs, *add.inputs)] == ["Float32:[4, 1]"] * 2
    assert trace.producers(add.row) == [rows["Default/ReduceMean-op0"].row]
    mean = rows["Default/ReduceMean-op0"]
    assert mean.attrs["args"] == "(_, [-1], True)"
    matmul = rows["Expand__MatMulExt/MatMul-op0"]
    assert [trace.producers(matmul.row)[0]] == [rows["Default/Mul-op2"].row]
    assert int((trace.links.producer >= 0).sum()) > 40


def test_the_cause_is_an_attribute(dump: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(inner(dump, name)) for name in ("base", "eps")]
    assert main(["compare", *paths, "--format", "json", "--no-values"]) == 1
    (divergence,) = json.loads(capsys.readouterr().out)["divergences"]
    assert divergence["kind"] == "attrs"
    assert "1e-05" in divergence["message"]


def test_a_dump_is_found_in_its_folders(dump: Path) -> None:
    whole = open_trace(inner(dump))
    one_file = next(inner(dump).glob("*.npy"))
    for path in (dump / "base", dump / "base" / "rank_0", one_file):
        trace = open_trace(path)
        assert trace.source.path == str(inner(dump))
        assert [op.name for op in trace] == [op.name for op in whole]
    with pytest.raises(OpdiffError, match="base/rank_0/Net/0/0, eps/rank_0/Net/0/0"):
        open_trace(dump)


def test_a_dump_beside_the_list_of_names(dump: Path, tmp_path: Path) -> None:
    shutil.copytree(dump / "base", tmp_path / "base")
    order = tmp_path / "base" / "rank_0" / "execution_order"
    order.mkdir()
    (order / "ms_execution_order_graph_0.csv").write_text("NodeExecutionOrder-FullNameWithScope\n")
    assert open_trace(tmp_path).source.path.endswith("Net/0/0")


def test_an_archive_of_a_dump(dump: Path) -> None:
    trace = open_trace(FOLDER / "base.tar.gz")
    whole = open_trace(inner(dump))
    assert [op.name for op in trace] == [op.name for op in whole]
    assert trace.links.producer.tolist() == whole.links.producer.tolist()
    content = gzip.decompress((FOLDER / "base.tar.gz").read_bytes())
    cut = open_content(content[: len(content) // 2])
    assert codes(cut) == ["archive-cut"]
    assert 0 < len(cut) < 33


def test_values_are_those_of_the_arrays(dump: Path) -> None:
    trace = open_trace(inner(dump))
    rows = list(values_of(open_trace(FOLDER / "base.tar.gz")))
    assert len(rows) == len(trace.inputs.memory) + len(trace.outputs.memory)
    op = next(op for op in trace if op.name == "Default/Add-op0")
    row = next(row for row in rows if row.op == op.row and row.is_output)
    (file,) = inner(dump).glob("Add.Default_Add-op0*output.0*")
    values = np.load(file).astype(float)
    found = row.measure
    assert (found.count, found.nonfinite) == (4, 0)
    assert (found.minimum, found.maximum) == (values.min(), values.max())
    assert found.mean == pytest.approx(values.mean())
    assert found.norm == pytest.approx(np.linalg.norm(values))
    assert (rows[0].op, rows[0].is_output, rows[0].operand) == (0, False, 0)
    assert rows[0].measure.count == np.prod(trace.op(0).inputs[0].spec.shape)


def test_values_that_are_not_finite_and_bfloat16(tmp_path: Path) -> None:
    saved(tmp_path, "Default_Exp-op0", 1, "output", 0, np.array([1, np.inf, np.nan] * 4, "f4"))
    stored = np.array([1.0, -2.5] * 8, "f4").view("u4") >> 16
    saved(tmp_path, "Default_Cast-op0", 2, "output", 0, stored.astype("u2"), "BFloat16")
    trace = open_trace(tmp_path)
    assert trace.op(1).outputs[0].spec == TensorSpec("BFloat16", (16,))
    values = read_values(trace)
    assert values is not None
    first, second = (values.measures.one(index) for index in range(2))
    assert (first.count, first.nonfinite, first.maximum) == (12, 8, 1.0)
    assert (second.minimum, second.maximum) == (-2.5, 1.0)


def test_an_op_that_runs_twice_is_two_ops(tmp_path: Path) -> None:
    for time in (10, 20):
        values = np.arange(20, dtype="f4") + time
        saved(tmp_path, "Default_Exp-op0", time, "input", 0, values)
        saved(tmp_path, "Default_Exp-op0", time + 1, "output", 0, values * 2)
    trace = open_trace(tmp_path)
    assert [op.name for op in trace] == ["Default/Exp-op0"] * 2


def test_what_is_full_of_one_number_is_not_linked(tmp_path: Path) -> None:
    zeros = np.zeros(100, "f4")
    saved(tmp_path, "Default_ZerosLike-op0", 1, "output", 0, zeros)
    saved(tmp_path, "Default_Exp-op0", 2, "input", 0, zeros)
    assert open_trace(tmp_path).producers(1) == [None]


def test_large_arrays_are_told_by_their_ends(tmp_path: Path) -> None:
    values = np.arange(100_000, dtype="f4")
    other = values.copy()
    other[-1] = 0
    saved(tmp_path, "Default_Exp-op0", 1, "output", 0, values)
    saved(tmp_path, "Default_Abs-op0", 2, "input", 0, values)
    saved(tmp_path, "Default_Neg-op0", 3, "input", 0, other)
    trace = open_trace(tmp_path)
    assert (trace.producers(1), trace.producers(2)) == ([0], [None])


def test_damaged_arrays_are_problems(tmp_path: Path) -> None:
    saved(tmp_path, "Default_Exp-op0", 1, "output", 0, np.arange(20, dtype="f4"))
    cut = saved(tmp_path, "Default_Abs-op0", 2, "output", 0, np.arange(20, dtype="f4"))
    cut.write_bytes(cut.read_bytes()[:-4])
    evil = saved(tmp_path, "Default_Neg-op0", 3, "output", 0, np.arange(20, dtype="f4"))
    evil.write_bytes(evil.read_bytes().replace(b"'<f4'", b"'|O' "))
    (tmp_path / "notes.txt").write_text("not a tensor")
    trace = open_trace(tmp_path)
    assert [op.type for op in trace] == ["Exp"]
    assert codes(trace) == ["dump-file", "dump-file"]
    assert any("Default_Abs-op0" in str(problem.sentence) for problem in trace.problems)


def test_names_too_long_for_a_file_are_in_a_table(tmp_path: Path) -> None:
    path = saved(tmp_path, "Default_Exp-op0", 1, "output", 0, np.arange(20, dtype="f4"))
    path.rename(tmp_path / "123456.npy")
    (tmp_path / "mapping.csv").write_text(f"123456.npy,{path.name}\n")
    trace = open_trace(tmp_path / "123456.npy")
    assert [op.name for op in trace] == ["Default/Exp-op0"]


def test_an_array_of_something_else_is_an_error(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros(3))
    with pytest.raises(OpdiffError, match="mindspore-dump"):
        open_trace(tmp_path / "x.npy")


def test_a_session_remembers_a_folder(dump: Path, tmp_path: Path) -> None:
    trace = open_trace(inner(dump))
    file = tmp_path / "work.opdiff"
    save_session(file, Work(), trace, trace)
    session = read_session(file)
    assert session.left.path == str(inner(dump))
    assert session.restore(trace, trace).remarks == ()


# The table of statistics


def table(*rows: str) -> str:
    return HEADER + "".join(row + "\n" for row in rows)


def test_the_table_of_statistics() -> None:
    trace = open_content(
        table(
            'Sub,Default_Sub-op0,0,2,10,input,0,16,float32,"(2,2)",3,1,2,5,0',
            'Sub,Default_Sub-op0,0,2,11,input,1,4,float32,"()",1e-05,1e-05,1e-05,1e-05,0',
            'Sub,Default_Sub-op0,0,2,12,output,0,16,float32,"(2,2)",2,1,1.5,4,1',
            'Add,Default_net_Add-op0,0,2,13,input,0,16,float32,"(2,2)",2,1,1.5,4,1',
            'Add,Default_net_Add-op0,0,2,14,output,0,16,float32,"(2,2)",2,2,2,4,0',
        )
    )
    assert [op.name for op in trace] == ["Default/Sub-op0", "Default_net/Add-op0"]
    assert [(op.line, op.last_line) for op in trace] == [(2, 4), (5, 6)]
    assert trace.op(0).attrs == {"args": "(_, 1e-05)", "stream_id": "2"}
    assert str(trace.op(0).outputs[0].spec) == "Float32:[2, 2]"
    assert trace.producers(1) == [0]
    assert note_codes(trace) == ["links-by-statistics"]


def test_a_table_that_is_cut_is_told_at_its_last_row() -> None:
    good = 'Abs,Default_Abs-op0,0,0,{},output,0,8,float32,"(2)",3,-1,1,1,1'
    content = table(*(good.format(time) for time in range(9))).encode()
    trace = open_content(gzip.compress(content, mtime=0)[:-8])
    assert [(problem.line, problem.sentence.code) for problem in trace.problems] == [
        (10, "reading.cut-archive")
    ]


def test_an_archive_has_the_values_of_its_folder(dump: Path) -> None:
    archive, unpacked = open_trace(FOLDER / "base.tar.gz"), open_trace(inner(dump))
    found, wanted = read_values(archive), read_values(unpacked)
    assert found is not None
    assert wanted is not None
    assert wanted.known == len(archive.inputs.memory) + len(archive.outputs.memory)
    for figure in ("count", "nonfinite", "minimum", "maximum", "mean", "norm"):
        for outputs in (False, True):
            one, other = (
                getattr(each.measures, figure)[each.side(outputs=outputs).index]
                for each in (found, wanted)
            )
            np.testing.assert_allclose(one, other, rtol=1e-6)
    # Only what lies in a folder can be looked at again.
    assert {row.file for row in values_of(archive)} == {None}
    assert all(Path(row.file or "").is_file() for row in values_of(unpacked))


def test_values_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "statistic.csv"
    path.write_text(table('Abs,Default_Abs-op0,0,0,1,output,0,8,float32,"(2)",3,-1,inf,x,1'))
    (row,) = values_of(open_trace(path))
    found = row.measure
    assert (found.count, found.nonfinite, found.norm) == (2, 1, None)
    assert (found.minimum, found.maximum) == (-1.0, 3.0)


def test_rows_that_are_no_tensors_are_problems() -> None:
    good = 'Abs,Default_Abs-op0,0,0,1,output,0,8,float32,"(2)",3,-1,1,1,1'
    trace = open_content("noise\n" + table(good, "Abs,x,0,0,1,sideways,0", '"cut') + "noise")
    assert len(trace) == 1
    assert codes(trace) == ["unexpected-text", "csv-row-short", "dump-row", "csv-row", "csv-row"]
    with pytest.raises(OpdiffError, match="mindspore-dump"):
        open_content(HEADER)


# What a writer writes

DTYPES = {"Float32": "f4", "Float16": "f2", "Int64": "i8", "Bool": "?"}
TENSORS = st.lists(
    st.tuples(
        st.sampled_from(["input", "output"]),
        st.sampled_from(sorted(DTYPES)),
        st.lists(st.integers(2, 4), min_size=2, max_size=4),
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=40, deadline=None)
@given(st.lists(TENSORS, min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_what_is_written_reads_back_equal(
    ops: list[list[tuple[str, str, list[int]]]], seed: int
) -> None:
    random = np.random.default_rng(seed)
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        time = 1000
        for place, tensors in enumerate(ops):
            for slot, (side, dtype, shape) in enumerate(tensors):
                time += 1
                array = io.BytesIO()
                np.save(array, (random.random([9, *shape]) * 100).astype(DTYPES[dtype]))
                node = f"Default_net_Op{place}-op{place}"
                name = f"Op{place}.{node}.0.{place}.{time}.{side}.{slot}.DefaultFormat.{dtype}.npy"
                assert is_dumped(name)
                member = tarfile.TarInfo(f"deep/{name}")
                member.size = len(array.getvalue())
                archive.addfile(member, io.BytesIO(array.getvalue()))
    trace = open_content(content.getvalue())
    assert trace.problems == ()
    assert [op.name for op in trace] == [
        f"Default_net/Op{place}-op{place}" for place in range(len(ops))
    ]
    for op, tensors in zip(trace, ops, strict=True):
        assert op.attrs["stream_id"] == str(op.row)
        for side, operands in (("input", op.inputs), ("output", op.outputs)):
            assert [o.spec for o in operands] == [
                TensorSpec(dtype, (9, *shape)) for s, dtype, shape in tensors if s == side
            ]


STATISTICS = table(
    *(
        f'Op{n},Default_net_Op{n}-op{n},0,1,{n}{k},{side},{k},8,float32,"(2,{k})",{n},-1,{k},1,0'
        for n in range(4)
        for k, side in enumerate(["input", "input", "output"])
    )
).encode()


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_random_edits_raise_nothing_else(data: st.DataObject) -> None:
    archive = gzip.decompress((FOLDER / "base.tar.gz").read_bytes())[:60_000]
    check_survives(data.draw(edited(data.draw(st.sampled_from([STATISTICS, archive])))))
