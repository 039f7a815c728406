"""Text from outside made harmless to show: a trace may hold anything, terminal codes included."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import groupby

# Control and C1 codes, marks that reorder or hide what stands beside them, halves of characters.
_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
)
_IN_A_LINE = re.compile(f"[\t\n\r{_HIDDEN}]")
_PLAIN = bytes(range(0x20, 0x7F)) + b"\n"
_IN_LINES = re.compile(f"[{_HIDDEN}]|\r(?!\n)")


def printable(text: str) -> str:
    """The text with what is invisible, reorders or drives a terminal spelled out as ``\\x1b``."""
    return text if text.isprintable() else _IN_A_LINE.sub(_spelled, text)


def thousands(number: int) -> str:
    """A number as people read it: ``20,000``."""
    return f"{number:,}"


def shortened(text: str, most: int = 80) -> str:
    """The beginning of a text, where it is longer than anybody reads."""
    return text if len(text) <= most else text[:most] + "…"


def printable_lines(text: str) -> str:
    """The same for a text of several lines: where they end is left as it is, and tabs."""
    return lines_in_utf8(text).decode("utf-8")


def lines_in_utf8(text: str) -> bytes:
    """The same as files hold it."""
    content = text.encode("utf-8", "surrogatepass")
    # Nearly all texts are printable; what is not plain in them is little.
    if content.translate(None, _PLAIN).decode("utf-8", "surrogatepass").isprintable():
        return content
    return _IN_LINES.sub(_spelled, text).encode("utf-8")


def printable_json(text: str) -> str:
    """The same for JSON, spelled as JSON spells it: what is read from it is unchanged."""
    return text if text.isprintable() else _IN_LINES.sub(_spelled_in_json, text)


def json_text(value: object, *, indent: int | None = None) -> str:
    """A value as JSON that is harmless to show."""
    return printable_json(json.dumps(value, ensure_ascii=False, indent=indent))


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _spelled_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def in_runs(names: Iterable[str]) -> Iterator[str]:
    """Names one after the other, the same ones in a row once: ``4 × aten::index_add``."""
    for name, same in groupby(names):
        count = len(list(same))
        yield name if count == 1 else f"{count} × {name}"
