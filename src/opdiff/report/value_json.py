"""What values tell, as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from opdiff.compare import Comparison
from opdiff.report.listing import Listing
from opdiff.report.verdict import first_cause
from opdiff.wording import say

if TYPE_CHECKING:
    from opdiff.values.estimate import Figures
    from opdiff.values.measures import Measure


def values_summary(listing: Listing) -> dict[str, object] | None:
    """How many pairs were compared by values and differ; the first cause; None without values."""
    comparison = listing.comparison
    told = comparison.values
    if told is None:
        return None
    neutral = sum(1 for record in comparison.divergences if record.neutral)
    return {
        "compared": len(told),
        "differ": told.differ,
        "causes": len(told.roots()),
        "first": _first(listing),
        "neutral": neutral,
    }


def _first(listing: Listing) -> dict[str, object] | None:
    comparison = listing.comparison
    record = first_cause(comparison)
    if record is None or record.value_pair is None or comparison.values is None:
        return None
    left, right = comparison.left.trace, comparison.right.trace
    return {
        "left_line": int(left.line_of(record.left_rows[0])),
        "right_line": int(right.line_of(record.right_rows[0])),
        "cause": comparison.values.cause(record.value_pair),
        "title": say(comparison.groups[record.group].title, listing.options.language),
    }


def value_fact(comparison: Comparison, pair: int) -> str:
    """How far the values of a pair of ops are apart that differ in values."""
    assert comparison.values is not None
    fact = comparison.values.fact(pair)
    side = "out" if fact.operand.is_output else "in"
    said: dict[str, object] = {
        "cause": fact.cause,
        "error": _number(fact.error),
        "inputs": _number(fact.inputs),
        "floor": _number(fact.floor),
        "estimate": fact.estimate or None,
        "operand": {"side": side, "left": fact.operand.left, "right": fact.operand.right},
        "left": _measure(fact.left),
        "right": _measure(fact.right),
    }
    if fact.figures is not None:
        said["figures"] = _figures(fact.figures)
    return json.dumps(said)


def _measure(measure: Measure | None) -> dict[str, object] | None:
    if measure is None:
        return None
    return {
        "norm": _number(measure.norm),
        "min": _number(measure.minimum),
        "max": _number(measure.maximum),
        "mean": _number(measure.mean),
        "count": measure.count,
        "nonfinite": measure.nonfinite,
    }


def _figures(figures: Figures) -> dict[str, object]:
    return {
        "cosine": _number(figures.cosine),
        "max_abs": _number(figures.max_absolute),
        "max_rel": _number(figures.max_relative),
        "within_1e-3": _number(figures.within_one_thousandth),
        "within_5e-3": _number(figures.within_five_thousandths),
    }


def _number(number: float | None) -> float | None:
    """A number that JSON can hold."""
    return number if number is not None and math.isfinite(number) else None


def curve(comparison: Comparison) -> Iterator[str]:
    """The left line and the error of every pair whose values could be compared."""
    told = comparison.values
    if told is None:
        return
    error = told.error
    known = np.flatnonzero(~np.isnan(error))
    rows = told.compared.pairs.left_row[known]
    lines = comparison.left.trace.columns.line[rows].tolist()
    for line, number in zip(lines, error[known].tolist(), strict=True):
        yield f"[{line}, {json.dumps(_number(number))}]"
