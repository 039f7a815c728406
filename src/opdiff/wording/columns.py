"""How wide a text is on a terminal."""

from __future__ import annotations


def columns_of(text: str) -> int:
    """How many columns a text takes: Chinese characters take two, marks above others none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # not needed for most texts, and takes a moment

    return cell_len(text)
