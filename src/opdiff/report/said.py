"""Sentences spelled out once, however often they are said."""

from __future__ import annotations

from collections.abc import Callable

from opdiff.wording import Sentence, say


class Said:
    """Spells sentences out in one language and form; the same ones repeat over all layers.

    They are known by identity, for hashing one takes longer than looking up all the rest of a
    record; those seen are held, so that none takes the identity of another.
    """

    def __init__(self, language: str, form: Callable[[str], str]) -> None:
        self._language = language
        self._form = form
        self._seen: dict[int, tuple[Sentence, str]] = {}

    def __call__(self, sentence: Sentence) -> str:
        """The sentence in its form."""
        found = self._seen.get(id(sentence))
        if found is None:
            found = (sentence, self._form(say(sentence, self._language)))
            self._seen[id(sentence)] = found
        return found[1]
