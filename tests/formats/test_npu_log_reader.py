from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from format_files import (
    DATA,
    check_survives,
    codes,
    edited,
    note_codes,
    open_content,
    producer_types,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.ascend.npu_log_roles import roles_of
from opdiff.readers.ascend.npu_log_text import Argument, Tensor, read_argument, read_header
from opdiff.trace import Op, TensorSpec
from opdiff.trace.told import Kernel, Told

FOLDER = DATA / "torch-npu-log"
LOGS = sorted(FOLDER.glob("*.log"))
OLD, NEW, MIDDLE = (FOLDER / f"torch_npu_op_plugin_v{v}.log" for v in ("7.1", "26.1", "7.2-26.0"))
PREFIXES = {
    "7.1": "[2025-11-20 10:15:30:100] torch_npu.op_plugin: [INFO] ",
    "7.2": "[rank:3]:[42] [2026-03-30 10:15:30:100] torch_npu.op_plugin: [INFO] [43] ",
    "26.1": "I0821 14:44:20.123000 42] [rank:3] ",
    "26.1 file": "I0821 14:44:20.123000 42 /a/b.cpp:12] [rank:3] ",
}


def tensor_text(
    *shape: int, pointer: int | None = None, dtype: str = "float", offset: int = 0
) -> str:
    strides = [1] * len(shape)
    for place in range(len(shape) - 1, 0, -1):
        strides[place - 1] = strides[place] * shape[place]
    printed = "" if pointer is None else f", data_ptr: {pointer:#x}"
    return (
        f"Tensor size: {list(shape)}, stride: {strides}, offset: {offset}, dtype: {dtype}, "
        f"device ID: 0{printed}"
    )


def record(op: str, *arguments: str, prefix: str = PREFIXES["26.1"], stream: int | None = 2) -> str:
    place = "" if stream is None else f" stream_id={stream}, aic_num=24 aiv_num=48"
    lines = [f"{prefix}{op} EXEC_NPU_CMD{place} with task_queue = 1", *arguments, "", ""]
    return "\n".join(lines)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_every_kernel_is_an_op(path: Path) -> None:
    text = path.read_text()
    trace = open_trace(path)
    assert trace.source.format == "torch-npu-log"
    assert trace.source.execution_order
    assert trace.problems == ()
    kernels = re.findall(r"aclnn(\w+) EXEC_NPU_CMD", text)
    assert [op.type for op in trace] == kernels
    blocks = re.findall(r"^.*EXEC_NPU_CMD.*\n((?:.+\n)*)", text, re.M)
    tensors = [len(re.findall(r"Tensor size: \[|scalar Tensor: ", block)) for block in blocks]
    assert [len({*op.inputs, *op.outputs}) for op in trace] == tensors
    lines = text.split("\n")
    assert all("EXEC_NPU_CMD" in lines[op.line - 1] for op in trace)
    assert all(lines[op.last_line] == "" for op in trace)


def test_the_three_generations_agree() -> None:
    def facts(op: Op) -> tuple[object, ...]:
        return op.type, op.attrs["args"], [str(o.spec) for o in (*op.outputs, *op.inputs)]

    old, new, middle = map(open_trace, (OLD, NEW, MIDDLE))
    assert [facts(op) for op in old] == [facts(op) for op in new] == [facts(op) for op in middle]
    assert {op.attrs["stream_id"] for op in new} == {"2"}
    assert {op.attrs["stream_id"] for op in old} == {"0"}
    assert [op.scope for op in new] == [op.scope for op in middle]
    assert new.op(0).scope == "cos"
    assert old.op(0).scope == ""
    assert note_codes(old) == ["no-addresses", "first-of-list"]
    assert note_codes(new) == ["first-of-list"]
    assert not (old.links.producer >= 0).any()
    assert new.links.producer.tolist() == middle.links.producer.tolist()


def test_links_scalars_views_and_in_place() -> None:
    trace = open_trace(NEW)
    by_type = {op.type: op for op in trace}
    assert producer_types(trace, by_type["Add"].row) == ["Mul", "Mul"]
    assert by_type["Add"].attrs["args"] == "(_, _, alpha=1)"
    assert by_type["Matmul"].attrs["args"] == "(_, _, cube_math_type=1)"
    neg, first_mul = by_type["Neg"], next(op for op in trace if op.type == "Mul")
    assert neg.inputs[0].spec == TensorSpec("Float32", (2, 4, 16, 8), (1536, 384, 24, 1), 8)
    assert neg.inputs[0].memory == first_mul.inputs[0].memory, "a view at an offset"
    copy = by_type["InplaceCopy"]
    assert copy.outputs[0].memory == copy.inputs[0].memory
    put = by_type["IndexPutImpl"]
    assert put.outputs[0] == put.inputs[0]
    assert "value=0, accumulate=False" in put.attrs["args"]


def test_memory_that_is_used_again_is_another_tensor() -> None:
    a, b, c = (tensor_text(4, pointer=0x1000 * k) for k in (1, 2, 3))
    trace = open_content(
        record("aclnnExp", f"self: {a}", f"out: {b}")
        + record("aclnnSin", f"self: {a}", f"out: {c}")
        + record("aclnnCos", f"self: {c}", f"out: {b}")
        + record("aclnnAdd", f"self: {b}", f"other: {c}", f"out: {a}")
    )
    assert trace.producers(3) == [2, 1]
    assert trace.op(0).outputs[0].memory != trace.op(2).outputs[0].memory


@pytest.mark.parametrize(
    ("op", "names", "written", "guessed"),
    [
        ("Mul", ["self", "other", "result"], [2], False),
        ("InplaceAdd", ["self", "other"], [0], False),
        ("IndexPutImpl", ["self", "indices", "values"], [0], False),
        ("ApplyAdamWV2", ["var", "m", "v", "grad"], [0, 1, 2], False),
        ("LayerNorm", ["input", "output", "mean_out", "rstd_out"], [1, 2, 3], False),
        ("AddmmBackward", ["grad_output", "self", "grad_input", "grad_weight"], [2, 3], False),
        ("ForeachAddScalar", ["tensors", "tensors"], [1], False),
        ("Strange", ["self", "other", "thing"], [2], True),
        ("Mul", ["self", "other", "output_size"], [2], True),
        ("Max", ["self", "result[0]", "result[1]"], [1, 2], False),
    ],
)
def test_which_arguments_are_written(
    op: str, names: list[str], written: list[int], guessed: bool
) -> None:
    tensor = Tensor(TensorSpec("Float32", (4,)), None)
    roles = roles_of(op, [Argument(name, tensor) for name in names])
    assert sorted(roles.written) == written
    assert roles.guessed == guessed


def test_guesses_are_told_and_the_user_may_know_better(tmp_path: Path) -> None:
    a, b = (tensor_text(4, pointer=0x1000 * k) for k in (1, 2))
    path = tmp_path / "log"
    path.write_text(record("aclnnStrange", f"first: {a}", f"second: {b}"))
    guess = open_trace(path)
    assert note_codes(guess) == ["guessed-roles"]
    assert "1 of 1" in str(guess.notes[0])
    told = open_trace(path, told=Told({"Strange": Kernel(("first",))}))
    assert told.notes == ()
    assert told.op(0).outputs[0].memory != told.op(0).inputs[0].memory
    assert len(told.op(0).outputs) == len(told.op(0).inputs) == 1


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("alpha: Scalar: 1.5, type: Double", "1.5"),
        ("dim: IntArrayRef size: 2, elements: [1, -1]", "[1, -1]"),
        ("keepdim: bool: 1", "True"),
        ("eps: double: 1e-05", "1e-05"),
        ("mode: char*: none", "none"),
        ("cube_math_type: int8_t: \x01", "1"),
        ("cube_math_type: int8_t: ", "0"),
        ("dtype: ScalarType: Float", "Float"),
        ("bias: Optional None Tensor", "None"),
        ("weight: Undefined Tensor!", "None"),
        ("list: Empty TensorList", "[]"),
        ("x: unknown dtype, please report an issue to op-plugin.", "unknown dtype, please report"),
        ("a->b(c): novel_t: 7", "7"),
    ],
)
def test_arguments_that_are_no_tensors(line: str, text: str) -> None:
    argument = read_argument(line)
    assert argument is not None
    assert argument.tensor is None
    assert argument.text.startswith(text)


