"""The text of rules as it comes from outside: a file, a session, what was typed."""

from __future__ import annotations

from pathlib import Path

from opdiff.compare import Rules
from opdiff.compare.rules_file import parse_rules
from opdiff.regular_files import read_text, too_large

MOST_BYTES = 128_000
"""Thousands of rules; parsing so much takes a second or two at worst."""


def load_rules(path: str | Path) -> Rules:
    """The rules of a file; every mistake is an error that names the file and the line."""
    return rules_of(read_rules(path), str(path))


def read_rules(path: str | Path) -> str:
    """The text of a rules file."""
    return read_text(path, MOST_BYTES, "rules.cannot-read")


def rules_of(text: str, path: str | None = None) -> Rules:
    """The rules of a text, unless it is longer than any file may be; *path* is what errors name."""
    if len(text) > MOST_BYTES:
        raise too_large(len(text), MOST_BYTES, path)
    return parse_rules(text, path)
