from __future__ import annotations

import json
from typing import Any

import pytest
from format_files import DATA, check_survives, codes, edited, note_codes, open_content, text_of
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.pytorch.chrome_trace import read_inputs
from opdiff.trace import Op, TensorSpec

FILE = DATA / "torch-profiler" / "gpt2l.eager.trace.json.gz"


def event(
    name: str, start: float, length: float, kind: str = "cpu_op", **more: Any
) -> dict[str, Any]:
    return {
        "ph": "X", "cat": kind, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": length,
        **more,
    }  # fmt: skip


def written(events: list[Any], indent: int | None = 1) -> str:
    head = {"schemaVersion": 1, "deviceProperties": []}
    return json.dumps({**head, "traceEvents": events, "traceName": "x"}, indent=indent)


SMALL = written(
    [
        {"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python"}},
        event("net.py(3): step", 0, 100, "python_function"),
        event("nn.Module: Linear_0", 1, 90, "python_function"),
        event("torch/nn/linear.py(5): forward", 2, 80, "python_function"),
        event("aten::linear", 10, 50, args={"Input Dims": [[2, 3]], "Input type": ["float"]}),
        event("aten::addmm", 20, 10, args={"Input Dims": [], "Input type": []}),
        event("aten::relu", 70, 5, args={"novelty": 1}),
        event("AddmmBackward0", 200, 50),
        event("aten::mm", 210, 10),
        event("void at::native::add_kernel<4>(int)", 30, 5, "kernel", args={"stream": 7}),
    ]
)


def test_the_calls_of_a_real_trace_are_those_of_the_execution_trace() -> None:
    """The same run, recorded in two ways."""
    trace = open_trace(FILE)
    other = open_trace(DATA / "pytorch-et" / "gpt2l.eager.et.json.gz")
    assert trace.source.format == "torch-profiler"
    assert trace.source.execution_order
    assert trace.problems == ()
    assert note_codes(trace) == ["no-outputs"]

    def facts(op: Op) -> tuple[object, ...]:
        return op.type, [o.spec.shape for o in op.inputs]

    assert [facts(op) for op in trace] == [facts(op) for op in other]
    for mine, its in zip(trace, other, strict=True):  # devices and strings are not told here
        expected = its.attrs["args"].replace("cpu", "None").replace('"none"', "None")
        assert mine.attrs["args"] == expected


def test_levels_against_a_plain_count() -> None:
    events = json.loads(text_of(FILE))["traceEvents"]
    calls = [
        (e["ts"], e["ts"] + e["dur"], e["name"])
        for e in events
        if e.get("cat") == "cpu_op" and e["name"].startswith("aten::")
    ]

    def within(inner: tuple[Any, ...], outer: tuple[Any, ...]) -> bool:
        return inner is not outer and outer[0] <= inner[0] < outer[1] - 0.002

    leaves = sum(not any(within(other, one) for other in calls) for one in calls)
    trace = open_trace(FILE, graph="leaf")
    assert len(trace) == leaves == 741
    assert [part.ops for part in trace.source.parts] == [462, 741]


def test_lines_stacks_scopes_and_inputs() -> None:
    trace = open_trace(FILE)
    lines = text_of(FILE).split("\n")
    for op in trace:
        entry = "\n".join(lines[op.line - 1 : op.last_line])
        assert f'"{op.type}"' in entry
    linear = next(op for op in trace if op.type == "aten::linear")
    assert linear.scope == "GPT_0/Block_0/Attention_0/Linear_0"
    assert str(trace.user_frame(linear.row)) == "net.py:62 forward"
    assert [str(o.spec) for o in linear.inputs] == [
        "Float32:[2, 16, 32]",
        "Float32:[96, 32]",
        "Float32:[96]",
    ]
    assert linear.outputs == ()
    backward = next(op for op in trace if op.scope == "MulBackward0")
    assert backward.mode == "eager"
    assert not (trace.links.producer >= 0).any()


def test_a_small_trace() -> None:
    trace = open_content(SMALL)
    assert [op.type for op in trace] == ["aten::linear", "aten::relu", "aten::mm"]
    assert [op.scope for op in trace] == ["Linear_0", "Linear_0", "AddmmBackward0"]
    assert [str(trace.user_frame(op.row)) for op in trace] == [
        "net.py:3 step",
        "net.py:3 step",
        "None",
    ]
    assert [part.name for part in trace.source.parts] == ["composite", "leaf", "kernel"]
    kernel = open_content(SMALL, graph="kernel").op(0)
    assert (kernel.type, kernel.attrs) == ("at::native::add_kernel", {"stream_id": "7"})


def test_compiled_regions_are_graphs() -> None:
    trace = open_content(
        written(
            [
                event("Torch-Compiled Region: 0/0", 0, 10, "user_annotation"),
                event("aten::mm", 1, 5),
                event("aten::mm", 20, 5),
            ]
        )
    )
    assert [op.mode for op in trace] == ["graph", "eager"]
    assert trace.op(0).scope == "Torch-Compiled Region: 0|0"


