"""What is noise: errors that kernels make anyway, by the precision of what they work in.

Noise stays flat along the depth of a network, so a cause is known by a jump and not by a tolerance:
an error over the floor that is so many times that of what it was made from.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from opdiff.errors import OpdiffError
from opdiff.trace.columns import Bytes, Flags, Floats

JUMP = 10.0
"""So many times the error of its source makes an error a cause of its own."""
_PART_OF_FLOOR = 3.0
"""What is below this part of the floor counts as no error at all."""


class Precision(IntEnum):
    """Sorts of elements, as far as noise is concerned."""

    WHOLE = 0
    F64 = 1
    F32 = 2
    F16 = 3
    BF16 = 4
    F8 = 5

    @property
    def word(self) -> str:
        """As options spell it."""
        return self.name.lower()


DEFAULT_FLOORS = (0.0, 1e-12, 2e-6, 2e-3, 1.5e-2, 0.25)
_SPELLINGS = {
    Precision.F64: "float64 double f64 fp64 complex128",
    Precision.F32: "float32 float f32 fp32 complex64 tfloat32",
    Precision.F16: "float16 half f16 fp16 complex32",
    Precision.BF16: "bfloat16 bf16",
    Precision.WHOLE: "whole int uint bool number",
}
_OF_SPELLING = {word: kind for kind, words in _SPELLINGS.items() for word in words.split()}
_WHOLE = re.compile(r"(?:bool|u?int|uchar|char|long|short|byte|qu?int)[0-9_x]*")
_SMALL = re.compile(r"(?:hi)?(?:f|fp|float)[48](?:[_e].*)?")


def precision_of(dtype: str) -> Precision | None:
    """The sort of a dtype, however a framework spells it; None if that is not known."""
    word = dtype.lower().removeprefix("torch.").removeprefix("dt_").strip()
    found = _OF_SPELLING.get(word)
    if found is not None:
        return found
    if _WHOLE.fullmatch(word):
        return Precision.WHOLE
    return Precision.F8 if _SMALL.fullmatch(word) else None


class Floors(NamedTuple):
    """The largest error that is taken for noise, a number a precision."""

    floors: tuple[float, ...] = DEFAULT_FLOORS

    def with_options(self, options: Iterable[str]) -> Floors:
        """The floors with some set by ``bf16=0.03``; raises OpdiffError if one is no such text."""
        floors = list(self.floors)
        for option in options:
            kind, floor = _parse(option)
            floors[kind] = floor
        return Floors(tuple(floors))

    def of_pairs(self, left: Bytes, right: Bytes) -> Floats:
        """The floor of each pair of contents of these precisions: that of the narrower one."""
        table = np.array(self.floors)
        narrower: Floats = np.maximum(table[left], table[right])
        return narrower


NO_FLOORS = Floors((0.0,) * len(Precision))
"""Every bit counts."""


def _parse(option: str) -> tuple[Precision, float]:
    word, equals, text = option.partition("=")
    kind = precision_of(word)
    known = ", ".join(precision.word for precision in Precision)
    if not equals or kind is None:
        raise OpdiffError("values.bad-floor", option=option, known=known)
    try:
        floor = float(text)
    except ValueError:
        floor = math.nan
    if not 0.0 <= floor <= 1.0:
        raise OpdiffError("values.bad-floor-number", option=option)
    return kind, floor


def parse_jump(text: str) -> float:
    """The factor of a jump; raises OpdiffError unless it is a number above 1."""
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not 1.0 < factor < math.inf:
        raise OpdiffError("values.bad-jump", text=text)
    return factor


def jumps(error: Floats, source: Floats, floor: Floats, factor: float = JUMP) -> Flags:
    """Where an error is a cause of its own: over the floor, and so many times that of its source.

    An error that is not known never jumps; a source that is not known counts as none.
    """
    found: Flags = error > floor
    here = np.flatnonzero(found)  # few
    base = np.fmax(np.fmax(source[here], floor[here] / _PART_OF_FLOOR), 0.0)
    found[here] = error[here] >= factor * base
    return found


def within_noise(error: Floats, floor: Floats, factor: float = JUMP) -> Flags:
    """Where an error is known and too small to be a cause of its own, whatever it was made from."""
    return ~np.isnan(error) & ~jumps(error, np.zeros_like(error), floor, factor)
