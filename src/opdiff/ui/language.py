"""Sentences from below the window, in the language the window speaks."""

from __future__ import annotations

from opdiff.ui.translations import language
from opdiff.wording import Sentence, say


def spoken(sentence: Sentence) -> str:
    """The sentence in the window's language."""
    return say(sentence, language())
