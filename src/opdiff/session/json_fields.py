"""Reading JSON that anybody may have edited: every value is checked."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import TypeVar

from opdiff.errors import OpdiffError
from opdiff.wording import Sentence

E = TypeVar("E", bound=Enum)


class Field:
    """A value of the document and where it stands: ``pins[3].left``."""

    def __init__(self, value: object, path: str | None, where: str = "") -> None:
        self._value = value
        self._path = path
        self._where = where

    @property
    def is_absent(self) -> bool:
        """Whether nothing, or null, stands here."""
        return self._value is None

    def holds(self, kind: type) -> bool:
        """Whether a value of some sort stands here."""
        return isinstance(self._value, kind)

    def __getitem__(self, key: str) -> Field:
        where = f"{self._where}.{key}" if self._where else key
        return Field(self.mapping().get(key), self._path, where)

    def __iter__(self) -> Iterator[Field]:
        if self._value is None:
            return
        if not isinstance(self._value, (list, tuple)):
            raise self.wrong("session.a-list")
        for number, value in enumerate(self._value):
            yield Field(value, self._path, f"{self._where}[{number}]")

    def text(self, default: str | None = None) -> str:
        """A text."""
        if self._value is None and default is not None:
            return default
        if not isinstance(self._value, str):
            raise self.wrong("session.a-text")
        return self._value

    def text_if_any(self) -> str | None:
        """A text, or None where nothing stands here."""
        return None if self._value is None else self.text()

    def number(self) -> int:
        """A whole number that is not negative."""
        # JSON's true is a number to Python.
        if not isinstance(self._value, int) or isinstance(self._value, bool) or self._value < 0:
            raise self.wrong("session.a-number")
        return self._value

    def flag(self, *, default: bool) -> bool:
        """True or false."""
        if self._value is None:
            return default
        if not isinstance(self._value, bool):
            raise self.wrong("session.a-flag")
        return self._value

    def one_of(self, choices: type[E], default: E | None = None) -> E:
        """A member of an enumeration by its value."""
        if self._value is None and default is not None:
            return default
        try:
            return choices(self.text())
        except ValueError:
            listed = ", ".join(str(choice.value) for choice in choices)
            raise self.wrong("session.one-of", choices=listed) from None

    def mapping(self) -> dict[str, object]:
        """An object as it is."""
        if self._value is None:
            return {}
        if not isinstance(self._value, dict):
            raise self.wrong("session.an-object")
        return self._value

    def wrong(self, expected: str, **args: str) -> OpdiffError:
        """The complaint that something else was expected here."""
        return OpdiffError(
            "session.wrong-value",
            where=self._where,
            expected=Sentence.of(expected, **args),
            path=self._path,
        )
