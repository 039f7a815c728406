"""Lines of the user's source around a frame of a stack: read as text, never run or imported.

The paths come from a trace that anybody may have written. So only regular files are read, of a
bounded size, whose name is that of a source file: what a key or a password is kept in is not shown,
and not copied into a report. Folders of the network that only the trace names are left alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from opdiff.errors import OpdiffError
from opdiff.regular_files import read_bounded
from opdiff.trace import Frame
from opdiff.wording.printable import printable

AROUND = 5
"""Lines shown before and after the one that is meant."""
MOST_BYTES = 4_000_000
MOST_LETTERS = 400
"""Of a line; nobody reads further."""
SUFFIXES = frozenset({".py", ".pyi", ".pyw", ".pyx"})
_TAB = 4


class SourceText(NamedTuple):
    """A source file that was read, line by line, harmless to show."""

    path: str
    lines: tuple[str, ...]

    def around(self, line: int, count: int = AROUND) -> Excerpt | None:
        """So many lines before and after a line, counted from 1; None where there is none such."""
        if not 1 <= line <= len(self.lines):
            return None
        first = max(1, line - count)
        last = min(len(self.lines), line + count)
        return Excerpt(self.path, line, first, self.lines[first - 1 : last])


class Excerpt(NamedTuple):
    """Some lines of a source file, ``first`` the first of them, ``line`` the one that is meant."""

    path: str
    line: int
    first: int
    lines: tuple[str, ...]


FindSource = Callable[[Frame], "Excerpt | None"]
"""Gives the lines around a frame, or None where they cannot be read."""


def read_source(path: str | Path, *, named_by_user: bool = False) -> SourceText:
    """Read a source file; OpdiffError says why it is not shown."""
    if is_remote(str(path)) and not named_by_user:
        raise OpdiffError("source.remote", path=path)
    try:
        whole = os.path.realpath(path)
        for name in (str(path), whole):
            if Path(name).suffix.lower() not in SUFFIXES:
                raise OpdiffError("source.not-source", path=path)
        content = read_bounded(whole, MOST_BYTES)
    except FileNotFoundError:
        raise OpdiffError("source.not-there", path=path) from None
    except (OSError, ValueError) as error:
        raise OpdiffError.of_system("source.unreadable", error, path) from None
    if b"\0" in content:
        raise OpdiffError("source.not-text", path=path)
    return SourceText(whole, tuple(map(_shown, _decoded(content).splitlines())))


def is_remote(path: str) -> bool:
    """Whether opening a path would call another machine, as ``\\\\host\\share`` does."""
    return path.replace("\\", "/").startswith("//")


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("gb18030", errors="replace")  # as many sources in Chinese are


def _shown(line: str) -> str:
    plain = printable(line.expandtabs(_TAB).rstrip())
    return plain if len(plain) <= MOST_LETTERS else plain[:MOST_LETTERS] + "…"