@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=PREFIXES)
@pytest.mark.parametrize(
    "command", ["EXEC_NPU_CMD", "EXEC_NPU_NO_FORMAT_CHECK_CMD", "EXEC_NPU_CMD_SYNC"]
)
def test_headers(prefix: str, command: str) -> None:
    header = read_header(f"{prefix}aclnnAdd {command} with task_queue = 2")
    assert header is not None
    assert (header.op, header.is_kernel, header.stream) == ("aclnnAdd", True, "0")
    assert header.rank == ("3" if "rank" in prefix else "")
    aten = read_header(f"{prefix}add exec aten with")
    assert aten is not None
    assert not aten.is_kernel


def test_other_output_is_no_problem() -> None:
    text = NEW.read_text()
    lines = text.split("\n")
    mixed = []
    for line in lines:
        mixed.append(line)
        if not line:
            mixed += ["loss: 3.5", "Traceback (most recent call last):", "  File x.py, line 3", ""]
    trace = open_content("step 1\n" + "\n".join(mixed))
    assert trace.problems == ()
    assert [op.type for op in trace] == [op.type for op in open_content(text)]


def test_records_without_a_blank_line_between() -> None:
    text = re.sub(r"\n\n", "\n", NEW.read_text())
    trace = open_content(text)
    assert trace.problems == ()
    assert len(trace) == 11
    assert [len(op.inputs) for op in trace] == [len(op.inputs) for op in open_trace(NEW)]


