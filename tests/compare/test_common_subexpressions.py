"""What one side computes in every layer and the other once."""

from __future__ import annotations

import pytest

from opdiff.compare import Request, compare
from opdiff.trace import ColumnsBuilder, Frame, Operand, Source, TensorSpec, Trace

SPEC = TensorSpec("F32", (4, 4))
LAYERS = 3


def layers(
    make: str,
    *,
    once: bool,
    lines: tuple[int, ...] = (7, 7, 7),
    scope: str = "",
    told: str = "",
) -> Trace:
    """Each layer adds what a mask gives: made there, at a line, or all of it in the first one."""
    builder = ColumnsBuilder()
    attrs = {"args": told} if told else {}

    def op(name: str, out: int, *read: int, line: int) -> None:
        operands = [Operand(number, SPEC) for number in read]
        frame = Frame("model.py", line, "construct")
        builder.add(scope + name, [Operand(out, SPEC)], operands, attrs=attrs, stack=(frame,))

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


def test_a_graph_that_merges_what_one_function_does_says_that_it_is_the_same() -> None:
    left = layers("Less", once=False, lines=(7, 17, 27))
    assert suspects(left, layers("Less", once=True, scope="Default/")) == 0


def test_arguments_that_are_told_say_that_it_is_the_same() -> None:
    several = layers("Less", once=False, lines=(7, 17, 27), told="(_, 0.5)")
    assert suspects(several, layers("Less", once=True, told="(_, 0.5)")) == 0


def chain(*ops: tuple[str, int, tuple[int, ...], int], scope: str = "") -> Trace:
    """Ops with their results, what they read, and a line of one function."""
    builder = ColumnsBuilder()
    for name, out, read, line in ops:
        frame = Frame("model.py", line, "construct")
        operands = [Operand(number, SPEC) for number in read]
        builder.add(scope + name, [Operand(out, SPEC)], operands, stack=(frame,))
    columns, tables = builder.build()
    return Trace(Source("trace.ir", "test"), columns, tables)


def test_what_is_made_once_more_before_its_like_has_a_counterpart() -> None:
    """The graph runs it late: it is the last of the eager ones that it is paired with."""
    start, end = ("Tanh", 2, (1,), 5), ("Exp", 9, (8,), 12)
    left = chain(
        start,
        ("Muls", 3, (2,), 7),
        ("SubExt", 4, (1, 3), 7),
        ("Sigmoid", 5, (4,), 8),
        ("Muls", 6, (2,), 9),
        ("AddExt", 7, (5, 6), 9),
        ("Neg", 8, (7,), 10),
        end,
    )
    right = chain(
        start,
        ("Muls", 6, (2,), 9),
        ("SubExt", 4, (1, 6), 7),
        ("Sigmoid", 5, (4,), 8),
        ("AddExt", 7, (5, 6), 9),
        ("Neg", 8, (7,), 10),
        end,
        scope="Default/",
    )
    for pair in ((left, right), (right, left)):
        assert suspects(*pair) == 0


def test_readers_of_what_a_graph_merges_are_paired() -> None:
    """``1 - x`` twice, and once each a product that only the one of both feeds."""
    start, end = ("Tanh", 2, (1,), 5), ("AddExt", 9, (5, 8), 12)
    left = chain(
        start,
        ("Subs", 3, (2,), 7),
        ("Exp", 4, (3,), 7),
        ("Sin", 5, (4,), 8),
        ("Subs", 6, (2,), 9),
        ("Muls", 7, (6,), 9),
        ("Cos", 8, (7,), 10),
        end,
    )
    right = chain(
        start,
        ("Subs", 3, (2,), 7),
        ("Muls", 7, (3,), 9),
        ("Cos", 8, (7,), 10),
        ("Exp", 4, (3,), 7),
        ("Sin", 5, (4,), 8),
        end,
        scope="Default/",
    )
    comparison = compare(left, right, Request())
    assert suspects(left, right) == 0
    assert int(comparison.left.partner[5]) == 2


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


def test_what_several_ops_do_may_read_what_is_shared() -> None:
    start, end = ("Tanh", 2, (1,), 5), ("AddExt", 9, (4, 8), 12)
    left = chain(
        start,
        ("Muls", 3, (2,), 7),
        ("Exp", 4, (3,), 8),
        ("Muls", 6, (2,), 7),
        ("Gelu", 8, (6,), 9),
        end,
    )
    right = chain(
        start,
        ("Muls", 3, (2,), 7),
        ("Exp", 4, (3,), 8),
        ("Erf", 7, (3,), 9),
        ("Pow", 8, (7,), 9),
        end,
    )
    forward = Request(equivalent_here=(((4,), (3, 4)),))
    backward = Request(equivalent_here=(((3, 4), (4,)),))
    for pair in ((left, right, forward), (right, left, backward)):
        assert all(each.harmless for each in compare(*pair).divergences)
