"""The sketch of a tensor that someone kept: the very sums that the recorder works out.

A sketch is 16 sums of a tensor's elements, each element in one of them with a fixed sign; of 16
neighbours in logical order every one goes to another sum. It is linear, so the sketches of two
tensors differ by the sketch of their difference, whose length is about that of the difference
itself (the norm): a relative error without either tensor. :mod:`opdiff.record` has the same signs
in a file of its own, which must stand alone.
"""

from __future__ import annotations

import hashlib
import math
import re
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Longs
from opdiff.values.measures import Measure

SUMS = 16
KIND = f"count{SUMS} seed=1"
ROW = 251 * SUMS
"""So many elements have signs of their own; no width of a network divides this number."""
ROWS = 1 << 16
_PIECE = 256
_SEED = b"opdiff sketch, seed 1"
_PRINTED = re.compile(r"sketch<(?P<count>[0-9]{1,18}) (?P<bad>[0-9]{1,18}) (?P<numbers>[^<>]+)>")

Doubles = NDArray[np.float64]


class Signs(NamedTuple):
    """What each element counts as."""

    elements: Doubles
    """The sign of each element of a row."""
    sums: Longs
    """The sum that each element of a row goes to."""
    rows: Doubles
    """The sign of each row."""


@lru_cache(maxsize=1)
def signs() -> Signs:
    """The signs of everybody.

    What is wrong in one column of a matrix lies a multiple of 16 elements apart: that is why
    neighbours change places among the sums. The total of the first n signs of rows keeps near the
    root of n: else a number added to all elements might vanish.
    """
    stream = np.frombuffer(hashlib.shake_256(_SEED).digest(4 * ROW + ROWS), np.uint8)
    drawn = stream[: 4 * ROW].view("<u4")
    sums = np.argsort(drawn.reshape(-1, SUMS), axis=1, kind="stable")
    sums[0] = np.arange(SUMS)
    rows = np.empty(ROWS)
    total = 0.0
    roots = np.sqrt(np.arange(1, ROWS + 1)).tolist()
    for place, (odd, root) in enumerate(zip((stream[4 * ROW :] & 1).tolist(), roots, strict=True)):
        sign = 1.0 if odd else -1.0
        if not 0.8 * root <= total + sign <= 1.3 * root:
            sign = 1.0 if total < root else -1.0
        total += sign
        rows[place] = sign
    return Signs(np.where(drawn & 1, 1.0, -1.0), sums.reshape(-1), rows)


def read_sketch(text: str) -> Measure | None:
    """What :func:`opdiff.record.sketch` prints, as in texts of PyTorch's DebugMode; else None."""
    match = _PRINTED.fullmatch(text)
    if match is None:
        return None
    try:
        norm, *sums = map(float, match["numbers"].split())
    except ValueError:
        return None
    if len(sums) != SUMS:
        return None
    return Measure(
        count=int(match["count"]), nonfinite=int(match["bad"]), norm=norm, sketch=tuple(sums)
    )


@np.errstate(all="ignore")  # sums may overflow: they are infinite then, and nobody is warned
def measure(array: NDArray[np.generic]) -> Measure:
    """What an array holds: statistics and sketch; elements that are not finite stand for 0."""
    flat = _flat(array)
    rows = signs().rows
    wide = flat.dtype.itemsize > 4 or flat.dtype.kind in "iu"
    dtype = np.float64 if wide else np.float32
    columns = np.zeros(ROW)
    norm, total, nonfinite = 0.0, 0.0, 0
    low, high = np.inf, -np.inf
    for first in range(0, len(flat), ROW * _PIECE):
        piece = flat[first : first + ROW * _PIECE].astype(dtype)
        finite = np.isfinite(piece)
        if not finite.all():
            nonfinite += int(np.count_nonzero(~finite))
            good = piece[finite]
            piece = np.where(finite, piece, dtype(0))
        else:
            good = piece
        if len(good):
            low, high = min(low, float(good.min())), max(high, float(good.max()))
            total += float(good.sum(dtype=np.float64))
        norm = math.hypot(norm, _norm(piece))
        columns += _fold(piece, rows, first // ROW)
    finite_count = len(flat) - nonfinite
    sums = np.bincount(signs().sums, columns * signs().elements, SUMS)
    return Measure(
        count=int(array.size),
        nonfinite=nonfinite,
        minimum=low if finite_count else None,
        maximum=high if finite_count else None,
        mean=total / finite_count if finite_count else None,
        norm=norm,
        sketch=tuple(sums.tolist()),
    )


def _norm(piece: NDArray[np.floating]) -> float:
    """The norm of a piece, whose squares might be too large or too small for a number."""
    largest = float(np.abs(piece).max(initial=0.0))
    if not largest:
        return 0.0
    return largest * float(np.linalg.norm(piece.astype(np.float64) / largest))


def _flat(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """All elements in logical order; complex numbers as pairs."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    if flat.dtype.kind not in "biuf":
        raise TypeError(f"no numbers: {flat.dtype}")
    return flat


def _fold(piece: NDArray[np.floating], rows: Doubles, row: int) -> Doubles:
    """The elements of whole rows and of the rest, added up column by column with their signs."""
    count = len(piece) // ROW
    numbers = rows[np.arange(row, row + count + 1) % ROWS].astype(piece.dtype)
    columns = np.zeros(ROW)
    if count:
        columns += numbers[:count] @ piece[: count * ROW].reshape(count, ROW)
    last = piece[count * ROW :]
    columns[: len(last)] += numbers[count] * last
    return columns
