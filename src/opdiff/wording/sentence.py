"""A sentence by its code, and the catalogues that spell it out."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from opdiff.wording.printable import printable

LANGUAGES = ("en", "zh")
_CATALOGUE = Path(__file__).parent / "catalogue"
_HELPS = _CATALOGUE / "help.json"


class Sentence(NamedTuple):
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
    spoken = sentences().get(sentence.code) or helps()[sentence.code]
    return spoken[LANGUAGES.index(language)].format(**filled)


@lru_cache(maxsize=1 << 12)
def _part(sentence: Sentence, language: str) -> str:
    """A sentence within others: places are, hundreds of times."""
    return say(sentence, language)


def _filling(value: str | int | Sentence, language: str) -> str | int:
    if isinstance(value, Sentence):
        return _part(value, language)
    return printable(value) if isinstance(value, str) else value


@cache
def sentences() -> dict[str, tuple[str, str]]:
    """All sentences of all catalogues but that of helps: code → (English, Chinese)."""
    return _read(page for page in sorted(_CATALOGUE.glob("*.json")) if page != _HELPS)


@cache
def helps() -> dict[str, tuple[str, str]]:
    """What ``--help`` says: apart, as whoever asks for something else need not wait for it."""
    return _read([_HELPS])


def _read(pages: Iterable[Path]) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for page in pages:
        for code, (english, chinese) in json.loads(page.read_text(encoding="utf-8")).items():
            if code in found:
                raise ValueError(f"{page.name} defines {code} once more")
            found[code] = (english, chinese)
    return found
