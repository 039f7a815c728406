"""Trace files as a session remembers them: where they are, how large, and what was in them."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from opdiff.errors import OpdiffError
from opdiff.regular_files import add_file


class FileMark(NamedTuple):
    """A file by its path, size and content."""

    path: str
    size: int
    digest: str
    graph: str | None = None
    """Which of several graphs in it was read."""


def mark(path: str | Path) -> FileMark:
    """The mark of a file as it is now."""
    try:
        status = os.stat(path)
        digest = _digest(str(path), status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise OpdiffError.of_system("session.trace-unreadable", error, path) from None
    return FileMark(str(path), status.st_size, digest)


# Saving again must not read gigabytes again: an unchanged size and time is an unchanged file here.
@lru_cache(maxsize=16)
def _digest(path: str, size: int, modified: int) -> str:
    import hashlib  # takes a while

    digest = hashlib.blake2b(digest_size=16)
    if os.path.isdir(path):
        # Of a folder of arrays: their names, which hold the time, and sizes.
        for name in sorted(os.listdir(path)):
            size = os.stat(os.path.join(path, name)).st_size
            digest.update(f"{name}\0{size}\0".encode("utf-8", "surrogateescape"))
    else:
        add_file(digest, path)
    return f"blake2b:{digest.hexdigest()}"


def path_for(target: str, document: Path) -> str:
    """A path as a document stores it: relative where both have a folder in common."""
    absolute, home = os.path.abspath(target), os.path.abspath(document.parent)
    try:
        common = os.path.commonpath((absolute, home))
    except ValueError:  # two drives
        return absolute
    if common == os.path.dirname(common):
        return absolute
    # Forward slashes: a session may travel between systems.
    return os.path.relpath(absolute, home).replace(os.sep, "/")


def path_from(stored: str, document: Path) -> str:
    """The path that a document stored."""
    return os.path.normpath(os.path.join(os.path.abspath(document.parent), stored))
