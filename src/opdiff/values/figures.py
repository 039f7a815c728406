"""How far two whole tensors are apart, in the figures that people know."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ONE, FIVE = 1e-3, 5e-3
"""What relative error of an element counts as close: one and five thousandths."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Of two tensors, element by element; NaN is what cannot be told."""

    error: float
    """The norm of the difference through the larger norm."""
    cosine: float
    max_absolute: float
    max_relative: float
    within_one_thousandth: float
    """The share of elements whose relative error is that small."""
    within_five_thousandths: float


def figures(left: NDArray[np.generic], right: NDArray[np.generic]) -> Figures | None:
    """Those of two tensors of one size; None where they hold no numbers or differ in size.

    Elements that are not finite must be equal to agree; they count as infinitely far apart, and
    stand for 0 in norms.
    """
    if left.size != right.size or not left.size:
        return None
    if left.dtype.kind not in "biuf" or right.dtype.kind not in "biuf":
        return None
    one, other = (np.asarray(side, np.float64).reshape(-1) for side in (left, right))
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        apart = np.where(same, 0.0, np.abs(one - other))
        apart[np.isnan(apart)] = np.inf
        relative = np.where(apart > 0.0, apart / np.abs(one), 0.0)
        relative[np.isnan(relative)] = np.inf
    return Figures(
        error=_error(one, other),
        cosine=_cosine(one, other),
        max_absolute=float(apart.max()),
        max_relative=float(relative.max()),
        within_one_thousandth=float(np.mean(relative <= ONE)),
        within_five_thousandths=float(np.mean(relative <= FIVE)),
    )


def _finite(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    kept: NDArray[np.float64] = np.where(np.isfinite(numbers), numbers, 0.0)
    largest = float(np.abs(kept).max(initial=0.0))
    return kept / largest if largest else kept


def _cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The cosine of the angle between them; both scaled, so that no square is too large."""
    a, b = _finite(one), _finite(other)
    lengths = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    if not lengths:
        return 1.0 if not a.any() and not b.any() else math.nan
    return max(-1.0, min(1.0, float(a @ b) / lengths))


def _error(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    if np.count_nonzero(~np.isfinite(one)) != np.count_nonzero(~np.isfinite(other)):
        return 1.0
    a, b = (np.where(np.isfinite(side), side, 0.0) for side in (one, other))
    largest = float(max(np.abs(a).max(), np.abs(b).max()))
    if not largest:
        return 0.0
    a, b = a / largest, b / largest
    return float(np.linalg.norm(a - b) / max(np.linalg.norm(a), np.linalg.norm(b)))
