"""Sizes of everything in the panes, all of them from the fonts at the current zoom."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QFont, QFontMetricsF

from opdiff.ui.fonts import code_font, ui_font

ZOOM_STEP = 1.1


@dataclass(frozen=True, slots=True)
class Metrics:
    """Fonts and sizes at one zoom."""

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


def metrics_at(zoom: int) -> Metrics:
    """Sizes after that many steps of zooming in (or out, if negative)."""
    scale = ZOOM_STEP**zoom
    code, bold = code_font(scale), ui_font(scale, QFont.Weight.Bold)
    em = QFontMetricsF(ui_font(scale)).height()
    return Metrics(
        fold=ui_font(scale * 0.93),
        medium=ui_font(scale, QFont.Weight.Medium),
        bold=bold,
        small=ui_font(scale * 0.86),
        code=code,
        em=em,
        row=round(em * 1.64),
        digit=QFontMetricsF(code).horizontalAdvance("0"),
        small_letter=QFontMetricsF(ui_font(scale * 0.86)).horizontalAdvance("n"),
        strip=round(em * 4.5),
        overview=round(em * 1.9),
        edge=max(2, round(em * 0.19)),
    )
