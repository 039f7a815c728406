"""Arbitrary small traces for property tests, and the same trace as another run would print it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace

TYPES = ("Mul", "Add", "AddExt", "MatMul", "Slice", "StridedSlice", "Contiguous", "Cast", "ReLU")
SPECS = (
    TensorSpec("Float32", (4, 8)),
    TensorSpec("BFloat16", (4, 8)),
    TensorSpec("Float32", (8,)),
    TensorSpec("Float32", (4, 4), (8, 1), 0),
    TensorSpec("Float32", (4, 4), (8, 1), 4),
)
NOISE = ("AclWorkspace", "UpdateOutputDeviceAddress", "kernel_graph_0_HostDSActor", "net.weight")


@dataclass(frozen=True, slots=True)
class SmallOp:
    """One op: memory blocks are small numbers, so that ops often read what others wrote."""

    type: str
    outputs: tuple[tuple[int, int], ...] = ()
    """Block and spec of each."""
    inputs: tuple[tuple[int, int], ...] = ()
    stream: int = 0


SmallTrace = tuple[SmallOp, ...]

_operand = st.tuples(st.integers(0, 7), st.integers(0, len(SPECS) - 1))
_op = st.builds(
    SmallOp,
    st.sampled_from(TYPES),
    st.lists(_operand, max_size=2).map(tuple),
    st.lists(_operand, max_size=3).map(tuple),
    st.sampled_from((0, 0, 0, 1)),
)


def small_traces(least: int = 1, most: int = 12) -> st.SearchStrategy[SmallTrace]:
    """Any small trace at all."""
    return st.lists(_op, min_size=least, max_size=most).map(tuple)


@st.composite
def related_traces(draw: Callable[..., object], most: int = 14) -> tuple[SmallTrace, SmallTrace]:
    """A trace and an edited copy of it: what two runs of one program are like."""
    left: SmallTrace = draw(small_traces(2, most))  # type: ignore[assignment]
    right = list(left)
    edits = st.tuples(st.sampled_from(("drop", "add", "swap")), st.integers(0, most), _op)
    for word, place, op in draw(st.lists(edits, max_size=3)):  # type: ignore[attr-defined]
        at = place % max(1, len(right))
        if word == "add" or not right:
            right.insert(at, op)
        elif word == "drop" and len(right) > 1:
            del right[at]
        else:
            right[at] = replace(op, inputs=right[at].inputs)
    return left, tuple(right)


def without_operands(ops: Sequence[SmallOp]) -> SmallTrace:
    """As a stock build prints it."""
    return tuple(replace(op, inputs=(), outputs=()) for op in ops)


def with_operands(ops: Sequence[SmallOp]) -> SmallTrace:
    """Every op given at least one input and one output."""
    return tuple(
        replace(op, inputs=op.inputs or ((0, 0),), outputs=op.outputs or ((1, 0),)) for op in ops
    )


def build(
    ops: Sequence[SmallOp],
    *,
    first_id: int = 10,
    clock: int = 1,
    scope: str = "",
    noise: Sequence[int] = (),
) -> Trace:
    """The trace of one run: ids, stamps, scope and noise are that run's own."""
    builder = ColumnsBuilder()
    for number, op in enumerate(ops):
        for which in noise:
            if which % (len(ops) + 1) == number:
                builder.add(NOISE[which % len(NOISE)], task=clock + 7 * number)
        outputs, inputs = (
            [Operand(first_id + 3 * block, SPECS[spec]) for block, spec in operands]
            for operands in (op.outputs, op.inputs)
        )
        name = f"{scope}/{op.type}-op{number + clock}" if scope else op.type
        attrs = {"stream_id": str(op.stream)}
        builder.add(name, outputs, inputs, attrs=attrs, task=clock + 7 * number + 1)
    return Trace(Source("small.ir", "mindspore-tracker"), *builder.build())
