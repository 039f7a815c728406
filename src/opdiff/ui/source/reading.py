"""Source files read and coloured on another thread: a disk may be far away."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QColor

from opdiff.errors import OpdiffError
from opdiff.report.source_text import Excerpt, SourceText, is_remote, read_source
from opdiff.ui.look.theme import Theme
from opdiff.wording import Sentence

MOST_LETTERS = 200_000
"""Read from the top of the file, so that long texts are known as such; beyond that only a part."""

InkedText = tuple[str, "Ink"]
_LOOK_MS = 10
_MOST_KEPT = 32


class Ink(Enum):
    """What a piece of code is; each has a colour in each theme (light, dark)."""

    PLAIN = ("", "")
    KEYWORD = ("#8A2DA5", "#D19AE8")
    NAME = ("#1257B8", "#7FB4F5")
    BUILTIN = ("#00646E", "#63C3CE")
    STRING = ("#2A6A1E", "#9CCB86")
    NUMBER = ("#9A4A00", "#E8AE6B")
    COMMENT = ("#5B6673", "#9BA6B2")

    def colour(self, theme: Theme) -> QColor:
        """The colour in a theme."""
        name = self.value[1 if theme.dark else 0]
        return QColor(name) if name else theme.text


def highlighted(lines: tuple[str, ...], first: int, last: int) -> list[list[InkedText]]:
    """The lines from *first* to *last*, counted from 1, each in pieces of one ink."""
    start = 0 if sum(map(len, lines[:last])) <= MOST_LETTERS else first - 1
    text = "\n".join(lines[start:last])
    found: list[list[InkedText]] = [[]]
    for kind, value in _lexer().get_tokens(text):
        ink = _ink_of(kind)
        for number, piece in enumerate(value.split("\n")):
            if number:
                found.append([])
            if piece:
                found[-1].append((piece, ink))
    wanted = found[first - 1 - start : last - start]
    return wanted + [[] for _ in range(last - first + 1 - len(wanted))]


@cache
def _lexer() -> Any:
    from pygments.lexers.python import PythonLexer  # takes a moment: nobody waits for it at start

    return PythonLexer(stripnl=False, ensurenl=False)


@cache
def _ink_of(kind: Any) -> Ink:
    from pygments.token import Token

    for parent, ink in (
        (Token.Comment, Ink.COMMENT),
        (Token.Literal.String.Doc, Ink.STRING),
        (Token.Literal.String, Ink.STRING),
        (Token.Literal.Number, Ink.NUMBER),
        (Token.Operator.Word, Ink.KEYWORD),
        (Token.Keyword, Ink.KEYWORD),
        (Token.Name.Function, Ink.NAME),
        (Token.Name.Class, Ink.NAME),
        (Token.Name.Decorator, Ink.NAME),
        (Token.Name.Builtin, Ink.BUILTIN),
        (Token.Name.Exception, Ink.BUILTIN),
    ):
        if kind in parent:
            return ink
    return Ink.PLAIN


@dataclass(frozen=True, slots=True)
class Passage:
    """Some lines of a source in colours, or why there are none."""

    excerpt: Excerpt | None = None
    spans: tuple[tuple[InkedText, ...], ...] = ()
    error: OpdiffError | None = None


Answer = Callable[[Passage], None]
_Wish = tuple[str, int, bool]


class SourceReader(QObject):
    """Answers on the main thread, one wish a slot: a newer wish makes an older one void."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._texts = _Texts()
        self._waiting: dict[object, tuple[list[Passage], Answer]] = {}
        # Looked at from here: a signal from a thread would have to outlive what it is sent to.
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._deliver)

    def read(self, slot: object, path: str, line: int, answer: Answer, *, mapped: bool) -> None:
        """Read the lines around a line; the answer comes later."""
        box: list[Passage] = []
        self._waiting[slot] = (box, answer)
        wish = (path, line, mapped)
        # A daemon: a disk that never answers must not keep the program from ending.
        threading.Thread(
            target=lambda: box.append(self._texts.passage(wish)), name="source", daemon=True
        ).start()
        self._look.start()

    def forget(self, slot: object) -> None:
        """Nobody waits for this any more."""
        self._waiting.pop(slot, None)

    def _deliver(self) -> None:
        ready = [slot for slot, (box, _) in self._waiting.items() if box]
        for slot in ready:
            box, answer = self._waiting.pop(slot)
            answer(box[0])
        if not self._waiting:
            self._look.stop()


class _Texts:
    """The files read lately, as long as they do not change."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[tuple[int, int], SourceText]] = OrderedDict()
        self._lock = threading.Lock()

    def passage(self, wish: _Wish) -> Passage:
        path, line, mapped = wish
        try:
            text = self._text(path, mapped)
            excerpt = text.around(line)
            if excerpt is None:
                sentence = Sentence.of("source.no-such-line", count=len(text.lines), line=line)
                return Passage(error=OpdiffError(sentence, path=text.path))
            last = excerpt.first + len(excerpt.lines) - 1
            spans = highlighted(text.lines, excerpt.first, last)
            return Passage(excerpt, tuple(map(tuple, spans)))
        except OpdiffError as error:
            return Passage(error=error)
        except Exception as error:  # noqa: BLE001 # somebody waits for an answer, whatever it is
            sentence = Sentence.of("source.unreadable", reason=type(error).__name__)
            return Passage(error=OpdiffError(sentence, path=path))

    def _text(self, path: str, mapped: bool) -> SourceText:
        mark = None if is_remote(path) and not mapped else state_of(path)
        if mark is None:
            return read_source(path, named_by_user=mapped)  # which says why
        with self._lock:
            kept = self._kept.get(path)
        if kept is not None and kept[0] == mark:
            return kept[1]
        text = read_source(path, named_by_user=mapped)
        with self._lock:
            self._kept[path] = (mark, text)
            while len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return text


def state_of(path: str) -> tuple[int, int] | None:
    """What changes with a file; None where there is none."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return state.st_mtime_ns, state.st_size
