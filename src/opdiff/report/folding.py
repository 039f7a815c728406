"""Long lines folded at the width of a terminal, what follows indented under what it belongs to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

Span = tuple[str, str]
"""A piece of a line and the style it has on a terminal."""

HANGING = 4
_LEAST_WIDTH = 24
"""Columns: below it folding makes nothing easier to read."""
_PIECES = re.compile(r"\s+|[^\s\u2e80-\uffef]+|[\u2e80-\uffef]")
"""Words; of Chinese, letters, after each of which a line may end."""


def cell_width(text: str) -> int:
    """How many columns a text takes: Chinese letters take two, marks above others none."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def folded(lines: Iterable[list[Span]], width: int) -> Iterator[list[Span]]:
    """The lines, those that are too long in several; a word longer than a line stays whole."""
    for spans in lines:
        text = "".join(piece for piece, _ in spans)
        if width < _LEAST_WIDTH or cell_width(text) <= width:
            yield spans
        else:
            yield from _folded(spans, width, len(text) - len(text.lstrip(" ")) + HANGING)


def _folded(spans: list[Span], width: int, indent: int) -> Iterator[list[Span]]:
    indent = min(indent, width // 2)
    line: list[Span] = []
    used, empty = 0, True
    for text, style in spans:
        for piece in _PIECES.findall(text):
            size = cell_width(piece)
            if used + size > width and not empty and not piece.isspace():
                yield line
                line, used = [(" " * indent, "")], indent
            line.append((piece, style))
            used += size
            empty = empty and piece.isspace()
    yield line
