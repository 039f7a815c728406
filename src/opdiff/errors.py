"""What goes wrong in ways a user can mend: always with a place and a next step."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from opdiff.wording import Sentence, say
from opdiff.wording.printable import printable


class OpdiffError(Exception):
    """Trouble to tell the user about: the file, the line and what was expected. Exit status 2."""

    def __init__(
        self,
        said: str | Sentence,
        /,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        **args: str | int | Sentence,
    ) -> None:
        """*said* is a sentence, or the code of one that *args* fill in."""
        self.sentence = Sentence.of(said, **args) if isinstance(said, str) else said
        self.path = None if path is None else str(path)
        self.line = line
        super().__init__(self.sentence, self.path, line)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(OpdiffError, self.sentence, path=self.path, line=self.line), ()

    @classmethod
    def of_system(cls, code: str, error: Exception, path: str | Path) -> OpdiffError:
        """What the system says of a file, in a sentence that takes it as its reason."""
        return cls(code, reason=system_reason(error), path=path)

    def text(self, language: str = "en") -> str:
        """``file:line: what is wrong and what to do``."""
        place = printable(self.path or "")
        if self.line is not None:
            place = f"{place}:{self.line}" if place else f"line {self.line}"
        message = say(self.sentence, language)
        return f"{place}: {message}" if place else message

    def __str__(self) -> str:
        return self.text()


def system_reason(error: Exception) -> str:
    """Why the system failed, in its own words."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
