"""Sentences from below the window, and words for its kinds, in the language the window speaks."""

from __future__ import annotations

from PySide6.QtCore import QEvent

from opdiff.compare import Kind
from opdiff.ui.translations import language
from opdiff.wording import Sentence, say


def spoken(sentence: Sentence) -> str:
    """The sentence in the window's language."""
    return say(sentence, language())


def kind_name(kind: Kind) -> str:
    """A word or two for a chip, a list or a tooltip: those of reports."""
    return spoken(Sentence.of(f"kind.{kind}"))


class Retranslating:
    """What makes a widget say everything again when the window speaks another language."""

    says_again_on: tuple[QEvent.Type, ...] = (QEvent.Type.LanguageChange,)

    def retranslate(self) -> None:
        """Say everything again."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:
        """Speak the window's language."""
        if event.type() in self.says_again_on:
            self.retranslate()
        super().changeEvent(event)  # type: ignore[misc] # of the widget that it is mixed into
