"""Differences that a mask of large numbers hides are still where softmax has its own from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from recorded_runs import Array, Run

from opdiff.compare import Comparison, Request, compare
from opdiff.readers import open_trace
from opdiff.readers.trace_values import read_values
from opdiff.values.question import Held

SIZE = 16
FUTURE = np.triu(np.ones((SIZE, SIZE), bool), 1)


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def attention(*, scale: float, low: float, wrong_softmax: bool = False, added: bool = False) -> Run:
    """Two layers of scores that are scaled, masked, copied, weighed and mixed."""
    run = Run()
    made = np.random.default_rng(3)
    x = run.outside(made.normal(size=(SIZE, SIZE)))
    mask = run.outside(np.where(FUTURE, low, 0.0))
    for layer in range(2):
        factor = scale if layer == 0 else 0.5
        scores = run.op("aten::mm", [x, x], lambda a, b: a @ b.T)
        scores = run.op("aten::mul", [scores], lambda a, f=factor: a * f)
        if added:
            scores = run.op("aten::add", [scores, mask], lambda a, b: a + b)
        else:
            scores = run.op("aten::masked_fill", [scores], lambda a: np.where(FUTURE, low, a))
        scores = run.op("aten::clone", [scores], np.copy)
        more = 1.01 if wrong_softmax and layer == 1 else 1.0
        weights = run.op("aten::_softmax", [scores], lambda a, m=more: softmax(a) * m)
        x = run.op("aten::mm", [weights, x], lambda a, b: a @ b)
    return run


def compared(folder: Path, left: Run, right: Run) -> Comparison:
    paths = left.write(folder, "left"), right.write(folder, "right")
    traces = [open_trace(path) for path in paths]
    held = Held(*(read_values(trace) for trace in traces))
    return compare(traces[0], traces[1], Request(), held=held)


def causes(comparison: Comparison) -> list[tuple[int, str]]:
    assert comparison.values is not None
    trace = comparison.left.trace
    found = comparison.values.causes
    rows = comparison.values.compared.pairs.left_row[found.roots()].tolist()
    return [(row, trace.type_name(row)) for row in rows]


@pytest.mark.parametrize("low", [-1e9, -1e4, float(np.finfo(np.float32).min), -np.inf])
@pytest.mark.parametrize("added", [False, True])
def test_what_reads_a_masked_tensor_is_not_to_blame(
    low: float, added: bool, tmp_path: Path
) -> None:
    left, right = (attention(scale=scale, low=low, added=added) for scale in (0.5, 0.4))
    assert causes(compared(tmp_path, left, right)) == [(1, "aten::mul")]


def test_a_wrong_softmax_behind_a_mask_is_still_named(tmp_path: Path) -> None:
    left, right = (attention(scale=0.5, low=-1e9, wrong_softmax=wrong) for wrong in (False, True))
    assert causes(compared(tmp_path, left, right)) == [(10, "aten::_softmax")]
