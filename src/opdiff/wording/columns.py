"""How wide a text is on a terminal."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

_NARROW = re.compile("[\x00-\x7f\xa0-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff]*")
"""What our own tables have: letters, dashes, quotation marks, arrows, one column each."""

_PIECES = r"\s+|[“（]*(?:[^\s\u2e80-\uffef]+|[\u2e80-\uffef])[”，。；：、！？）]*"
"""Words; of Chinese, letters with the marks beside them, after each of which a line may end.

Made a pattern where lines are too long: few are, and it takes a millisecond.
"""


def pieces_of(text: str) -> list[str]:
    """What a text may be broken into at the end of a line, blanks included."""
    return re.findall(_PIECES, text)


def wrapped(text: str, width: int) -> list[str]:
    """A text as lines of so many columns; a word longer than a line stays whole."""
    lines, used = [""], 0
    for piece in pieces_of(text):
        size = columns_of(piece)
        if used + size > width and lines[-1] and not piece.isspace():
            lines, used = [*lines, ""], 0
        if used or not piece.isspace():
            lines[-1] += piece
            used += size
    return [line.rstrip() for line in lines]


def widths_of(rows: Sequence[Sequence[str]]) -> list[int]:
    """How wide each column of some rows is."""
    return [max(map(columns_of, column)) for column in zip(*rows, strict=True)]


def aligned(rows: Sequence[Sequence[str]], numbers: Container[int] = ()) -> list[str]:
    """Rows as lines of columns; those at the places of *numbers* are aligned to the right."""
    widths = widths_of(rows)
    lines = []
    for row in rows:
        cells = enumerate(zip(row, widths, strict=True))
        padded_cells = [padded(text, width, right=at in numbers) for at, (text, width) in cells]
        lines.append("  ".join(padded_cells).rstrip())
    return lines


def padded(text: str, width: int, *, right: bool = False) -> str:
    """A text in so many columns: at their left, or at their *right* as numbers are."""
    blanks = " " * (width - columns_of(text))
    return blanks + text if right else text + blanks


def columns_of(text: str) -> int:
    """How many columns a text takes: Chinese characters take two, marks above others none."""
    if _NARROW.fullmatch(text):
        return len(text)
    from rich.cells import cell_len  # not needed for most texts, and takes a moment

    return cell_len(text)
