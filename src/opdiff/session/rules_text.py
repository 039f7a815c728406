"""The text of rules as it comes from outside: a file, a session, what was typed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from opdiff.compare import Ignore, Rules
from opdiff.compare.rules_file import merge_rules, parse_rules
from opdiff.regular_files import read_text, too_large

MOST_BYTES = 128_000
"""Thousands of rules; parsing so much takes a second or two at worst."""


def asked_rules(
    path: str | Path | None, ignore: Iterable[str], *, builtin: bool, also: Rules | None = None
) -> Rules:
    """What a file says, with ops to ignore by globs; *also* what holds already."""
    rules = also or Rules()
    if path is not None:
        rules = merge_rules(rules, load_rules(path))
    ignored = tuple(Ignore(op=glob) for glob in ignore)
    return merge_rules(rules, Rules(ignore=ignored, builtin=builtin))


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
