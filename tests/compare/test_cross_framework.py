"""One network in MindSpore and in PyTorch, compared without a rules file.

A transformer with what both print, and a network on images as MindSpore's CPU build shows it: by
names and order alone (``tests/formats/image_step_*.py``).
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from opdiff.compare import Comparison, Request, Rules, compare
from opdiff.compare.names.spelling import canonical
from opdiff.compare.names.table import CONSTANTS, HANDING, table_for
from opdiff.readers import open_trace

DATA = Path(__file__).parents[1] / "formats" / "data" / "cross-framework"
TABLE = table_for(Rules())


@cache
def compared(network: str = "") -> Comparison:
    names = (f"{network}{name}.ir.gz" for name in ("mindspore", "torch"))
    left, right = (open_trace(DATA / name) for name in names)
    return compare(left, right, Request())


def computing(network: str) -> list[int]:
    """PyTorch's ops that compute: neither views, copies and casts nor constants."""
    trace = compared(network).right.trace
    passing = HANDING | CONSTANTS
    return [row for row in range(len(trace)) if canonical(trace.type_name(row)) not in passing]


@pytest.mark.parametrize(("network", "most"), [("", 60), ("images.", 40)])
def test_most_ops_that_compute_are_paired_with_one_of_their_job(network: str, most: int) -> None:
    left, right = compared(network).left.trace, compared(network).right.trace
    partner = compared(network).right.partner
    rows = computing(network)
    assert len(rows) > most
    found = [
        row
        for row in rows
        if partner[row] >= 0
        and TABLE.may_pair(right.type_name(row), left.type_name(int(partner[row])))
    ]
    missing = Counter(right.type_name(row) for row in rows if row not in found)
    assert len(found) >= 0.85 * len(rows), missing


@pytest.mark.parametrize(("network", "fewest"), [("", 140), ("images.", 40)])
def test_enough_pairs_and_hardly_a_wrong_one(network: str, fewest: int) -> None:
    left, right = compared(network).left.trace, compared(network).right.trace
    partner = compared(network).left.partner
    rows = np.flatnonzero(partner >= 0).tolist()
    assert len(rows) >= fewest
    names = [(left.type_name(row), right.type_name(int(partner[row]))) for row in rows]
    strange = [pair for pair in names if not TABLE.may_pair(*pair)]
    assert len(strange) <= 0.05 * len(names), strange


def test_linear_layers_are_known_as_such() -> None:
    left, right = compared().left.trace, compared().right.trace
    partner = compared().left.partner
    dense = [row for row in range(len(left)) if left.type_name(row) == "Dense"]
    found = [right.type_name(int(partner[row])) for row in dense if partner[row] >= 0]
    assert len(found) >= len(dense) - 1
    assert set(found) <= {"aten::addmm", "aten::mm"}
