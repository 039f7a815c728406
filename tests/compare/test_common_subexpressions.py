"""What one side computes in every layer and the other once."""

from __future__ import annotations

import pytest

from opdiff.compare import Request, compare
from opdiff.trace import ColumnsBuilder, Frame, Operand, Source, TensorSpec, Trace

SPEC = TensorSpec("F32", (4, 4))
LAYERS = 3


def layers(make: str, *, once: bool, lines: tuple[int, ...] = (7, 7, 7)) -> Trace:
    """Each layer adds what a mask gives: made there, at a line, or all of it in the first one."""
    builder = ColumnsBuilder()

    def op(name: str, out: int, *read: int, line: int) -> None:
        operands = [Operand(number, SPEC) for number in read]
        frame = Frame("model.py", line, "construct")
        builder.add(name, [Operand(out, SPEC)], operands, stack=(frame,))

    x = 10
    for layer in range(LAYERS):
        if not once or not layer:
            op(make, 100 + layer, 1, line=lines[layer])
            op("Muls", 200 + layer, 100 + layer, line=8)
        mask = 200 if once else 200 + layer
        op("Add", x + 1, x, mask, line=9)
        op("Exp", x + 2, x + 1, line=10)
        x += 2
    columns, tables = builder.build()
    return Trace(Source("trace.ir", "test"), columns, tables)


def suspects(left: Trace, right: Trace) -> int:
    return sum(not each.harmless for each in compare(left, right, Request()).divergences)


@pytest.mark.parametrize("turned", [False, True])
def test_a_mask_that_every_layer_makes_anew_is_harmless(turned: bool) -> None:
    pair = layers("Less", once=False), layers("Less", once=True)
    found = compare(*(pair[::-1] if turned else pair), Request())
    assert len(found.divergences) == 2 * (LAYERS - 1)
    assert all(each.harmless for each in found.divergences)


def test_another_line_may_have_another_number() -> None:
    assert suspects(layers("Less", once=False, lines=(7, 17, 27)), layers("Less", once=True)) > 0


def test_an_op_whose_readers_read_something_else_is_not_shared() -> None:
    left, right = layers("Less", once=False), layers("Less", once=True)
    builder = ColumnsBuilder()
    for row in range(len(right)):
        op = right.op(row)
        # The last layer reads the values that came in instead of the mask.
        read = [Operand(50, SPEC) if o.memory == 200 and row > 5 else o for o in op.inputs]
        builder.add(op.name, list(op.outputs), read, stack=op.stack)
    columns, tables = builder.build()
    assert suspects(left, Trace(Source("trace.ir", "test"), columns, tables)) > 0