def test_details_are_passed_over() -> None:
    a, b = (tensor_text(4, pointer=0x1000 * k) for k in (1, 2))
    detail = f"{PREFIXES['26.1']}aclnnExp Detail info:\nself: {a}, npu_format: 2\n\n"
    trace = open_content(record("aclnnExp", f"self: {a}", f"out: {b}") + detail)
    assert trace.problems == ()
    assert len(trace) == 1


def test_a_log_that_is_cut_keeps_what_is_whole() -> None:
    text = NEW.read_text()
    place = text.rindex("aclnnMatmul EXEC")
    cut = text.index("mat2: Tensor", place) + 40
    trace = open_content(text[:cut])
    assert codes(trace) == ["log-argument"]
    assert trace.problems[0].line == text[:cut].count("\n") + 1
    assert trace.op(len(trace) - 1).type == "Matmul"


def test_arguments_without_their_header_are_a_problem() -> None:
    a = tensor_text(4, pointer=0x1000)
    trace = open_content(f"self: {a}\nout: {a}\n\n" + record("aclnnExp", f"self: {a}", f"out: {a}"))
    assert [(p.line, p.last_line) for p in trace.problems] == [(1, 2)]


def test_ranks_in_one_log_are_parts() -> None:
    a, b = (tensor_text(4, pointer=0x1000 * k) for k in (1, 2))
    text = "".join(
        record("aclnnExp", f"self: {a}", f"out: {b}", prefix=f"I0821 14:44:20.1 42] [rank:{rank}] ")
        for rank in (1, 0, 1)
    )
    trace = open_content(text)
    assert [(part.name, part.ops, part.read) for part in trace.source.parts] == [
        ("rank 1", 2, True),
        ("rank 0", 1, False),
    ]
    assert len(open_content(text, graph="rank 0")) == 1
    both = open_content(text, graph="*")
    assert both.producers(1) == [None], "the memory of another rank"


def test_a_log_without_kernels_is_an_error() -> None:
    text = "x exec aten with\nself: " + tensor_text(4)
    with pytest.raises(OpdiffError, match="torch-npu-log"):
        open_content(text)


