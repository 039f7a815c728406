"""Text from traces made harmless to show: a trace may hold anything, terminal codes included."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def printable(text: str) -> str:
    """The text with what is invisible, reorders or drives a terminal spelled out as ``\\x1b``."""
    return _HIDDEN.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def thousands(number: int) -> str:
    """A number as people read it: ``20,000``."""
    return f"{number:,}"
