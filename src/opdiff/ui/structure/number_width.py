"""How wide a column of numbers has to be."""

from __future__ import annotations

from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from opdiff.ui.fonts import bold

_PADDING = 28


def number_width(widget: QWidget, *texts: str) -> int:
    """Room for the widest of some texts, also where it is bold."""
    metrics = (widget.fontMetrics(), QFontMetrics(bold().resolve(widget.font())))
    widest = max(each.horizontalAdvance(text) for each in metrics for text in texts)
    return widest + _PADDING
