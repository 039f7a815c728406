"""How far two contents are apart: the relative error, as far as their measures tell.

Two tensors that nobody kept have a relative error all the same (the norm of their difference
through the larger norm): sketches are linear, so that of the difference is the difference of both.
Of whole tensors there are also the figures that people know.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Bytes, Flags, Floats, Ints
from opdiff.values.measures import Measures

_TOGETHER = 1 << 16
"""So many pairs are looked at at once, so that what is needed for them stays small."""
ONE, FIVE = 1e-3, 5e-3
"""What relative error of an element counts as close: one and five thousandths."""


class Estimate(IntEnum):
    """What an error was worked out from."""

    NONE = 0
    SKETCH = 1
    STATS = 2
    HASH = 3
    TENSOR = 4

    @property
    def word(self) -> str:
        """As reports spell it; empty where nothing is known."""
        return self.name.lower() if self else ""


class Errors(NamedTuple):
    """The error of each pair of contents, NaN where it is not known; and what tells it."""

    error: Floats
    estimate: Bytes


@np.errstate(all="ignore")
def errors(
    left: Measures, left_index: Ints, right: Measures, right_index: Ints, *, bitwise: bool = False
) -> Errors:
    """The errors of pairs of contents, given by their places in the measures (-1: not known).

    Contents of different size, or with different numbers of elements that are not finite, are
    1 apart. Else sketches tell, if both have one of the same kind; else statistics, relative to
    the largest element; else hashes, 0 or 1. *bitwise* looks at sizes and hashes only.
    """
    error = np.full(len(left_index), np.nan)
    estimate = np.zeros(len(left_index), np.int8)
    for first in range(0, len(left_index), _TOGETHER):
        here = slice(first, first + _TOGETHER)
        known = np.flatnonzero((left_index[here] >= 0) & (right_index[here] >= 0)) + first
        pairs = _Pairs(left, left_index[known], right, right_index[known])
        error[known], estimate[known] = pairs.errors(bitwise=bitwise)
    return Errors(error, estimate)


class _Pairs:
    """Some pairs of contents."""

    def __init__(
        self, left: Measures, left_index: Ints, right: Measures, right_index: Ints
    ) -> None:
        self._left, self._mine = left, left_index
        self._right, self._its = right, right_index

    def errors(self, *, bitwise: bool) -> tuple[Floats, Bytes]:
        """Errors and what tells them."""
        hashes = self._hashes()
        error = np.full(len(self._mine), np.nan) if bitwise else self._sketches()
        estimate = np.where(np.isnan(error), Estimate.NONE, Estimate.SKETCH).astype(np.int8)
        rest = np.flatnonzero(np.isnan(error))
        if len(rest) and not bitwise:
            others = _Pairs(self._left, self._mine[rest], self._right, self._its[rest])
            error[rest] = others._stats()
            estimate[rest[~np.isnan(error[rest])]] = Estimate.STATS
        if hashes is not None:
            fresh = np.isnan(error) & ~np.isnan(hashes)
            error[fresh], estimate[fresh] = hashes[fresh], Estimate.HASH
            error[hashes == 0.0] = 0.0
        error[self._other_size()] = 1.0
        return error, estimate

    def _column(self, name: str) -> tuple[Floats, Floats]:
        return getattr(self._left, name)[self._mine], getattr(self._right, name)[self._its]

    def _other_size(self) -> Flags:
        other = np.zeros(len(self._mine), np.bool_)
        for name in ("count", "nonfinite"):
            mine, its = self._column(name)
            other |= (mine >= 0) & (its >= 0) & (mine != its)
        return other

    def _hashes(self) -> Floats | None:
        """0 where all bits are the same, 1 where they are not; None if nobody has hashes."""
        left, right = self._left, self._right
        if left.digest_kind != right.digest_kind or not left.has_digest.any():
            return None
        mine, its = self._column("has_digest")
        both = mine.astype(np.bool_) & its.astype(np.bool_)
        mine, its = self._column("digest")
        return np.where(both, np.where(mine != its, 1.0, 0.0), np.nan)

    def _sketches(self) -> Floats:
        left, right = self._left, self._right
        comparable = left.sketch_kind == right.sketch_kind and left.sketch.shape[1]
        if not comparable or left.sketch.shape[1] != right.sketch.shape[1]:
            return np.full(len(self._mine), np.nan)
        mine, its = self._column("sketch")
        my_norm, its_norm = self._column("norm")
        norm = np.fmax(my_norm, its_norm)
        # A norm may be missing, or too small or large for the precision it was worked out in.
        lost = np.flatnonzero(~((norm > 0.0) & np.isfinite(norm)))
        norm[lost] = np.maximum(_safe_lengths(mine[lost]), _safe_lengths(its[lost]))
        mine -= its
        apart = _lengths(mine) / np.where(norm > 0.0, norm, 1.0)
        large = np.flatnonzero(~np.isfinite(apart))
        if len(large):  # or none at all
            apart[large] = _lengths(_scaled(mine[large], norm[large]))
            apart[~np.isfinite(apart)] = np.nan
        return apart

    def _stats(self) -> Floats:
        largest = np.full(len(self._mine), np.nan)
        for name in ("minimum", "maximum"):
            for side in self._column(name):
                largest = np.fmax(largest, np.abs(side))
        error = np.full(len(self._mine), np.nan)
        for name in ("minimum", "maximum", "mean"):
            error = np.fmax(error, _relative(*self._column(name), largest))
        mine, its = self._column("norm")
        # A norm grows with the root of the size: so scaled, it is like a large element.
        root = np.sqrt(np.maximum(self._column("count")[0], 1).astype(np.float64))
        counted = np.isfinite(largest) & (self._column("count")[0] > 0)
        scale = np.where(counted, largest * root, np.fmax(mine, its))
        largest_error: Floats = np.fmax(error, _relative(mine, its, scale))
        return largest_error


def _scaled(rows: Floats, scale: Floats) -> Floats:
    """Rows through their scales; those whose scale is 0 are 0 themselves."""
    scaled: Floats = rows / np.where(scale > 0.0, scale, 1.0)[:, None]
    return scaled


def _lengths(rows: Floats) -> Floats:
    lengths: Floats = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return lengths


def _safe_lengths(rows: Floats) -> Floats:
    """The same for numbers whose squares are too large or too small."""
    largest: Floats = np.abs(rows).max(axis=1, initial=0.0)
    return largest * _lengths(_scaled(rows, largest))


def _relative(mine: Floats, its: Floats, scale: Floats) -> Floats:
    """How far two numbers are apart; 1 where only one of them is finite, NaN where one is none."""
    known = ~(np.isnan(mine) | np.isnan(its))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        apart = np.abs(mine - its) / scale
    apart[mine == its] = 0.0
    apart[~np.isfinite(apart)] = 1.0
    apart[~known] = np.nan
    return apart


class Figures(NamedTuple):
    """Of two tensors, element by element; NaN is what cannot be told."""

    error: float
    """The norm of the difference through the larger norm."""
    cosine: float
    max_absolute: float
    max_relative: float
    within_one_thousandth: float
    """The share of elements whose relative error is that small."""
    within_five_thousandths: float


@np.errstate(all="ignore")
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
