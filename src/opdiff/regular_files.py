"""Files to be read whole, or not at all: regular ones, and only so large.

A pipe would be waited for, and a device read, for ever.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from opdiff.errors import OpdiffError
from opdiff.wording import Sentence

if TYPE_CHECKING:
    import hashlib

_CHUNK = 1 << 20
_KINDS = (
    (stat.S_ISDIR, "file.a-folder"),
    (stat.S_ISFIFO, "file.a-pipe"),
    (stat.S_ISSOCK, "file.a-socket"),
)


def open_regular(path: str | Path) -> BinaryIO:
    """Open a regular file to read it; OpdiffError for anything else, OSError as ever."""
    _check(path, os.stat(path).st_mode)  # first: some devices do something when they are opened
    file = cast(BinaryIO, open(path, "rb", opener=_without_waiting))  # noqa: SIM115 the caller's
    try:
        _check(path, os.fstat(file.fileno()).st_mode)
    except BaseException:
        file.close()
        raise
    return file


def read_bounded(path: str | Path, most: int) -> bytes:
    """The content of a regular file of at most so many bytes; OpdiffError where it is larger."""
    with open_regular(path) as file:
        content = file.read(most + 1)
        if len(content) > most:
            raise too_large(max(len(content), os.fstat(file.fileno()).st_size), most, path)
    return content


def read_text(path: str | Path, most: int, cannot_read: str) -> str:
    """The text of such a file; OpdiffError, *cannot_read* the code, where the system has none."""
    try:
        content = read_bounded(path, most)
    except OSError as error:
        raise OpdiffError.of_system(cannot_read, error, path) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise OpdiffError("rules.not-utf8", path=path, line=line) from None


def add_file(digest: hashlib.blake2b, path: str | Path) -> None:
    """Let a digest take in a file, whatever its size; OSError as ever."""
    with open(path, "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)


def too_large(size: int, most: int, path: str | Path | None) -> OpdiffError:
    """The complaint about a file, or what is to become one, that is larger than may be."""
    return OpdiffError(
        "file.too-large",
        size=f"{size:,}",
        most=f"{most:,}",
        path=None if path is None else str(path),
    )


def _check(path: str | Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        what = next((code for is_one, code in _KINDS if is_one(mode)), "file.a-device")
        raise OpdiffError("file.not-regular", what=Sentence.of(what), path=path)


def _without_waiting(path: str, flags: int) -> int:
    """Should it have become a pipe meanwhile, nobody waits for its writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
