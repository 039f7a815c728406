"""A word to the user that is no error: what changed, what comes next, and a button for it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QPushButton, QWidget

from opdiff.ui.boxes import in_row
from opdiff.ui.language import Retranslating
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.theme import styled


class Notice(Retranslating, QWidget):
    """Says one thing at a time, in the window's language, until it is closed or done with."""

    def __init__(self, name: str = "notice") -> None:
        """*name* is its object name, and the beginning of those of its parts."""
        super().__init__()
        styled(self, "banner", name=name, filled=True)
        self._topic = ""
        self._words: Callable[[], str] | None = None
        self._button_words: Callable[[], str] | None = None
        self._do: Callable[[], None] | None = None
        self._text = styled(PlainLabel(wrap=True), name=f"{name}Text")
        self._button = styled(QPushButton(), name=f"{name}Button")
        self._button.clicked.connect(self._act)
        self._close = styled(QPushButton("×"), name=f"{name}CloseButton")
        self._close.clicked.connect(self._fall_silent)
        in_row(self, (self._text, 1), self._button, self._close, margins=(14, 6, 14, 6))
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    @property
    def topic(self) -> str:
        """What it is about; empty where it says nothing."""
        return "" if self.isHidden() else self._topic

    def tell(
        self,
        topic: str,
        words: Callable[[], str],
        button: Callable[[], str] | None = None,
        do: Callable[[], None] | None = None,
    ) -> None:
        """Say something; the words are asked for again when the language changes."""
        self._topic, self._words, self._button_words, self._do = topic, words, button, do
        self.retranslate()
        self.show()

    def end(self, topic: str) -> None:
        """Say no more of a topic."""
        if self._topic == topic:
            self._fall_silent()

    def _fall_silent(self) -> None:
        """Forget the words too: what they speak of may be gone when the language changes."""
        self._topic, self._words, self._button_words, self._do = "", None, None, None
        self.hide()

    def _act(self) -> None:
        do = self._do
        self._fall_silent()
        if do is not None:
            do()

    def retranslate(self) -> None:
        """Say everything again."""
        self._close.setToolTip(self.tr("Close this message"))
        self._close.setAccessibleName(self.tr("Close this message"))
        if self._words is not None:
            self._text.setText(self._words())
        self._button.setVisible(self._button_words is not None)
        if self._button_words is not None:
            self._button.setText(self._button_words())
