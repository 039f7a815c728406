"""A long layout on few pixels: what is gravest there, and how dense it is. Knows no painting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opdiff.compare import State
from opdiff.trace.columns import Floats, Longs

MOST_PIXELS = 4
"""A height takes no more than this, however few there are."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Heights *first* to *last* on so many pixels each."""

    first: int
    last: int
    pixels: float

    def y_of(self, height: float) -> float:
        """Where a height is."""
        return (min(max(height, self.first), self.last + 1) - self.first) * self.pixels

    def heights_at(self, y: int) -> range:
        """All heights that fall on a pixel."""
        first = self.height_at(y)
        return range(first, max(first, self.height_at(y + 1) - 1) + 1)

    def height_at(self, y: float) -> int:
        """The height at a pixel."""
        found = self.first + int(y / self.pixels) if self.pixels > 0 else self.first
        return min(max(found, self.first), self.last)


def scale_for(severity: NDArray[np.uint8], pixels: int) -> Scale:
    """The compared range on so many pixels; all heights where nothing was compared."""
    inside = np.flatnonzero(severity > State.OUTSIDE)
    first, last = (int(inside[0]), int(inside[-1])) if len(inside) else (0, len(severity) - 1)
    count = max(1, last - first + 1)
    return Scale(first, max(first, last), min(float(MOST_PIXELS), pixels / count))


def worst_a_pixel(severity: NDArray[np.uint8], scale: Scale, pixels: int) -> NDArray[np.uint8]:
    """The most severe state that falls on each pixel, OUTSIDE where none does."""
    part = severity[scale.first : scale.last + 1]
    starts, worst = _starts(len(part), scale, pixels), np.zeros(pixels, np.uint8)
    if len(part):
        worst[: len(starts)] = np.maximum.reduceat(part, starts)
    return worst


def density_a_pixel(severity: NDArray[np.uint8], scale: Scale, pixels: int) -> Floats:
    """Of the heights that fall on each pixel, the share that differs."""
    part = (severity[scale.first : scale.last + 1] >= State.DIFFERENT).astype(np.float64)
    starts, share = _starts(len(part), scale, pixels), np.zeros(pixels)
    if len(part):
        counts = np.maximum(1, np.diff(starts, append=len(part)))
        share[: len(starts)] = np.add.reduceat(part, starts) / counts
    return share


def _starts(heights: int, scale: Scale, pixels: int) -> Longs:
    """The first height of each pixel that has any; several have the same where they are many."""
    used = min(pixels, max(1, round(heights * scale.pixels)))
    return np.arange(used) * heights // used
