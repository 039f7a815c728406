"""The error along the execution order as a picture: inline SVG, a column a few ops.

The axis of errors is logarithmic. The band at the bottom is noise; marks are causes, each a link to
its group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.values.value_comparison import ValueComparison
from opdiff.report.phrases import Phrases

_WIDTH, _HEIGHT = 1200, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 12, 24
_COLUMNS = 600
"""The curve has at most so many points: of the ops between two of them the worst counts."""
_LOWEST = 1e-9
_MOST_MARKS = 200


def error_curve(phrases: Phrases) -> Curve | None:
    """What the picture shows; None where no values were compared."""
    told = phrases.listing.comparison.values
    if told is None or not len(told):
        return None
    picture = _Picture(told)
    return Curve(
        caption=phrases.say("values.curve"),
        noise_top=picture.noise_top(),
        grid=[(power, picture.y(10.0**power)) for power in range(0, -10, -3)],
        points=picture.points(),
        marks=list(_marks(phrases, told, picture)),
    )


class CurveMark(NamedTuple):
    """A cause in the picture."""

    group: int
    x: float
    y: float
    title: str


class Curve(NamedTuple):
    """Places in the picture, for the template to draw."""

    caption: str
    noise_top: float
    """Noise lies below it: below the floor that most ops have."""
    grid: list[tuple[int, float]]
    """Powers of ten, and how high they stand."""
    points: list[tuple[float, float]]
    """The largest error of each stretch of ops."""
    marks: list[CurveMark]
    width: int = _WIDTH
    height: int = _HEIGHT
    left: int = _LEFT
    right: int = _WIDTH - _RIGHT
    bottom: int = _HEIGHT - _BOTTOM


class _Picture:
    """Where things stand in it."""

    def __init__(self, told: ValueComparison) -> None:
        error = told.error
        known = np.flatnonzero(~np.isnan(error))
        self._row = told.compared.pairs.left_row[known].astype(np.int64)
        self._error: NDArray[np.float64] = np.clip(error[known], _LOWEST, 1.0)
        self._floor = told.floor[known]
        self._last = max(int(self._row.max()), 1)

    def x(self, row: int) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * row / self._last

    def y(self, error: float) -> float:
        part = math.log10(min(max(error, _LOWEST), 1.0)) / math.log10(_LOWEST)
        return _TOP + (_HEIGHT - _TOP - _BOTTOM) * part

    def noise_top(self) -> float:
        return self.y(float(np.median(self._floor)))

    def points(self) -> list[tuple[float, float]]:
        column = self._row * (_COLUMNS - 1) // self._last
        largest = np.full(_COLUMNS, -1.0)
        np.maximum.at(largest, column, self._error)
        there = np.flatnonzero(largest > 0.0)
        return [
            (self.x(at * self._last // (_COLUMNS - 1)), self.y(largest[at]))
            for at in there.tolist()
        ]


def _marks(phrases: Phrases, told: ValueComparison, picture: _Picture) -> Iterator[CurveMark]:
    comparison = phrases.listing.comparison
    listed = {here.group.id for here in phrases.listing.groups}
    shown = 0
    for group in comparison.groups:
        for index in group.members if group.id in listed else ():
            record = comparison.divergences[index]
            pair = record.value_pair
            if pair is None or not told.causes.cause[pair]:
                break
            if shown == _MOST_MARKS:
                return
            shown += 1
            title = f"{phrases.place(record)}: {phrases.sentence(record.sentence)}"
            x, y = picture.x(told.rows(pair)[0]), picture.y(float(told.causes.error[pair]))
            yield CurveMark(group.id, x, y, title)
