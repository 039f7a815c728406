"""How wide a text is on a terminal."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

_NARROW = re.compile("[\x00-\x7f\xa0-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff]*")
"""What our own tables have: letters, dashes, quotation marks, arrows, one column each."""


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
