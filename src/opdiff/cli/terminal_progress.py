"""Progress on the terminal: one line on stderr that goes away when the work is done."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from time import monotonic
from typing import TextIO

from opdiff.cli.output import as_output
from opdiff.progress import SILENT, Progress
from opdiff.wording import Sentence, say
from opdiff.wording.columns import columns_of
from opdiff.wording.sentence import sentences

_PATIENCE = 0.5
"""Seconds before the first word: short work stays silent."""
_PAUSE = 0.1


class TerminalProgress(Progress):
    """Redraws a line such as ``aligning 62 %``."""

    def __init__(self, out: TextIO, language: str = "en") -> None:
        self._out = as_output(out)
        self._language = language
        self._next = monotonic() + _PATIENCE
        self._width = 0

    def report(self, stage: str, done: int, total: int) -> None:
        """Draw, but not more often than an eye can follow."""
        now = monotonic()
        if now < self._next:
            return
        self._next = now + _PAUSE
        stage = self._said(stage)
        text = f"{stage} {100 * done // total} %" if total else stage
        self._draw(text)

    def _said(self, stage: str) -> str:
        """A stage, which may count something behind its word: ``ranks 3/8``."""
        word, *counted = stage.split(" ", 1)
        code = f"stage.{word}"
        said = say(Sentence.of(code), self._language) if code in sentences() else word
        return " ".join([said, *counted])

    def wipe(self) -> None:
        """Leave the terminal as it was found."""
        if self._width:
            self._draw("")
            self._draw("")

    def _draw(self, text: str) -> None:
        width = columns_of(text)
        self._out.redraw(text + " " * (self._width - width))
        self._out.flush()
        self._width = width


@contextlib.contextmanager
def progress_on(out: TextIO, language: str) -> Iterator[Progress]:
    """Progress for people, gone when the work is done; silence where no terminal watches."""
    if not out.isatty():
        yield SILENT
        return
    progress = TerminalProgress(out, language)
    try:
        yield progress
    finally:
        progress.wipe()
