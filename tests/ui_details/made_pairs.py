"""Small traces and comparisons made by hand: what the engine finds is tested elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opdiff.compare import Comparison, Divergence, Group, Request, SideResult, State, state_of
from opdiff.compare.sides.prepared import compared_inputs
from opdiff.trace import ColumnsBuilder, Frame, Operand, Source, TensorSpec, Trace
from opdiff.ui.details.pairing import ShownPair
from opdiff.wording import Sentence

WIDE = (64, 2, 4, 32)
HALF = (64, 2, 4, 16)
STRIDES = (256, 128, 32, 1)


def view(memory: int, shape: tuple[int, ...] = HALF, offset: int = 0) -> Operand:
    return Operand(memory, TensorSpec("BFloat16", shape, STRIDES, offset))


def dense(memory: int, shape: tuple[int, ...] = HALF) -> Operand:
    return Operand(memory, TensorSpec("BFloat16", shape))


def built(builder: ColumnsBuilder, name: str = "made.ir") -> Trace:
    columns, tables = builder.build()
    return Trace(Source(name, "mindspore-tracker"), columns, tables)


def left_trace(source: str = "/nowhere/rope.py") -> Trace:
    stack = (Frame("/nowhere/main.py", 3, "main"), Frame(source, 88, "rotate"))
    made = ColumnsBuilder()
    made.add("Reshape", [view(1, WIDE)], [dense(90, (64, 2, 128))], stack=stack)
    made.add("Slice", [view(1)], [view(1, WIDE)], stack=stack, attrs={"stream_id": "0"})
    made.add("Mul", [dense(3)], [view(1)], stack=stack, attrs={"stream_id": "0"})
    made.add("Neg", [dense(4)], [dense(3)], stack=stack)
    return built(made, "left.ir")


def right_trace() -> Trace:
    made = ColumnsBuilder()
    made.add("Reshape", [dense(1, WIDE)], [dense(90, (64, 2, 128))])
    made.add("Contiguous", [dense(2, WIDE)], [dense(1, WIDE)])
    made.add("data-7", [dense(70, (4,))])
    made.add(
        "Default/StridedSlice-op3",
        [dense(3)],
        [dense(2, WIDE), dense(70, (4,))],
        attrs={"stream_id": "1"},
    )
    made.add("Default/Mul-op4", [dense(4)], [dense(3)], attrs={"stream_id": "0"})
    made.add("Default/Neg-op5", [dense(5)], [dense(4)])
    return built(made, "right.ir")


def said(what: str) -> Sentence:
    return Sentence.of("detail-test", what=what)


def compared(
    left: Trace,
    right: Trace,
    pairs: Sequence[tuple[int, int]],
    divergences: Sequence[Divergence],
    noise: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> Comparison:
    """A comparison that says just this."""
    sides = []
    for number, trace in enumerate((left, right)):
        partner = np.full(len(trace), -1, np.int32)
        for pair in pairs:
            partner[pair[number]] = pair[1 - number]
        state = np.full(len(trace), State.EQUAL, np.uint8)
        hidden = np.zeros(len(trace), np.bool_)
        hidden[list(noise[number])] = True
        state[hidden] = State.NOISE
        here: list[list[int]] = [[] for _ in range(len(trace))]
        for index, record in enumerate(divergences):
            for row in (record.left_rows, record.right_rows)[number]:
                here[row].append(index)
                state[row] = max(int(state[row]), state_of(record.kind))
        start = np.cumsum([0, *map(len, here)]).astype(np.int64)
        flat = np.array([index for row in here for index in row], np.int32)
        compared_rows = np.ones(len(trace), np.bool_)
        told = (hidden, partner, state, start, flat, compared_inputs(trace))
        sides.append(SideResult(trace, None, compared_rows, *told))
    groups = tuple(
        Group(index, record.kind, said(f"group {index}"), (index,), record.caused_by is None)
        for index, record in enumerate(divergences)
    )
    kinds = np.array([record.kind.number for record in divergences], np.int64)
    return Comparison(Request(), sides[0], sides[1], divergences, kinds, groups)


def shown_in(comparison: Comparison, left: int | None, right: int | None) -> ShownPair:
    traces = (comparison.left.trace, comparison.right.trace)
    return ShownPair(traces=traces, comparison=comparison).at(left, right)
