"""Who wrote what is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace
from opdiff.trace.extents import apart

WHOLE = TensorSpec("Float32", (8,))
FIRST = TensorSpec("Float32", (4,), (1,), 0)
SECOND = TensorSpec("Float32", (4,), (1,), 4)
SPECS = (WHOLE, FIRST, SECOND)


def trace_of(*ops: tuple[list[tuple[int, TensorSpec]], list[tuple[int, TensorSpec]]]) -> Trace:
    """A trace of ops given as (outputs, inputs), each an id and a spec."""
    builder = ColumnsBuilder()
    for outputs, inputs in ops:
        builder.add("Op", (Operand(*o) for o in outputs), (Operand(*i) for i in inputs))
    return Trace(Source("", "test"), *builder.build())


def test_the_last_writer_before_the_reader() -> None:
    trace = trace_of(
        ([(1, WHOLE)], []),
        ([(2, WHOLE)], [(1, WHOLE)]),
        ([(1, WHOLE)], []),
        ([(3, WHOLE)], [(1, WHOLE), (2, WHOLE), (9, WHOLE)]),
    )
    assert trace.producers(1) == [0]
    assert trace.producers(3) == [2, 1, None]
    assert trace.consumers(0) == [1]
    assert trace.consumers(2) == [3]


def test_an_op_in_place_reads_what_was_written_before_it() -> None:
    trace = trace_of(
        ([(1, WHOLE)], []),
        ([(1, WHOLE)], [(1, WHOLE)]),
        ([(1, WHOLE)], [(1, WHOLE), (1, WHOLE)]),
        ([], [(1, WHOLE)]),
    )
    assert [trace.producers(row) for row in range(4)] == [[], [0], [1, 1], [2]]
    assert trace.consumers(1) == [2]


def test_of_several_tensors_in_a_block_the_like_one() -> None:
    """Two halves of one block: a reader of the first half reads who wrote that half."""
    trace = trace_of(
        ([(1, FIRST)], []),
        ([(1, SECOND)], []),
        ([], [(1, FIRST), (1, SECOND), (1, WHOLE)]),
    )
    assert trace.producers(2) == [0, 1, 1]


def test_a_view_is_read_from_the_op_that_made_it() -> None:
    trace = trace_of(
        ([(1, WHOLE)], []),
        ([(1, FIRST), (1, SECOND)], [(1, WHOLE)]),
        ([], [(1, FIRST)]),
        ([], [(1, SECOND)]),
        ([], [(1, WHOLE)]),
    )
    assert trace.producers(1) == [0]
    assert trace.producers(2) == [1]
    assert trace.producers(3) == [1]
    assert trace.producers(4) == [0]


def test_a_block_that_nobody_wrote_has_no_producer() -> None:
    trace = trace_of(([], [(5, WHOLE)]), ([(5, WHOLE)], []))
    assert trace.producers(0) == [None]
    assert trace.consumers(1) == []


@pytest.mark.parametrize("ops", [0, 1])
def test_traces_without_edges(ops: int) -> None:
    trace = trace_of(*([([], [])] * ops))
    assert len(trace.links.producer) == 0
    assert list(trace.links.start) == [0] * (ops + 1)


IDS = st.integers(0, 3)
OPERANDS = st.lists(st.tuples(IDS, st.sampled_from(SPECS)), max_size=3)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(OPERANDS, OPERANDS), max_size=12), st.sampled_from([1, 2**60]))
def test_links_agree_with_looking_back_one_by_one(
    ops: list[tuple[list, list]], spread: int
) -> None:
    ops = [tuple([(m * spread, s) for m, s in side] for side in op) for op in ops]
    trace = trace_of(*ops)
    expected = []
    for row, (_, inputs) in enumerate(ops):
        for memory, spec in inputs:
            writers = [r for r in range(row) if any(o[0] == memory for o in ops[r][0])]
            alike = [r for r in writers if (memory, spec) in ops[r][0]]
            near = [r for r in writers if len(ops[r][0]) > 1 or not apart(ops[r][0][0][1], spec)]
            expected.append((alike or near or writers or [-1])[-1])
    assert trace.links.producer.tolist() == expected
    for row in range(len(ops)):
        here = trace.links.consumer[trace.links.start[row] : trace.links.start[row + 1]]
        readers = np.repeat(np.arange(len(ops)), [len(inputs) for _, inputs in ops])
        assert here.tolist() == readers[np.array(expected, int) == row].tolist()


def test_an_op_in_place_on_a_part_leaves_the_other_parts() -> None:
    """The gates of a recurrent cell are chunks of one block, and written over one by one."""
    gates = TensorSpec("Float32", (2, 6))
    first, second = (TensorSpec("Float32", (2, 3), (6, 1), offset) for offset in (0, 3))
    builder = ColumnsBuilder()
    for name, outputs, inputs in (
        ("aten::mm", [(1, gates)], []),
        ("aten::split", [(1, first), (1, second)], [(1, gates)]),
        ("aten::sigmoid_", [(1, first)], [(1, first)]),
        ("aten::detach", [(1, first)], [(1, first)]),
        ("aten::tanh_", [(1, second)], [(1, second)]),
        ("aten::mul", [(2, gates)], [(1, first), (1, second), (1, gates)]),
    ):
        builder.add(name, (Operand(*o) for o in outputs), (Operand(*i) for i in inputs))
    trace = Trace(Source("", "test"), *builder.build())
    assert trace.producers(4) == [1]
    assert trace.producers(5) == [3, 4, 4]
    assert trace.values.source[trace.inputs.start[5]] == 2


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (((2, 3), (6, 1), 0), ((2, 3), (6, 1), 3), True),
        (((2, 4), (6, 1), 0), ((2, 3), (6, 1), 3), False),
        (((2, 2, 3), (12, 6, 1), 0), ((2, 2, 3), (12, 6, 1), 3), True),
        (((4,), (2,), 0), ((4,), (2,), 1), True),
        (((4,), (2,), 0), ((4,), (2,), 2), False),
        (((4,), (1,), 0), ((4,), (1,), 4), True),
        (((2, 3), (1, 2), 0), ((2, 3), (3, 1), 0), False),
    ],
)
def test_parts_of_a_block_that_share_no_element(
    one: tuple[tuple[int, ...], tuple[int, ...], int],
    other: tuple[tuple[int, ...], tuple[int, ...], int],
    expected: bool,
) -> None:
    specs = TensorSpec("Float32", *one), TensorSpec("Float32", *other)
    assert apart(*specs) is expected
    assert apart(*specs[::-1]) is expected
