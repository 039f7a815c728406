"""How wide a text is on a terminal."""

from __future__ import annotations

from unicodedata import east_asian_width


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes: a Chinese character takes two."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)
