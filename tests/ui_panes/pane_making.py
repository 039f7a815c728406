"""Traces and comparisons made by hand, so that the panes are tested without the engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opdiff.compare import (
    Comparison,
    Divergence,
    Group,
    Kind,
    Request,
    Side,
    SideResult,
    State,
    state_of,
)
from opdiff.trace import ColumnsBuilder, Frame, Operand, Source, TensorSpec, Trace
from opdiff.wording import Sentence

SPEC = TensorSpec("BFloat16", (64, 2, 128))


def make_trace(names: Sequence[str], path: str = "left.ir") -> Trace:
    """A chain: every op reads what the one before it wrote."""
    builder = ColumnsBuilder()
    for number, name in enumerate(names):
        inputs = [Operand(number - 1, SPEC)] if number else []
        stack = [Frame("/home/user/model.py", 10 + number % 7, f"step_{number % 3}")]
        builder.add(name, [Operand(number, SPEC)], inputs, stack=() if "/" in name else stack)
    return Trace(Source(path, "mindspore-tracker"), *builder.build())


def make_comparison(
    left: Trace,
    right: Trace,
    pairs: Sequence[tuple[int, int]],
    found: Sequence[tuple[Kind, tuple[int, ...], tuple[int, ...]]] = (),
    *,
    request: Request | None = None,
    outside: tuple[Sequence[int], Sequence[int]] = ((), ()),
    noise: tuple[Sequence[int], Sequence[int]] = ((), ()),
    swallowed: tuple[Sequence[int], Sequence[int]] = ((), ()),
) -> Comparison:
    """A comparison that says just this; every other row is equal."""
    request = request or Request()
    divergences = [
        Divergence(kind, left_rows, right_rows, Sentence.of("made", number=number), number)
        for number, (kind, left_rows, right_rows) in enumerate(found)
    ]
    groups = tuple(
        Group(number, divergence.kind, Sentence.of("made", number=number), (number,), True)
        for number, divergence in enumerate(divergences)
    )
    sides = [
        _side(side, trace, pairs, divergences, request, outside[side], noise[side], swallowed[side])
        for side, trace in zip(Side, (left, right), strict=True)
    ]
    kinds = np.array([each.kind.number for each in divergences], np.int64)
    return Comparison(request, sides[0], sides[1], divergences, kinds, groups)


def _side(
    side: Side,
    trace: Trace,
    pairs: Sequence[tuple[int, int]],
    divergences: Sequence[Divergence],
    request: Request,
    outside: Sequence[int],
    noise: Sequence[int],
    swallowed: Sequence[int],
) -> SideResult:
    count = len(trace)
    partner = np.full(count, -1, np.int32)
    for pair in pairs:
        partner[pair[side]] = pair[side.other]
    records: list[list[int]] = [[] for _ in range(count)]
    state = np.full(count, State.EQUAL, np.uint8)
    for index, divergence in enumerate(divergences):
        for row in divergence.rows(side):
            records[row].append(index)
            state[row] = max(int(state[row]), state_of(divergence.kind))
    for rows, value in (
        (outside, State.OUTSIDE),
        (noise, State.NOISE),
        (swallowed, State.SWALLOWED),
    ):
        state[list(rows)] = value
    return SideResult(
        trace=trace,
        anchor=(request.left_anchor, request.right_anchor)[side],
        compared=state != State.OUTSIDE,
        noise=state == State.NOISE,
        partner=partner,
        state=state,
        record_start=np.cumsum([0, *map(len, records)]).astype(np.int64),
        record=np.array([index for of_row in records for index in of_row], np.int32),
        compared_inputs=np.ones(len(trace.inputs.spec), bool),
    )
