"""The grammar of tracker_graph.ir: everything a record may hold."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from tracker_text import codes, empty, frames, read, record

from opdiff.readers import open_trace, tracker
from opdiff.readers.tracker import bulk
from opdiff.readers.tracker.blocks import TrackerBlock
from opdiff.readers.tracker.bulk import Records, TextTables
from opdiff.readers.tracker.careful import CarefulReader
from opdiff.trace import Frame, Operand, Role, TensorSpec

SAMPLES = Path(__file__).parents[2] / "samples"
REAL = sorted((SAMPLES / "real").glob("*/*/tracker_graph.ir"))


def test_a_record_is_read_whole(tmp_path: Path) -> None:
    specs = "(Float32:[2, 3]) <- (Float32:[2, 3]{strdes=[6, 1],offset=3}, Bool:[])"
    stack = frames(("/a/train.py", 7, "<module>"), ("/a/net.py", 12, "construct"))
    text = record(
        "Default/net-Net/Add-op12", "%9", "%7, %8", specs, task=11, attrs="stream_id=2", stack=stack
    )
    trace = read(tmp_path, text)
    op = trace.op(0)
    assert (op.name, op.type, op.scope) == ("Default/net-Net/Add-op12", "Add", "Default/net-Net")
    assert op.outputs == (Operand(9, TensorSpec("Float32", (2, 3))),)
    assert op.inputs == (
        Operand(7, TensorSpec("Float32", (2, 3), (6, 1), 3)),
        Operand(8, TensorSpec("Bool", ())),
    )
    assert (op.line, op.last_line, op.task, dict(op.attrs)) == (1, 3, 11, {"stream_id": "2"})
    assert op.stack == (Frame("/a/train.py", 7, "<module>"), Frame("/a/net.py", 12, "construct"))
    assert trace.source.format == "mindspore-tracker"
    assert codes(trace) == []


@pytest.mark.parametrize(
    "name",
    [
        "Default/blocks-CellList/0-注意力/Add-op0",
        "copy_from:kernel_graph_0_node:Default/Mul-op3_output_index:0",
        "odd (name) with, commas = and (%3)",
        "a) = b(c",
        "100%5",
        "net.fc.weight",
        "x), task_info: 3, attrs {a",
        "()",
        " ",
    ],
)
def test_a_name_may_hold_anything(tmp_path: Path, name: str) -> None:
    text = record() + record(name) + record()
    trace = read(tmp_path, text)
    assert [op.name for op in trace] == ["Add", name, "Add"]
    assert [operand.memory for operand in trace.op(1).inputs] == [1, 2]
    assert codes(trace) == []


def test_attributes_come_in_any_order_and_are_not_escaped(tmp_path: Path) -> None:
    text = record(attrs="group=a;comm_rank=0 1;stream_id=0")
    text += record(attrs="stream_id=0;comm_rank=0 1;group=a")
    text += record(attrs="group=odd;name=b=c;stream_id=1")
    text += record(attrs="note=one;two;stream_id=1")
    trace = read(tmp_path, text)
    assert trace.columns.attrs[0] == trace.columns.attrs[1]
    assert trace.op(2).attrs["name"] == "b=c"
    assert trace.op(3).attrs["note"] == "one;two"


@pytest.mark.parametrize(
    "arguments",
    [
        "()",
        "(_, 1e-05)",
        '([_, _], dim=-1, approximate="tanh")',
        '(_, "a) = b(c;d=e;f} (%3")',
        "(%7, %8)",
        "(" * 50 + ")" * 50,
        ")))",
        "(_, args=(1), args=(2))",
    ],
)
@pytest.mark.parametrize("separator", [", ", ";"])
def test_arguments_of_ops_are_one_attribute(tmp_path: Path, arguments: str, separator: str) -> None:
    arguments = f"({arguments})"
    plain = record(attrs=f"stream_id=3{separator}args=(_, 2)")
    odd = record(attrs=f"stream_id=3{separator}args={arguments}")
    trace = read(tmp_path, plain + odd + plain)
    found = [dict(op.attrs) for op in trace]
    assert found[1] == {"stream_id": "3", "args": arguments}
    assert found[0] == found[2] == {"stream_id": "3", "args": "(_, 2)"}
    assert codes(trace) == []


def test_arguments_are_no_reason_to_leave_the_fast_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object, **_options: object) -> int:
        raise AssertionError("not plain")

    monkeypatch.setattr(CarefulReader, "_read", fail)
    kinds = ["(_, 1e-05)", "([_, _], [0, 1], dim=(1))", "()"]
    texts = [record(task=n, attrs=f"stream_id=0, args={kinds[n % 3]}") for n in range(300)]
    trace = read(tmp_path, "".join(texts) + "".join(record() for _ in range(30)))
    assert [op.attrs.get("args") for op in trace] == kinds * 100 + [None] * 30
    assert trace.columns.task[:300].tolist() == list(range(300))


def test_a_name_that_looks_like_a_whole_first_line_is_still_the_name(tmp_path: Path) -> None:
    name = "x(%3), task_info: 3, attrs {a"
    trace = read(tmp_path, record() + record(name) + record())
    assert [op.name for op in trace] == ["Add", name, "Add"]


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("Float32:[]", TensorSpec("Float32", ())),
        ("Int64:[2, 0]", TensorSpec("Int64", (2, 0))),
        ("Int8:[-1, -2]", TensorSpec("Int8", (-1, -2))),
        ("BFloat16:[4, 2]{strdes=[0, 1],offset=0}", TensorSpec("BFloat16", (4, 2), (0, 1), 0)),
        ("Int4:[]{strdes=[],offset=5}", TensorSpec("Int4", (), (), 5)),
        ("Tuple[Int64, Float32]:[3]", TensorSpec("Tuple[Int64, Float32]", (3,))),
        ("int:[1]", TensorSpec("int", (1,))),
    ],
)
def test_every_sort_of_tensor_is_read(tmp_path: Path, text: str, spec: TensorSpec) -> None:
    specs = f"({text}) <- ({text}, Float16:[7], {text})"
    trace = read(tmp_path, record(inputs="%1, %2, %3", specs=specs))
    assert codes(trace) == []
    assert [operand.spec for operand in trace.op(0).outputs] == [spec]
    assert trace.op(0).inputs[2].spec == spec
    assert str(spec) == text


def test_many_operands_keep_their_order(tmp_path: Path) -> None:
    ids = [10**k + 3 for k in range(18)]
    specs = ", ".join(f"Int32:[{k}]" for k in range(18))
    text = record("Big", "", ", ".join(f"%{i}" for i in ids), f"() <- ({specs})")
    trace = read(tmp_path, text * 3)
    assert [operand.memory for operand in trace.op(1).inputs] == ids
    assert [operand.spec.shape for operand in trace.op(2).inputs] == [(k,) for k in range(18)]


def test_the_useless_frame_of_a_worker_thread_is_no_stack(tmp_path: Path) -> None:
    useless = frames(("/usr/lib/python3.11/traceback.py", 228, "extract_stack"))
    real = frames(("/a/b.py", 1, "f"), ("/usr/lib/python3.11/traceback.py", 228, "extract_stack"))
    trace = read(tmp_path, record(stack=useless) + record() + record(stack=real))
    assert [len(op.stack) for op in trace] == [0, 0, 2]
    assert list(trace.columns.stack[:2]) == [0, 0]


def test_constants_parameters_and_noise_have_roles(tmp_path: Path) -> None:
    names = ["Default/data-3", "w1.weight", "AclWorkspace", "RecordEvent", "CopyTensorData", "Mul"]
    text = "".join(record(name, "%1", "", "(Int64:[]) <- ()") for name in names)
    trace = read(tmp_path, text + empty("kernel_graph_1-5_HostDSActor"))
    assert list(trace.role) == [
        Role.CONSTANT,
        Role.PARAMETER,
        Role.WORKSPACE,
        Role.EVENT,
        Role.COPY,
        Role.OP,
        Role.BOOKKEEPING,
    ]


@pytest.mark.parametrize("path", REAL, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_real_captures_read_whole(path: Path) -> None:
    trace = open_trace(path)
    assert trace.problems == ()
    assert 3 * len(trace) == path.read_bytes().count(b"\n")
    assert not trace.notes


def nothing_is_plain(
    block: TrackerBlock, place: int, _most: int, tables: TextTables, *, final: bool
) -> tuple[Records, bool]:
    """In the place of the fast way: the careful one reads every record."""
    records, _ = bulk.read_plain(block, place, 0, tables, final=final)
    return records, False


@pytest.mark.parametrize("damages", [0, 1, 3, 30])
def test_two_ways_of_reading_give_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damages: int
) -> None:
    """Op by op and problem by problem, also where bytes of the file are others."""
    content = (SAMPLES / "real/rope/jit_trace/tracker_graph.ir").read_bytes()
    chance = Random(damages)
    for _ in range(8 if damages else 1):
        damaged = bytearray(content)
        for _ in range(damages):
            damaged[chance.randrange(len(content))] = chance.choice(b"()%,;:|[]{} \n\r\xff0a")
        fast = read(tmp_path, bytes(damaged))
        with monkeypatch.context() as closed:
            closed.setattr(tracker, "read_plain", nothing_is_plain)
            careful = read(tmp_path, bytes(damaged))
        assert list(fast) == list(careful)
        assert fast.problems == careful.problems
