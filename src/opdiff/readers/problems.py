"""Collects what could not be read, with its line numbers."""

from __future__ import annotations

from opdiff.trace import Line, Problem
from opdiff.wording import Sentence
from opdiff.wording.printable import shortened

MOST_PROBLEMS = 1000
"""So many are told one by one; of the rest only their number and where they begin."""
_EXCERPT = 60


class Problems:
    """The problems of one file; neighbouring lines that belong to no record become one stretch."""

    def __init__(self) -> None:
        self._found: list[Problem] = []
        self._surplus = 0
        self._surplus_lines = (0, 0)
        self._skipped: tuple[int, int, bytes] | None = None

    def add(self, code: str, first: int, last: int, **args: int | str) -> None:
        """A problem of lines *first* to *last*; the code is one of the topic ``reading``."""
        self.close()
        self._append(first, last, Sentence.of(f"reading.{code}", **args))

    def add_at(self, line: int, sentence: Sentence) -> None:
        """A problem that has a sentence already."""
        self.close()
        self._append(line, line, sentence)

    def skip(self, line: int, text: bytes) -> None:
        """A line that belongs to no record."""
        if self._skipped is None:
            self._skipped = (line, line, text[: 4 * _EXCERPT])
        else:
            self._skipped = (self._skipped[0], line, self._skipped[2])

    def close(self) -> None:
        """End a stretch of skipped lines: something readable follows."""
        if self._skipped is None:
            return
        first, last, text = self._skipped
        self._skipped = None
        shown = excerpt(text.decode("utf-8", "backslashreplace"))
        self._append(first, last, Sentence.of("reading.unexpected-text", excerpt=shown))

    def _append(self, first: int, last: int, sentence: Sentence) -> None:
        if len(self._found) < MOST_PROBLEMS:
            self._found.append(Problem(Line(first), Line(last), sentence))
            return
        begin, end = self._surplus_lines if self._surplus else (first, last)
        self._surplus += 1
        # Not every file lists its records as they are checked.
        self._surplus_lines = (min(begin, first), max(end, last))

    def all(self) -> tuple[Problem, ...]:
        """All problems in the order of the file."""
        self.close()
        found = sorted(self._found, key=lambda problem: problem.line)
        if self._surplus:
            first, last = self._surplus_lines
            more = Sentence.of("reading.more-problems", count=self._surplus)
            found.append(Problem(Line(first), Line(last), more))
        return tuple(found)


def excerpt(text: str) -> str:
    """The beginning of a text, fit to be shown in a sentence."""
    words = " ".join(text[: 4 * _EXCERPT].split())
    shown = "".join(char if char.isprintable() else "\N{MIDDLE DOT}" for char in words)
    return shortened(shown, _EXCERPT)
