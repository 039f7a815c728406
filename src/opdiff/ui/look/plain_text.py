"""Text from traces, files and users, shown as it is: never taken for markup.

Qt takes a label's text and every tooltip for rich text where it looks like that, and then loads
what the text names: an op called ``<img src="…">`` would open a file. Marks that hide or turn round
what stands beside them are spelled out.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetrics, QResizeEvent, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from opdiff.wording.printable import printable_lines

SELECTABLE = (
    Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
)
"""Text that can be selected and copied, by the mouse and by key."""


class PlainLabel(QLabel):
    """A label that shows its text as it is."""

    def __init__(
        self, text: str = "", parent: QWidget | None = None, *, wrap: bool = False
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Show the text, with what cannot be seen in it spelled out."""
        super().setText(printable_lines(text))


class ElidedLabel(PlainLabel):
    """A line of text that ends in … where there is no room; the tooltip then holds all of it."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setWholeText(self, text: str) -> None:
        """The text to show as far as it fits."""
        self._whole = text = printable_lines(text)
        self.setAccessibleName(text)
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """All of the text, where the layout asks for it."""
        letters = QFontMetrics(self.font())
        return QSize(letters.horizontalAdvance(self._whole) + 1, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Next to nothing: no words keep a panel wide."""
        return QSize(0, super().minimumSizeHint().height())

    def wholeText(self) -> str:
        """The text, also where only its beginning is seen."""
        return self._whole

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide anew."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room = self.contentsRect().width()
        shown = QFontMetrics(self.font()).elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(shown)
        self.setToolTip(tip(self._whole) if shown != self._whole else "")


def tip(text: str) -> str:
    """A tooltip that shows the text as it is, line by line."""
    text = printable_lines(text)
    if not Qt.mightBeRichText(text):
        return text
    return f'<span style="white-space: pre-wrap">{escape(text)}</span>'
