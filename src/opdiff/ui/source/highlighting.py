"""Python in colours: which words of some lines are what, by Pygments, away from the main thread."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import Any

from PySide6.QtGui import QColor

from opdiff.ui.theme import Theme

MOST_LETTERS = 200_000
"""Read from the top of the file, so that long texts are known as such; beyond that only a part."""

Span = tuple[str, "Ink"]


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


def highlighted(lines: tuple[str, ...], first: int, last: int) -> list[list[Span]]:
    """The lines from *first* to *last*, counted from 1, each in pieces of one ink."""
    start = 0 if sum(map(len, lines[:last])) <= MOST_LETTERS else first - 1
    text = "\n".join(lines[start:last])
    found: list[list[Span]] = [[]]
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
