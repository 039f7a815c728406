"""Text from traces, files and users, shown as it is: never taken for markup.

Qt takes a label's text and every tooltip for rich text where it looks like that, and then loads
what the text names: an op called ``<img src="…">`` would open a file.
"""

from __future__ import annotations

from html import escape

from PySide6.QtGui import Qt
from PySide6.QtWidgets import QLabel, QWidget


class PlainLabel(QLabel):
    """A label that shows its text as it is."""

    def __init__(
        self, text: str = "", parent: QWidget | None = None, *, wrap: bool = False
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setText(text)


def tip(text: str) -> str:
    """A tooltip that shows the text as it is, line by line."""
    if not Qt.mightBeRichText(text):
        return text
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>'
