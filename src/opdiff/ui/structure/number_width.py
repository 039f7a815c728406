"""How wide a column of numbers has to be."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QWidget

from opdiff.ui.fonts import ui_font

_PADDING = 28


def number_width(widget: QWidget, *texts: str) -> int:
    """Room for the widest of some texts, also where it is bold."""
    metrics = (widget.fontMetrics(), QFontMetrics(ui_font(1.0, QFont.Weight.Bold)))
    widest = max(each.horizontalAdvance(text) for each in metrics for text in texts)
    return widest + _PADDING
