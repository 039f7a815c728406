"""The text of rules as it comes from outside: a file, a session, what was typed."""

from __future__ import annotations

from pathlib import Path

from opdiff.compare import Rules
from opdiff.compare.rules_file import parse_rules
from opdiff.errors import OpdiffError
from opdiff.regular_files import read_bounded, too_large
from opdiff.wording import Sentence

MOST_BYTES = 128_000
"""Thousands of rules; parsing so much takes a second or two at worst."""


def load_rules(path: str | Path) -> Rules:
    """The rules of a file; every mistake is an error that names the file and the line."""
    return rules_of(read_rules(path), str(path))


def read_rules(path: str | Path) -> str:
    """The text of a rules file."""
    try:
        content = read_bounded(path, MOST_BYTES)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OpdiffError(Sentence.of("rules.cannot-read", reason=reason), path=str(path)) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise OpdiffError(Sentence.of("rules.not-utf8"), path=str(path), line=line) from None


def rules_of(text: str, path: str | None = None) -> Rules:
    """The rules of a text, unless it is longer than any file may be; *path* is what errors name."""
    if len(text) > MOST_BYTES:
        raise too_large(len(text), MOST_BYTES, path)
    return parse_rules(text, path)
