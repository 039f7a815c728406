"""What the operands of a pair held, for the details: both statistics side by side."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import QCoreApplication

from opdiff.compare import Comparison, Kind, Side
from opdiff.compare.value_phrases import error_text
from opdiff.report.phrases import statistics
from opdiff.ui.details.pairing import ShownPair
from opdiff.ui.details.table import DetailRow, Span
from opdiff.values.measures import Measure

_MOST = 8


def value_fields(comparison: Comparison | None, shown: ShownPair) -> Iterator[DetailRow]:
    """A field for every operand of which a value is known, on either side."""
    if comparison is None or not any(values is not None for values in comparison.held):
        return
    for is_output in (False, True):
        count = max(_operands(comparison, shown, side, is_output) for side in Side)
        for place in range(min(count, _MOST)):
            measures = [_measure(comparison, shown, side, is_output, place) for side in Side]
            texts = [statistics(measure) for measure in measures]
            if not any(texts):
                continue
            error = _error(comparison, shown, is_output, place)
            yield DetailRow(
                _label(is_output, place),
                (Span(texts[0]),) if texts[0] else (),
                (Span(texts[1]), *_said(error)) if texts[1] else (),
                Kind.VALUE if error is not None and error[1] else None,
            )


def _label(is_output: bool, place: int) -> str:
    translate = QCoreApplication.translate
    if is_output:
        return translate("ValueFields", "value of output {0}").format(place)
    return translate("ValueFields", "value of input {0}").format(place)


def _said(error: tuple[float, bool] | None) -> tuple[Span, ...]:
    if error is None:
        return ()
    text = QCoreApplication.translate("ValueFields", "error {0}").format(error_text(error[0]))
    return (Span(f"   {text}", strong=error[1], dim=not error[1], words=True),)


def _operands(comparison: Comparison, shown: ShownPair, side: Side, is_output: bool) -> int:
    values, row = comparison.held[side], shown.row(side)
    if values is None or row is None:
        return 0
    return len(values.side(outputs=is_output).of(row))


def _measure(
    comparison: Comparison, shown: ShownPair, side: Side, is_output: bool, place: int
) -> Measure | None:
    values, row = comparison.held[side], shown.row(side)
    if values is None or row is None:
        return None
    return values.measure(row, place, outputs=is_output)


def _error(
    comparison: Comparison, shown: ShownPair, is_output: bool, place: int
) -> tuple[float, bool] | None:
    """The error of a left operand and whether it is more than noise; None where nobody knows."""
    told = comparison.values
    if told is None or shown.left is None or shown.right is None:
        return None
    pair = int(told.pair_of[0][shown.left])
    if pair < 0 or told.rows(pair)[1] != shown.right:
        return None
    found = told.operand_error(pair, place, is_output=is_output)
    if found is None or np.isnan(found[0]):
        return None
    return found[0], found[0] > found[1]
