"""Sizes of everything in the panes, all of them from the fonts at the present scale of text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetricsF

from opdiff.ui.look.fonts import code_font, text_scale, ui_font


@dataclass(frozen=True, slots=True)
class Metrics:
    """Fonts and sizes at one scale."""

    fold: QFont
    medium: QFont
    bold: QFont
    small: QFont
    code: QFont
    em: float
    """Height of ordinary text: the unit of all distances."""
    row: int
    digit: float
    """Width of a letter of code."""
    small_letter: float
    """Width of a usual letter of small text."""
    strip: int
    overview: int
    edge: int

    @property
    def pad(self) -> float:
        """Distance between a border and what stands beside it."""
        return round(self.em * 0.55)


def metrics() -> Metrics:
    """Sizes at the present scale of text."""
    return _metrics_at(text_scale())


@lru_cache(maxsize=2)
def _metrics_at(_scale: float) -> Metrics:
    code = code_font()
    em = QFontMetricsF(ui_font()).height()
    return Metrics(
        fold=ui_font(0.93),
        medium=ui_font(weight=QFont.Weight.Medium),
        bold=ui_font(weight=QFont.Weight.Bold),
        small=ui_font(0.86),
        code=code,
        em=em,
        row=round(em * 1.64),
        digit=QFontMetricsF(code).horizontalAdvance("0"),
        small_letter=QFontMetricsF(ui_font(0.86)).horizontalAdvance("n"),
        strip=round(em * 4.5),
        overview=round(em * 1.9),
        edge=max(2, round(em * 0.19)),
    )
