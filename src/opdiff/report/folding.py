"""Long lines folded at the width of a terminal, what follows indented under what it belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from opdiff.wording.columns import columns_of

Span = tuple[str, str]
"""A piece of a line and the style it has on a terminal."""

HANGING = 4
_LEAST_WIDTH = 24
"""Columns: below it folding makes nothing easier to read."""
_PIECES = re.compile(r"\s+|[^\s\u2e80-\uffef]+|[\u2e80-\uffef]")
"""Words; of Chinese, letters, after each of which a line may end."""


def folded(lines: Iterable[list[Span]], width: int) -> Iterator[list[Span]]:
    """The lines, those that are too long in several; a word longer than a line stays whole."""
    for spans in lines:
        text = "".join(piece for piece, _ in spans)
        if width < _LEAST_WIDTH or columns_of(text) <= width:
            yield spans
        else:
            yield from _folded(spans, width, len(text) - len(text.lstrip(" ")) + HANGING)


def _folded(spans: list[Span], width: int, indent: int) -> Iterator[list[Span]]:
    indent = min(indent, width // 2)
    line: list[Span] = []
    used, empty = 0, True
    for text, style in spans:
        for piece in _PIECES.findall(text):
            size = columns_of(piece)
            if used + size > width and not empty and not piece.isspace():
                yield line
                line, used = [(" " * indent, "")], indent
            line.append((piece, style))
            used += size
            empty = empty and piece.isspace()
    yield line
