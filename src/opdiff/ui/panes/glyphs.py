"""Laid-out text, kept: the same few thousand words are drawn over and over."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText

MOST = 20_000

LaidOut = tuple[QStaticText, float, float]


def is_path(text: str) -> bool:
    """Whether text is a scope such as ``Default/layers.3/attention``."""
    return "/" in text and " " not in text


class Glyphs:
    """Laid-out text in one font."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self._metrics = QFontMetricsF(font)
        self._known: dict[tuple[str, int], LaidOut] = {}

    def laid_out(self, text: str, width: float) -> LaidOut:
        """The text, elided to a width, with its width and height.

        Of a path the end says most, of everything else the beginning.
        """
        key = (text, int(width))
        found = self._known.get(key)
        if found is None:
            if len(self._known) > MOST:
                self._known.clear()
            end = Qt.TextElideMode.ElideLeft if is_path(text) else Qt.TextElideMode.ElideRight
            elided = self._metrics.elidedText(text, end, int(width))
            static = QStaticText(elided)
            static.setTextFormat(Qt.TextFormat.PlainText)
            static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            static.prepare(font=self.font)
            size = static.size()
            found = self._known[key] = (static, size.width(), size.height())
        return found
