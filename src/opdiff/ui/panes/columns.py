"""Where the columns of a pane stand, and how the user drags them."""

from __future__ import annotations

from dataclasses import dataclass

from opdiff.ui.panes.metrics import Metrics

Span = tuple[float, float]
"""Left end and width."""

LEAST_SHARE = 0.08


@dataclass(frozen=True, slots=True)
class ColumnSpans:
    """The columns of a pane at its present width."""

    line: Span
    sign: Span
    op: Span
    output: Span
    origin: Span

    def boundaries(self) -> tuple[float, float]:
        """What can be dragged: the left ends of output and origin."""
        return self.output[0], self.origin[0]


@dataclass(frozen=True, slots=True)
class ColumnShares:
    """How op, output and origin share what line number and sign leave; origin has the rest."""

    op: float = 0.29
    output: float = 0.51

    @property
    def is_sound(self) -> bool:
        """Whether every column has some width."""
        return self.op > 0 and self.output > 0 and self.op + self.output <= 1

    def spans(self, width: float, digits: int, metrics: Metrics) -> ColumnSpans:
        """The columns of a pane *width* wide whose line numbers have up to *digits* digits."""
        line = (metrics.pad, metrics.digit * max(4, digits) + 1)
        sign = (line[0] + line[1] + metrics.em * 0.25, metrics.em * 1.5)
        start = sign[0] + sign[1] + metrics.em * 0.2
        rest = max(0.0, width - start)
        op, output = rest * self.op, rest * self.output
        return ColumnSpans(
            line=line,
            sign=sign,
            op=(start, op),
            output=(start + op, output),
            origin=(start + op + output, rest - op - output),
        )

    def dragged(self, boundary: int, x: float, spans: ColumnSpans) -> ColumnShares:
        """The shares after boundary 0 or 1 was dragged to *x*."""
        start = spans.op[0]
        rest = spans.op[1] + spans.output[1] + spans.origin[1]
        if rest <= 0:
            return self
        share = (x - start) / rest
        if boundary == 0:
            both = self.op + self.output
            op = min(max(share, LEAST_SHARE), both - LEAST_SHARE)
            return ColumnShares(op, both - op)
        output = min(max(share - self.op, LEAST_SHARE), 1.0 - self.op)
        return ColumnShares(self.op, output)
