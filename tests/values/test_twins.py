"""Ops that were paired crosswise are told by what they held."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace
from opdiff.values.causes import find_causes
from opdiff.values.flow import Flow
from opdiff.values.measures import Measure, Measures
from opdiff.values.pairing import ValuedTrace, compare_values
from opdiff.values.sketch import KIND, measure
from opdiff.values.table import Contents, Values
from opdiff.values.twins import settle_twins

RNG = np.random.default_rng(4)
TENSORS = {name: RNG.standard_normal(64).astype(np.float32) for name in "xqkvabc"}
Ops = Sequence[tuple[str, str, str]]
"""Type, input and output of every op; a tensor is called by its name."""


def side(ops: Ops, noise: float = 0.0) -> ValuedTrace:
    """A trace of these ops with what they held."""
    builder, contents = ColumnsBuilder(), list[Measure]()
    inputs, outputs = [], []
    for name, read, written in ops:
        spec = TensorSpec("Float32", (64,))
        blocks = [sorted(TENSORS).index(tensor) for tensor in (read, written)]
        builder.add(name, [Operand(blocks[1], spec)], [Operand(blocks[0], spec)])
        for tensor, places in ((read, inputs), (written, outputs)):
            content = TENSORS[tensor] * (1 + noise * RNG.standard_normal(64))
            places.append(len(contents))
            contents.append(measure(content.astype(np.float32)))
    start = np.arange(len(ops) + 1)
    values = Values(
        "made",
        Measures.of(contents, KIND),
        Contents(start, np.array(inputs, np.int32)),
        Contents(start, np.array(outputs, np.int32)),
    )
    return ValuedTrace(Trace(Source("made", "made"), *builder.build()), values)


def settled(left: ValuedTrace, right: ValuedTrace, pairs: dict[int, int]) -> dict[int, int] | None:
    """The pairs with twins put right."""
    mine, its = np.array(sorted(pairs.items()), np.int32).T
    errors = compare_values(left, right, mine, its).pairs
    causes = find_causes(errors, Flow.of(left.trace), Flow.of(right.trace))
    found = settle_twins(left, right, errors, causes)
    return None if found is None else dict(zip(*(rows.tolist() for rows in found), strict=True))


LEFT = [("aten::relu", "x", "v"), ("aten::mm", "q", "a"), ("aten::mm", "k", "b")]
RIGHT = [("aten::relu", "x", "v"), ("aten::mm", "k", "b"), ("aten::mm", "q", "a")]


def test_crossed_pairs_are_put_right_also_under_noise() -> None:
    for noise in (0.0, 1e-7):
        pairs = {0: 0, 1: 1, 2: 2}
        assert settled(side(LEFT), side(RIGHT, noise), pairs) == {0: 0, 1: 2, 2: 1}


def test_right_pairs_stay() -> None:
    assert settled(side(LEFT), side(LEFT), {0: 0, 1: 1, 2: 2}) is None


def test_a_counterpart_that_had_no_pair() -> None:
    assert settled(side(LEFT[:2]), side(RIGHT), {0: 0, 1: 1}) == {0: 0, 1: 2}


def test_a_wrong_op_is_not_explained_away() -> None:
    """Nothing on the other side is the same: the pair stays what it is, a cause."""
    wrong = [RIGHT[0], ("aten::mm", "c", "b"), ("aten::mm", "k", "b")]
    assert settled(side(LEFT[:2]), side(wrong), {0: 0, 1: 1}) is None


def test_two_that_are_alike_are_not_chosen_between() -> None:
    right = [RIGHT[0], RIGHT[1], RIGHT[2], RIGHT[2]]
    assert settled(side(LEFT[:2]), side(right), {0: 0, 1: 1}) is None