def test_a_line_about_names_is_part_of_its_record() -> None:
    a, b = (tensor_text(4, pointer=0x1000 * k) for k in (1, 2))
    trace = open_content(
        record("aclnnExp", "arg_names info: self, out", f"self: {a}", f"out: {b}")
        + record("aclnnSin", f"self: {b}", f"out: {a}")
    )
    assert trace.problems == ()
    assert trace.producers(1) == [0]
    assert [len(op.inputs) for op in trace] == [1, 1]


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("std::array<bool, N> size: 3, elements: [1, 1, 0]", "[1, 1, 0]"),
        ("Empty std::array<bool, N>", "[]"),
        ("at::ArrayRef<bool> size: 2, elements: [1, 0]", "[1, 0]"),
        ("Empty at::ArrayRef<bool>", "[]"),
        ("Empty ArrayRef<at::Scalar>", "[]"),
        ("ArrayRef<at::Scalar> size: 2, elements: [1, 2], dtype for first element: Long", "[1, 2]"),
        ("ArrayRef<c10::SymInt> size: 2, elements: [3, 4]", "[3, 4]"),
        ("IntArrayRef size: 25, first 20 elements: 1, 2, 3", "[1, 2, 3, …]"),
        ("Optional None ArrayRef<c10::SymInt>", "None"),
    ],
)
def test_arguments_that_are_lists(printed: str, text: str) -> None:
    a, b = (tensor_text(4, pointer=0x1000 * k) for k in (1, 2))
    trace = open_content(record("aclnnX", f"self: {a}", f"mask: {printed}", f"out: {b}"))
    assert trace.problems == ()
    assert trace.op(0).attrs["args"] == f"(_, mask={text})"


# What a writer of the grammar writes

SHAPES = st.lists(st.integers(1, 9), max_size=3)
DTYPES = {
    "float": "Float32", "c10::Half": "Float16", "c10::BFloat16": "BFloat16", "long int": "Int64",
    "bool": "Bool", "unsigned char": "UInt8",
}  # fmt: skip
ARGUMENTS = st.lists(
    st.one_of(
        st.tuples(SHAPES, st.sampled_from(sorted(DTYPES)), st.integers(1, 5)),
        st.integers(-9, 9),
        st.booleans(),
    ),
    max_size=4,
)
RECORDS = st.lists(
    st.tuples(st.sampled_from(["Mul", "Add", "Cat"]), ARGUMENTS, st.integers(1, 5)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.sampled_from(sorted(PREFIXES.values())))
def test_what_is_written_reads_back_equal(written: list[tuple[str, Any, int]], prefix: str) -> None:
    text = f"before\n{record('aclnnExp', 'self: ' + tensor_text(4), prefix=prefix)}"
    for op, arguments, block in written:
        lines = []
        for place, argument in enumerate(arguments):
            if isinstance(argument, bool):
                lines.append(f"a{place}: bool: {int(argument)}")
            elif isinstance(argument, int):
                lines.append(f"a{place}: int64_t: {argument}")
            else:
                shape, dtype, number = argument
                printed = tensor_text(*shape, pointer=number << 20, dtype=dtype)
                lines.append(f"a{place}: {printed}")
        lines.append(f"out: {tensor_text(7, pointer=block << 20)}")
        text += record(f"aclnn{op}", *lines, prefix=prefix)
    trace = open_content(text)
    assert trace.problems == ()
    for op, (name, arguments, _) in zip(list(trace)[1:], written, strict=True):
        assert op.type == name
        tensors = [a for a in arguments if isinstance(a, tuple)]
        assert [o.spec for o in op.inputs] == [
            TensorSpec(DTYPES[dtype], tuple(shape)) for shape, dtype, _ in tensors
        ]
        assert [str(o.spec) for o in op.outputs] == ["Float32:[7]"]
        texts = [
            "_" if isinstance(a, tuple) else f"a{place}={a}" for place, a in enumerate(arguments)
        ]
        assert op.attrs["args"] == f"({', '.join(texts)})"


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(LOGS), st.data())
def test_random_edits_raise_nothing_else(path: Path, data: st.DataObject) -> None:
    check_survives(data.draw(edited(path.read_bytes())))
