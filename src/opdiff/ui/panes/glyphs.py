"""Laid-out text, kept: the same few thousand words are drawn over and over."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText

MOST = 20_000


class Glyphs:
    """Laid-out text in one font."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self._metrics = QFontMetricsF(font)
        self._known: dict[tuple[str, int], tuple[QStaticText, float, float]] = {}

    def laid_out(self, text: str, width: float) -> tuple[QStaticText, float, float]:
        """The text, elided to a width, with its width and height."""
        key = (text, int(width))
        found = self._known.get(key)
        if found is None:
            if len(self._known) > MOST:
                self._known.clear()
            elided = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(width))
            static = QStaticText(elided)
            static.setTextFormat(Qt.TextFormat.PlainText)
            static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            static.prepare(font=self.font)
            size = static.size()
            found = self._known[key] = (static, size.width(), size.height())
        return found