def test_threads_do_not_enclose_each_other() -> None:
    trace = open_content(written([event("aten::a", 0, 10), event("aten::b", 1, 2, tid=2)]))
    assert [op.type for op in trace] == ["aten::a", "aten::b"]


def test_a_list_of_events_alone() -> None:
    events = json.loads(SMALL)["traceEvents"]
    assert len(open_content(json.dumps(events, indent=1))) == 3


@pytest.mark.parametrize(
    ("arguments", "specs", "text"),
    [
        ({}, [], ""),
        (
            {
                "Input type": ["float", "Scalar", "", "ScalarList"],
                "Input Dims": [[2, 3], [], [], []],
                "Input Strides": [[1, 2], [], [], []],
                "Concrete Inputs": ["", "1e-05", "", "[0, 1]"],
            },
            [TensorSpec("Float32", (2, 3), (1, 2), None)],
            "(_, 1e-05, None, [0, 1])",
        ),
        (
            {"Input type": ["TensorList"], "Input Dims": [[[2], [3]]]},
            [TensorSpec("?", (2,)), TensorSpec("?", (3,))],
            "([_, _])",
        ),
        ({"Input type": "?", "Input Dims": 7}, [], ""),
        ({"Input type": ["c10::Half"]}, [TensorSpec("Float16", ())], "(_)"),
    ],
)
def test_inputs(arguments: dict[str, Any], specs: list[TensorSpec], text: str) -> None:
    assert read_inputs(arguments) == (specs, text)


def test_a_trace_that_is_cut_keeps_what_is_whole() -> None:
    place = SMALL.index('"aten::relu"')
    trace = open_content(SMALL[:place])
    assert codes(trace) == ["cut-entry"]
    assert [op.type for op in trace] == ["aten::linear"]
    assert SMALL.split("\n")[trace.problems[0].line - 1].strip() == "{"


def test_a_broken_event_is_a_problem_and_the_next_one_is_read() -> None:
    trace = open_content(SMALL.replace('"aten::addmm"', "aten::addmm"))
    assert codes(trace) == ["broken-entry"]
    assert len(trace) == 3


def test_events_without_a_name_or_time_are_problems() -> None:
    bad = [event("aten::a", 1, 1), event("", 1, 1), event("aten::b", 1, 1, ts="soon"), 7]
    bad.append({"ph": "X", "cat": [1], "name": {}})
    trace = open_content(written(bad))
    assert len(trace) == 1
    assert codes(trace) == ["trace-event"] * 3


def test_other_output_around_the_trace() -> None:
    trace = open_content(f"profiling\n{SMALL}\ndone\n")
    assert len(trace) == 3
    assert codes(trace) == ["unexpected-text", "unexpected-text"]


def test_a_trace_without_calls_is_an_error() -> None:
    with pytest.raises(OpdiffError, match="torch-profiler"):
        open_content(written([]))
    with pytest.raises(OpdiffError, match="1: composite; 2: leaf; 3: kernel"):
        open_content(SMALL, graph="4")


# What a writer of the grammar writes

SHAPES = st.lists(st.integers(0, 9), max_size=3)
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["aten::mul", "aten::add", "lib::op"]),
        st.lists(SHAPES | st.integers(-9, 9), max_size=4),
        st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(CALLS, st.sampled_from([None, 1]), st.randoms())
def test_what_is_written_reads_back_equal(
    calls: list[tuple[str, list[Any], bool]], indent: int | None, random: Any
) -> None:
    events = []
    for place, (name, inputs, inner) in enumerate(calls):
        arguments = {
            "Input type": ["float" if isinstance(one, list) else "Scalar" for one in inputs],
            "Input Dims": [one if isinstance(one, list) else [] for one in inputs],
            "Concrete Inputs": ["" if isinstance(one, list) else str(one) for one in inputs],
        }
        events.append(event(name, 100 * place, 50, args=arguments))
        if inner:
            events.append(event("aten::inner", 100 * place + 10, 5))
    random.shuffle(events)
    trace = open_content(written(events, indent))
    assert trace.problems == ()
    assert len(trace) == len(calls)
    for op, (name, inputs, _) in zip(trace, calls, strict=True):
        assert op.type == name
        tensors = [tuple(one) for one in inputs if isinstance(one, list)]
        assert [o.spec for o in op.inputs] == [TensorSpec("Float32", shape) for shape in tensors]
        texts = ["_" if isinstance(one, list) else str(one) for one in inputs]
        assert op.attrs.get("args", "()") == f"({', '.join(texts)})"


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([SMALL, json.dumps(json.loads(SMALL))]), st.data())
def test_random_edits_raise_nothing_else(text: str, data: st.DataObject) -> None:
    level = data.draw(st.sampled_from([None, "leaf", "*"]))
    check_survives(data.draw(edited(text.encode())), level)
