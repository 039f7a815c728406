"""A sentence by its code, and the catalogues that spell it out."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from functools import cache

from opdiff.wording import catalogue
from opdiff.wording.printable import printable

LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the catalogues: its code and what fills it in.

    An argument may be a sentence itself; it is said in the same language.
    """

    code: str
    args: tuple[tuple[str, str | int | Sentence], ...] = ()

    @classmethod
    def of(cls, code: str, **args: str | int | Sentence) -> Sentence:
        """A sentence with its arguments by name."""
        return cls(code, tuple(args.items()))

    def __str__(self) -> str:
        return say(self)


def say(sentence: Sentence, language: str = "en") -> str:
    """The sentence spelled out in ``en`` or ``zh``, on one line whatever names stand in it."""
    filled = {name: _filling(value, language) for name, value in sentence.args}
    return sentences()[sentence.code][LANGUAGES.index(language)].format(**filled)


def _filling(value: str | int | Sentence, language: str) -> str | int:
    if isinstance(value, Sentence):
        return say(value, language)
    return printable(value) if isinstance(value, str) else value


@cache
def sentences() -> dict[str, tuple[str, str]]:
    """All sentences of all catalogues: code → (English, Chinese)."""
    found: dict[str, tuple[str, str]] = {}
    for module in pkgutil.iter_modules(catalogue.__path__):
        page = importlib.import_module(f"{catalogue.__name__}.{module.name}").SENTENCES
        twice = found.keys() & page.keys()
        if twice:
            raise ValueError(f"sentences defined twice: {sorted(twice)}")
        found.update(page)
    return found
