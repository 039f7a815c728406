"""MindSpore's own dumps: real tensors of two runs, and statistics as Ascend writes them."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest

from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.values.causes import Cause, find_causes
from opdiff.values.dump import read_dump
from opdiff.values.floors import Precision
from opdiff.values.flow import Flow
from opdiff.values.pairing import ValuedTrace, compare_values
from opdiff.values.sources import is_dump
from opdiff.values.table import Values, precisions
from opdiff.wording import say

DATA = Path(__file__).parent / "data"
HEADER = (
    "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,"
    "Max Value,Min Value,Avg Value,L2Norm Value,NaN Count,Negative Inf Count,MD5\n"
)


@pytest.fixture(scope="module")
def dumps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The real dumps, unpacked as MindSpore lays them out."""
    folders = {}
    for name in ("base", "eps"):
        folders[name] = tmp_path_factory.mktemp(name)
        with tarfile.open(DATA / f"dump_{name}" / "npy.tar.gz") as archive:
            archive.extractall(folders[name] / "rank_0" / "Net" / "0" / "0", filter="data")
    return folders


def side(dumps: dict[str, Path], name: str) -> ValuedTrace:
    trace = open_trace(DATA / f"dump_{name}" / "tracker_graph.ir")
    return ValuedTrace(trace, read_dump(dumps[name], trace))


def bare(folder: Path, *names: str) -> Trace:
    """A trace of these ops as a stock tracker prints them on a CPU: without operands."""
    record = "() = {name}(), task_info: 1, attrs {{stream_id=0}} \n    () <- ()\n    # \n"
    path = folder / "tracker_graph.ir"
    path.write_text("".join(record.format(name=name) for name in names))
    return open_trace(path)


def test_all_ops_of_a_real_dump_are_joined(dumps: dict[str, Path]) -> None:
    base = side(dumps, "base")
    assert is_dump(dumps["base"])
    assert base.values.problems == ()
    assert [note.code for note in base.values.notes] == ["values.strangers"]
    assert "w1" in say(base.values.notes[0])
    ops = [op for op in base.trace if "-op" in op.name]
    assert len(ops) == 32
    assert all((base.values.outputs.of(op.row) >= 0).all() for op in ops)
    add = next(op.row for op in ops if op.name == "Default/Add-op0")
    constant = base.values.measure(add, 1, outputs=False)
    assert constant is not None
    assert (constant.count, constant.dtype) == (1, "Float32")
    assert constant.maximum == pytest.approx(1e-5)
    # Producers follow from equal contents: what Rsqrt reads is what Add wrote.
    flow = Flow.of(base.trace, base.values)
    rsqrt = next(op.row for op in ops if op.name == "Default/Rsqrt-op0")
    assert flow.producer[flow.start[rsqrt]] == add


def test_the_add_with_another_constant_is_the_one_cause(dumps: dict[str, Path]) -> None:
    left, right = side(dumps, "base"), side(dumps, "eps")
    rows = {op.name: op.row for op in right.trace}
    pairs = [(op.row, rows[op.name]) for op in left.trace if op.name in rows]
    left_row, right_row = np.array(pairs, np.int32).T
    compared = compare_values(left, right, left_row, right_row)
    flows = (Flow.of(one.trace, one.values) for one in (left, right))
    causes = find_causes(compared.pairs, *flows)
    found = [
        (left.trace.op(int(left_row[pair])).name, Cause(int(causes.cause[pair])).word)
        for pair in causes.roots()
    ]
    assert found == [("Default/Add-op0", "external")]
    assert causes.differs.sum() > 20
    assert set(causes.caused_by[causes.differs].tolist()) == set(causes.roots().tolist())


def test_equal_runs_have_no_cause(dumps: dict[str, Path]) -> None:
    base = side(dumps, "base")
    rows = np.arange(len(base.trace), dtype=np.int32)
    compared = compare_values(base, base, rows, rows)
    flow = Flow.of(base.trace, base.values)
    causes = find_causes(compared.pairs, flow, flow)
    assert not causes.differs.any()


def save(folder: Path, name: str, array: object, time: int = 1, where: str = "input.0") -> Path:
    """A tensor as a dump names it."""
    array = np.asarray(array)
    folder.mkdir(parents=True, exist_ok=True)
    dtype = str(array.dtype).capitalize()
    path = folder / f"{name}.0.0.{time}.{where}.DefaultFormat.{dtype}.npy"
    np.save(path, array)
    return path


def test_an_op_that_runs_again(tmp_path: Path) -> None:
    trace = bare(tmp_path, "Default/Mul-op0", "Default/Add-op0", "Default/Mul-op0")
    for step in (0, 1, 2):
        folder = tmp_path / "dump" / "rank_0" / "Net" / "0" / str(step)
        save(folder, "Mul.Default_Mul-op0", [step + 1.0], 100 - 10 * step, "output.0")
    values = read_dump(tmp_path / "dump", trace)
    # In the order of time, not of the folders; the trace has two of the three.
    maxima = [found.maximum for row in (0, 2) if (found := values.measure(row, 0, outputs=True))]
    assert maxima == [3.0, 2.0]
    assert values.measure(1, 0, outputs=True) is None
    assert [note.code for note in values.notes] == ["values.more-runs"]


