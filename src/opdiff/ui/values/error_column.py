"""The column of errors at the right of a pane: a number on a colour, by powers of ten."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from opdiff.trace.columns import Floats
from opdiff.ui.look.theme import current, draw_box
from opdiff.ui.panes.glyphs import Glyphs
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.values.log_colour import colour_of, error_label

_LETTERS = 5


def room_for_errors() -> float:
    """How wide the column is."""
    return metrics().digit * _LETTERS + metrics().em * 0.8


class ErrorColumn:
    """Paints the errors of rows; what is noise is said, not coloured."""

    def __init__(self) -> None:
        self._theme, self._metrics = current(), metrics()
        self._code = Glyphs(self._metrics.code)

    def paint(
        self,
        painter: QPainter,
        rows: Iterable[tuple[int, int]],
        errors: Floats,
        floors: Floats,
        span: tuple[float, float],
    ) -> None:
        """Paint the column; *rows* are rows and where they stand."""
        step, gap = self._metrics.row, self._metrics.em * 0.15
        painter.setFont(self._code.font)
        for row, y in rows:
            error = float(errors[row])
            if np.isnan(error):
                continue
            over = error > floors[row]
            box = QRectF(span[0] + gap, y + gap, span[1] - 2 * gap, step - 2 * gap)
            if over:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
                draw_box(painter, box, 3, colour_of(self._theme, error))
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(self._theme.text if over else self._theme.outside)
            static, width, height = self._code.laid_out(error_label(error), box.width())
            x = box.right() - width - gap * 2
            painter.drawStaticText(QPointF(x, y + (step - height) / 2), static)
