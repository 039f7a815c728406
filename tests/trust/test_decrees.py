"""Anchors and pins are pairs, whatever any step of the engine thinks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.pairs.small_traces import TYPES, SmallOp, build, without_operands

from opdiff.compare import Direction, Equivalent, Request, Rules, compare
from opdiff.readers import open_trace

DATA = Path(__file__).parent / "data"

FOUND = [
    (
        "anchors_not_paired_1_1_{}.ir.gz",
        Request(
            Direction.WHOLE,
            43,
            75,
            rules=Rules(
                counterparts=(("data", "Conv2DBackpropFilter"),),
                same=(("Conv2DBackpropFilter", "GeLUGrad"),),
                equivalent=(Equivalent(("Conv2D", "MatMul"), ("Conv2DBackpropInput",)),),
            ),
        ),
    ),
    ("anchors_not_paired_1_1_{}.ir.gz", Request(Direction.UP, 43, 75)),
    (
        "anchors_not_paired_1_2_{}.ir",
        Request(Direction.UP, 8, 10, pins=((5, 0),), equivalent_here=(((0, 10, 13), (7, 14)),)),
    ),
    # What was called equivalent before the anchor was set on one of its ops.
    (
        "anchors_not_paired_1_2_{}.ir",
        Request(Direction.UP, 8, 10, equivalent_here=(((7, 8), (9, 10)),)),
    ),
    # An anchor that is all there is of its side.
    ("only_the_anchor_{}.ir", Request(Direction.UP, 12, 0)),
]


def assert_decrees_hold(left, right, request: Request) -> None:
    comparison = compare(left, right, request)
    decreed = [*request.pins, (request.left_anchor, request.right_anchor)]
    for one, two in decreed:
        assert comparison.left.partner[one] == two
        assert comparison.right.partner[two] == one


@pytest.mark.parametrize(("name", "request_"), FOUND)
def test_anchors_that_were_once_given_up(name: str, request_: Request) -> None:
    left, right = (open_trace(DATA / name.format(side)) for side in "lr")
    assert_decrees_hold(left, right, request_)


def _ops(random: np.random.Generator, count: int) -> list[SmallOp]:
    """A program that reads what it wrote a little earlier, as real ones do."""
    ops = []
    for number in range(count):
        inputs = tuple(
            (int(number - back) % 60, 0)
            for back in random.integers(1, 6, size=int(random.integers(1, 3)))
        )
        ops.append(SmallOp(TYPES[int(random.integers(len(TYPES)))], ((number % 60, 0),), inputs))
    return ops


def _edited(random: np.random.Generator, ops: list[SmallOp]) -> list[SmallOp]:
    ops = list(ops)
    for _ in range(int(random.integers(1, 8))):
        at = int(random.integers(len(ops)))
        match int(random.integers(4)):
            case 0:
                del ops[at]
            case 1:
                ops.insert(at, ops[int(random.integers(len(ops)))])
            case 2:
                other = int(random.integers(len(ops)))
                ops[at], ops[other] = ops[other], ops[at]
            case _:
                ops[at] = replace(ops[at], inputs=(*reversed(ops[at].inputs), (9, 0)))
    return ops


def _decrees(random: np.random.Generator, left: int, right: int) -> list[tuple[int, int]]:
    count = int(random.integers(1, 5))
    rows = sorted(random.choice(left, count, replace=False).tolist())
    others = sorted(random.choice(right, count, replace=False).tolist())
    return list(zip(rows, others, strict=True))


@pytest.mark.parametrize("seed", range(40))
def test_random_anchors_and_pins_hold_on_random_pairs(seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(6):
        ops = _ops(random, 48)
        others = _edited(random, ops)
        if random.random() < 0.2:
            others = list(without_operands(others))
        left, right = build(ops), build(others, first_id=900)
        decreed = _decrees(random, len(left), len(right))
        direction = Direction(random.choice([d.value for d in Direction]))
        anchor = decreed.pop(0 if direction is Direction.DOWN else -1)
        rules = Rules(equivalent=(Equivalent(("Mul", "Add"), ("MatMul",)),))
        request = Request(direction, *anchor, pins=tuple(decreed), rules=rules)
        assert_decrees_hold(left, right, request)
        assert_decrees_hold(left, right, replace(request, rules=Rules()))
