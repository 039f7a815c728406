"""Where the columns of a pane stand: as wide as their text wants, or as the user dragged them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.trace import Trace
from opdiff.trace.columns import Ints
from opdiff.ui.panes.metrics import Metrics

Span = tuple[float, float]
"""Left end and width."""

LEAST_SHARE = 0.08
_OP_RANGE = (0.2, 0.33)
_OUTPUT_RANGE = (0.3, 0.53)
_LEAST_ORIGIN = 3.5
"""In heights of a line: with less the origin says nothing, and the output takes its place."""
_FITTING = 0.95
"""How many of the rows should not need to be elided."""


@dataclass(frozen=True, slots=True)
class ColumnSpans:
    """The columns of a pane at its present width."""

    line: Span
    sign: Span
    op: Span
    output: Span
    origin: Span
    error: Span = (0.0, 0.0)
    """Without width where nothing is known of values."""

    def boundaries(self) -> tuple[float, float]:
        """What can be dragged: the left ends of output and origin."""
        return self.output[0], self.origin[0]

    def dragged(self, boundary: int, x: float) -> ColumnShares:
        """The shares after boundary 0 or 1 was dragged to *x*."""
        rest = max(1.0, self.op[1] + self.output[1] + self.origin[1])
        op, both = self.op[1] / rest, (self.op[1] + self.output[1]) / rest
        share = (x - self.op[0]) / rest
        if boundary == 0:
            op = min(max(share, LEAST_SHARE), both - LEAST_SHARE)
        else:
            both = min(max(share, op + LEAST_SHARE), 1.0)
        return ColumnShares(op, both - op)


@dataclass(frozen=True, slots=True)
class ColumnShares:
    """How op, output and origin share what line number and sign leave; origin has the rest."""

    op: float
    output: float

    @property
    def is_sound(self) -> bool:
        """Whether every column has some width."""
        return self.op > 0 and self.output > 0 and self.op + self.output <= 1


@dataclass(frozen=True, slots=True)
class ColumnWishes:
    """How many letters op and output would like to show, and digits the line number."""

    op: int = 10
    output: int = 16
    digits: int = 4

    @classmethod
    def of(cls, trace: Trace) -> ColumnWishes:
        """What nearly all rows of a trace need."""
        if not len(trace):
            return cls()
        return cls(
            op=_letters([len(name) for name in trace.types], trace.type),
            output=_letters([len(spec.text) for spec in trace.tables.specs], trace.outputs.spec),
            digits=max(4, len(str(int(trace.columns.line[-1])))),
        )

    def joined(self, other: ColumnWishes) -> ColumnWishes:
        """What two traces need, so that their columns look alike."""
        return ColumnWishes(
            max(self.op, other.op),
            max(self.output, other.output),
            max(self.digits, other.digits),
        )

    def spans(
        self, width: float, metrics: Metrics, shares: ColumnShares | None, error: float = 0.0
    ) -> ColumnSpans:
        """The columns of a pane *width* wide, in the user's *shares* if there are any.

        *error* is the width of the column of errors, where there is one.
        """
        width -= error
        line = (metrics.pad, metrics.digit * self.digits + 1)
        sign = (line[0] + line[1] + metrics.em * 0.25, metrics.em * 1.5)
        start = sign[0] + sign[1] + metrics.em * 0.2
        rest = max(0.0, width - start)
        shares = shares or self._shares(rest, metrics)
        op, output = rest * shares.op, rest * shares.output
        return ColumnSpans(
            line=line,
            sign=sign,
            op=(start, op),
            output=(start + op, output),
            origin=(start + op + output, rest - op - output),
            error=(width, error),
        )

    def _shares(self, rest: float, metrics: Metrics) -> ColumnShares:
        room = max(1.0, rest)
        op = (self.op * metrics.letter + metrics.em) / room
        output = (self.output * metrics.digit + metrics.em) / room
        op, output = _within(op, _OP_RANGE), _within(output, _OUTPUT_RANGE)
        if (1 - op - output) * rest < _LEAST_ORIGIN * metrics.em:
            output = 1 - op
        return ColumnShares(op, output)


def _within(value: float, limits: tuple[float, float]) -> float:
    return min(max(value, limits[0]), limits[1])


def _letters(lengths: list[int], uses: Ints) -> int:
    """The length that nearly all uses of some texts fit in."""
    if not len(uses):
        return 0
    counts = np.bincount(np.array(lengths, np.int64)[uses])
    return int(np.searchsorted(np.cumsum(counts), _FITTING * len(uses)))
