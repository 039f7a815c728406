"""Laid-out text, kept: the same few thousand words are drawn over and over."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QStaticText

from opdiff.wording.printable import printable

MOST = 20_000

LaidOut = tuple[QStaticText, float, float]
_PLACE = re.compile(r"(?P<file>[^:]+)(?P<line>:\d+) (?P<function>.*)", re.DOTALL)
_LEAST_FUNCTION = 4
"""Letters: less of a function's name says nothing."""


def is_path(text: str) -> bool:
    """Whether text is a scope such as ``Default/layers.3/attention``."""
    return "/" in text and " " not in text


def fitted_place(text: str, width: float, metrics: QFontMetricsF) -> str:
    """``rotary.py:51 apply_rotary_pos_emb`` as far as it fits; the line is what must not be lost.

    First the function gives way, then the beginning of the file's name.
    """
    match = _PLACE.fullmatch(text)
    if match is None or metrics.horizontalAdvance(text) <= width:
        return text
    place = match["file"] + match["line"]
    if metrics.horizontalAdvance(f"{place} {match['function'][:_LEAST_FUNCTION]}…") <= width:
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(width))
    return metrics.elidedText(place, Qt.TextElideMode.ElideLeft, int(width))


class Glyphs:
    """Laid-out text in one font, which gives way where *elided* says if it is too long."""

    def __init__(self, font: QFont, elided: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> None:
        self.font, self._mode = font, elided
        self._metrics = QFontMetricsF(font)
        self._known: dict[tuple[str, int], LaidOut] = {}

    def laid_out(self, text: str, width: float) -> LaidOut:
        """The text, elided to a width, with its width and height."""
        key = (text, int(width))
        found = self._known.get(key)
        if found is None:
            if len(self._known) > MOST:
                self._known.clear()
            elided = self._elided(printable(text), width)
            static = QStaticText(elided)
            static.setTextFormat(Qt.TextFormat.PlainText)
            static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
            static.prepare(font=self.font)
            size = static.size()
            found = self._known[key] = (static, size.width(), size.height())
        return found

    def _elided(self, text: str, width: float) -> str:
        """Of a path the end says most, of a place its line."""
        text = fitted_place(text, int(width), self._metrics)
        end = Qt.TextElideMode.ElideLeft if is_path(text) else self._mode
        return self._metrics.elidedText(text, end, int(width))
