"""Names and numbers as reports show them."""

from __future__ import annotations

from opdiff.wording.printable import printable

__all__ = ["printable", "thousands"]


def thousands(number: int) -> str:
    """A number as people read it: ``20,000``."""
    return f"{number:,}"