def test_dtypes_come_from_the_names(tmp_path: Path) -> None:
    trace = bare(tmp_path, "Default/Cast-op0")
    save(tmp_path / "d", "Cast.Default_Cast-op0", np.array([1.5, -2.0], np.float16))
    raw = (np.array([1.5, -2.0], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    path = save(tmp_path / "d", "Cast.Default_Cast-op0", raw, 2, "output.0")
    path.rename(str(path).replace("Uint16", "BFloat16"))
    values = read_dump(tmp_path / "d", trace)
    written = values.measure(0, 0, outputs=True)
    assert written is not None
    assert (written.minimum, written.maximum) == (-2.0, 1.5)
    assert precisions(trace, values, outputs=True).tolist() == [Precision.BF16]
    assert precisions(trace, values, outputs=False).tolist() == [Precision.F16]


def test_damaged_tensors_are_problems(tmp_path: Path) -> None:
    trace = bare(tmp_path, "Default/Mul-op0")
    good = save(tmp_path / "d", "Mul.Default_Mul-op0", [1.0])
    cut = save(tmp_path / "d", "Mul.Default_Mul-op0", np.ones(100), 2, "input.1")
    cut.write_bytes(cut.read_bytes()[:200])
    text = save(tmp_path / "d", "Mul.Default_Mul-op0", np.array(["a"]), 3, "input.2")
    objects = save(tmp_path / "d", "Mul.Default_Mul-op0", [1.0], 4, "input.3")
    np.save(objects, np.array([{}], object), allow_pickle=True)
    empty = save(tmp_path / "d", "Mul.Default_Mul-op0", [1.0], 5, "output.0")
    empty.write_bytes(b"")
    (tmp_path / "d" / "note.npy").write_bytes(b"no part of the dump")
    values = read_dump(tmp_path / "d", trace)
    assert values.known == 1
    assert good.name not in [Path(problem.path).name for problem in values.problems]
    assert sorted(problem.path for problem in values.problems) == sorted(
        str(path) for path in (cut, text, objects, empty)
    )
    assert {problem.sentence.code for problem in values.problems} == {"values.bad-tensor"}


def test_operands_that_the_trace_does_not_print_are_left_out(tmp_path: Path) -> None:
    text = (
        "(%2) = Default/Sum-op0(%1), task_info: 1, attrs {stream_id=0} \n"
        "    (Float32:[]) <- (Float32:[3])\n    # \n"
    )
    (tmp_path / "x.ir").write_text(text)
    trace = open_trace(tmp_path / "x.ir")
    save(tmp_path / "d", "Sum.Default_Sum-op0", np.ones(3, np.float32))
    save(tmp_path / "d", "Sum.Default_Sum-op0", np.int64(0), 2, "input.1")
    save(tmp_path / "d", "Sum.Default_Sum-op0", np.ones(7, np.float32), 3, "output.0")
    values = read_dump(tmp_path / "d", trace)
    assert values.inputs.of(0).tolist() == [0]
    assert values.outputs.of(0).tolist() == [-1]
    assert [str(note).partition(" ")[0] for note in values.notes] == ["2"]


def statistics(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "rank_0" / "Net" / "0" / "0" / "statistic.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(header + "".join(f"{row}\n" for row in rows))
    return path


def test_statistics(tmp_path: Path) -> None:
    trace = bare(tmp_path, "Default/Sub-op0", "Default/Add-op0")
    start = "Sub,Default_Sub-op0,0,0"
    statistics(
        tmp_path / "dump",
        f'{start},10,input,0,24,float32,"(2,3)",3,-1.5,0.5,4,1,2,0123456789abcdef0123456789abcdef',
        f'{start},11,input,1,4,float32,"()",1,1,null,1,0,0,,',
        f'{start},12,output,0,4,bfloat16,"(4)",2,inf,,nan,,,',
    )
    values = read_dump(tmp_path / "dump", trace)
    assert values.problems == ()
    first = values.measure(0, 0, outputs=False)
    assert first is not None
    assert (first.count, first.nonfinite, first.minimum, first.maximum) == (6, 3, -1.5, 3.0)
    assert (first.mean, first.norm, first.sketch) == (0.5, 4.0, ())
    assert first.digest is not None
    second, third = values.measure(0, 1, outputs=False), values.measure(0, 0, outputs=True)
    assert second is not None
    assert third is not None
    assert (second.count, second.mean, second.digest) == (1, None, None)
    assert (third.minimum, third.norm, third.nonfinite) == (float("inf"), None, None)
    assert precisions(trace, values, outputs=True).tolist() == [Precision.BF16]
    assert values.measures.digest_kind == "md5"
    assert values.measures.sketch.shape == (3, 0)


def test_statistics_of_other_tools_and_the_bare_file(tmp_path: Path) -> None:
    trace = bare(tmp_path, "Default/Sub-op0")
    header = "Op Type,Op Name,Task ID,Stream ID,Timestamp,Input/Output,Slot,Shape,Max Value\n"
    path = statistics(tmp_path, 'Sub,Default/Sub-op0,0,0,7,output,0,"(2)",5', header=header)
    assert is_dump(path)
    values = read_dump(path, trace)
    found = values.measure(0, 0, outputs=True)
    assert found is not None
    assert (found.count, found.maximum, found.norm) == (2, 5.0, None)


@pytest.mark.parametrize(
    "row",
    [
        'Sub,Default_Sub-op0,0,0,x,input,0,4,float32,"()",1,1,1,1,0,0,',
        'Sub,Default_Sub-op0,0,0,1,sideways,0,4,float32,"()",1,1,1,1,0,0,',
        'Sub,Default_Sub-op0,0,0,1,input,,4,float32,"()",1,1,1,1,0,0,',
        'Sub,Default_Sub-op0,0,0,1,input,-1,4,float32,"()",1,1,1,1,0,0,',
        'Sub,Default_Sub-op0,0,0,1,input,999999,4,float32,"()",1,1,1,1,0,0,',
        'Sub,Default_Sub-op0,0,0,1,input,10000000000000000000,4,float32,"()",1,1,1,1,0,0,',
        'Sub,,0,0,1,input,0,4,float32,"()",1,1,1,1,0,0,',
        'Sub,Default_Sub-op0,0,0,1,input,0,4,float32,"()",one,1,1,1,0,0,',
        "Sub,Default_Sub-op0",
    ],
)
def test_a_damaged_row_of_statistics_is_a_problem(tmp_path: Path, row: str) -> None:
    trace = bare(tmp_path, "Default/Sub-op0")
    good = 'Sub,Default_Sub-op0,0,0,1,output,0,4,float32,"()",1,1,1,1,0,0,'
    path = statistics(tmp_path / "dump", good, row, "")
    values: Values = read_dump(tmp_path / "dump", trace)
    assert [(problem.path, problem.line) for problem in values.problems] == [(str(path), 3)]
    assert values.known == 1


@pytest.mark.parametrize("count", ["(9223372036854775807,2)", "(" + "9" * 400 + ")"])
def test_sizes_that_no_tensor_has_are_unknown(tmp_path: Path, count: str) -> None:
    trace = bare(tmp_path, "Default/Sub-op0")
    statistics(
        tmp_path / "dump", f'Sub,Default_Sub-op0,0,0,1,output,0,4,float32,"{count}",1,1,1,1,1e300,,'
    )
    values = read_dump(tmp_path / "dump", trace)
    assert values.problems == ()
    (measure,) = (values.measures.one(index) for index in range(len(values.measures)))
    assert (measure.count, measure.nonfinite, measure.maximum) == (None, None, 1.0)


@pytest.mark.parametrize("slot", ["999999", "10000000000", "99999999999999999999"])
def test_a_tensor_of_a_slot_that_no_op_has_is_no_part_of_the_dump(
    tmp_path: Path, slot: str
) -> None:
    trace = bare(tmp_path, "Default/Mul-op0")
    save(tmp_path / "d", "Mul.Default_Mul-op0", [1.0])
    save(tmp_path / "d", "Mul.Default_Mul-op0", [1.0], 2, f"input.{slot}")
    assert read_dump(tmp_path / "d", trace).known == 1


@pytest.mark.parametrize(
    "header", ["", "a,b\n", "Op Name," + "a" * 200_000 + "\n", "Op Name,Slot\n"]
)
def test_what_are_no_statistics(tmp_path: Path, header: str) -> None:
    trace = bare(tmp_path, "Default/Sub-op0")
    path = statistics(tmp_path / "dump", header=header)
    with pytest.raises(OpdiffError) as caught:
        read_dump(tmp_path / "dump", trace)
    assert (caught.value.path, caught.value.line) == (str(path), 1)


def test_what_is_no_dump(tmp_path: Path) -> None:
    trace = bare(tmp_path, "Default/Sub-op0")
    (tmp_path / "empty").mkdir()
    assert not is_dump(tmp_path / "empty")
    assert not is_dump(tmp_path / "tracker_graph.ir")
    with pytest.raises(OpdiffError, match="no value in this dump"):
        read_dump(tmp_path / "empty", trace)
    with pytest.raises(OpdiffError, match="cannot be read"):
        read_dump(tmp_path / "statistic.csv", trace)
    save(tmp_path / "other", "Mul.Default_Mul-op0", [1.0])
    with pytest.raises(OpdiffError, match="belong to another trace"):
        read_dump(tmp_path / "other", trace)
