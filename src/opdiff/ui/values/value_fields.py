"""What the operands of a pair held, for the details: both statistics side by side."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np
from PySide6.QtCore import QCoreApplication

from opdiff.compare import Comparison, Kind
from opdiff.compare.values.value_phrases import error_text
from opdiff.report.phrases import statistics
from opdiff.ui.details.pairing import ShownPair
from opdiff.ui.details.table import DetailRow, Span
from opdiff.values.measures import Measure
from opdiff.values.table import Values

_MOST = 8


def value_fields(shown: ShownPair) -> Iterator[DetailRow]:
    """A field for every operand of which a value is known, on either side."""
    comparison = shown.comparison
    if comparison is None:
        return
    known = list(zip(comparison.held, shown.rows, strict=True))
    for is_output in (False, True):
        both = zip_longest(*(_measures(*each, is_output) for each in known))
        for place, measures in enumerate(both):
            texts = [statistics(measure) for measure in measures]
            if not any(texts):
                continue
            error = _error(comparison, shown.rows, is_output, place)
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


def _measures(values: Values | None, row: int | None, is_output: bool) -> list[Measure | None]:
    if values is None or row is None:
        return []
    count = min(len(values.side(outputs=is_output).of(row)), _MOST)
    return [values.measure(row, place, outputs=is_output) for place in range(count)]


def _error(
    comparison: Comparison, rows: tuple[int | None, int | None], is_output: bool, place: int
) -> tuple[float, bool] | None:
    """The error of a left operand and whether it is more than noise; None where nobody knows."""
    told, (left, right) = comparison.values, rows
    if told is None or left is None or right is None:
        return None
    pair = int(told.pair_of[0][left])
    if pair < 0 or told.rows(pair)[1] != right:
        return None
    found = told.operand_error(pair, place, is_output=is_output)
    if found is None or np.isnan(found[0]):
        return None
    return found[0], found[0] > found[1]
