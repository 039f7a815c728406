"""The error along the execution order as a picture: inline SVG, a column a few ops.

The axis of errors is logarithmic. The band at the bottom is noise; marks are causes, each a link to
its group.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.value_comparison import ValueComparison
from opdiff.report.phrases import Phrases
from opdiff.report.value_words import error_line

_WIDTH, _HEIGHT = 1200, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 12, 24
_COLUMNS = 600
"""The curve has at most so many points: of the ops between two of them the worst counts."""
_LOWEST = 1e-9
_MOST_MARKS = 200


def error_curve(phrases: Phrases) -> Iterator[str]:
    """The picture; nothing where no values were compared."""
    told = phrases.listing.comparison.values
    if told is None or not len(told):
        return
    picture = _Picture(told)
    caption = escape(error_line(phrases))
    yield '<figure class="curve">'
    yield (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{caption}" '
        'preserveAspectRatio="none">'
    )
    yield from picture.band()
    yield from picture.axis()
    yield from picture.line()
    yield from _marks(phrases, picture)
    yield f"</svg><figcaption>{caption}</figcaption></figure>"


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

    def band(self) -> Iterator[str]:
        """Noise: below the floor that most ops have."""
        top = self.y(float(np.median(self._floor)))
        height = self.y(_LOWEST) - top
        yield (
            f'<rect class="noise" x="{_LEFT}" y="{top:.1f}" '
            f'width="{_WIDTH - _LEFT - _RIGHT}" height="{height:.1f}"/>'
        )

    def axis(self) -> Iterator[str]:
        """Powers of ten."""
        for power in range(0, -10, -3):
            y = self.y(10.0**power)
            yield (
                f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" '
                f'y1="{y:.1f}" y2="{y:.1f}"/>'
            )
            yield f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">1e{power}</text>'

    def line(self) -> Iterator[str]:
        """The largest error of each stretch of ops."""
        column = self._row * (_COLUMNS - 1) // self._last
        largest = np.full(_COLUMNS, -1.0)
        np.maximum.at(largest, column, self._error)
        there = np.flatnonzero(largest > 0.0)
        points = " ".join(
            f"{self.x(at * self._last // (_COLUMNS - 1)):.1f},{self.y(largest[at]):.1f}"
            for at in there.tolist()
        )
        yield f'<polyline class="error" points="{points}"/>'


def _marks(phrases: Phrases, picture: _Picture) -> Iterator[str]:
    comparison = phrases.listing.comparison
    told = comparison.values
    if told is None:
        return
    listed = {here.group.id: here for here in phrases.listing.groups}
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
            x, y = picture.x(told.rows(pair)[0]), picture.y(float(told.causes.error[pair]))
            title = escape(f"{phrases.place(record)}: {phrases.sentence(record.sentence)}")
            yield (
                f'<a href="#group-{group.id}"><circle class="cause" cx="{x:.1f}" cy="{y:.1f}" '
                f'r="5"><title>{title}</title></circle></a>'
            )
