"""Arrays and a few facts as a file that is mapped, not read: arrays as they lie in memory.

The last bytes are a digest of all that stands before them. Nothing in such a file is ever
executed, and one that is damaged, foreign or of another machine is none at all.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import sys
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from opdiff.regular_files import open_regular

_ALIGNED = 64
_DIGEST_BYTES = 32
_NUMBER_BYTES = 8

Array = NDArray[Any]
Facts = dict[str, Any]


class NotKeptError(Exception):
    """A file that is none of these, or no longer whole."""


def write_arrays(
    file: BinaryIO, magic: bytes, facts: dict[str, object], arrays: dict[str, Array]
) -> None:
    """Write them so that :func:`read_arrays` gives equal ones; *facts* are what JSON knows."""
    placed, place = {}, 0
    for name, array in arrays.items():
        place += -place % _ALIGNED
        placed[name] = [array.dtype.str, place, array.shape]
        place += array.nbytes
    header = json.dumps({"arrays": placed, "byteorder": sys.byteorder, **facts}).encode()
    header += b" " * (-(len(magic) + _NUMBER_BYTES + len(header)) % _ALIGNED)
    out = _Digesting(file)
    out.write(magic + len(header).to_bytes(_NUMBER_BYTES, "little") + header)
    written = 0
    for array in arrays.values():
        gap = -written % _ALIGNED
        out.write(bytes(gap))
        out.write(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
        written += gap + array.nbytes
    file.write(out.digest())


def read_arrays(path: Path, magic: bytes) -> tuple[Facts, dict[str, Array]]:
    """The facts and the arrays that a file holds; raises NotKeptError."""
    with open_regular(path) as file:
        return mapped_arrays(file, magic)


def mapped_arrays(
    file: BinaryIO, magic: bytes, *, checked: bool = False
) -> tuple[Facts, dict[str, Array]]:
    """The same of an open file; one that nobody else can have touched counts as *checked*."""
    try:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError as error:  # an empty file
        raise NotKeptError from error
    header, start = _header(content, magic, checked)
    try:
        return header, {
            name: np.ndarray(tuple(shape), dtype, content, start + place)
            for name, (dtype, place, shape) in header["arrays"].items()
        }
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotKeptError from error


def _header(content: mmap.mmap, magic: bytes, checked: bool) -> tuple[Facts, int]:
    """The header, and where the arrays begin."""
    begin = len(magic) + _NUMBER_BYTES
    if content[: len(magic)] != magic or len(content) < begin + _DIGEST_BYTES:
        raise NotKeptError
    if not checked:
        with memoryview(content) as whole, whole[:-_DIGEST_BYTES] as text:
            if _digest_of(text) != content[-_DIGEST_BYTES:]:
                raise NotKeptError
    size = int.from_bytes(content[len(magic) : begin], "little")
    header = json.loads(content[begin : begin + size])
    if header["byteorder"] != sys.byteorder:
        raise NotKeptError
    return header, begin + size


def _digest_of(content: memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES).digest()


class _Digesting:
    """Passes on what is written, and remembers its digest."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._sum = hashlib.blake2b(digest_size=_DIGEST_BYTES)

    def write(self, content: bytes | memoryview) -> None:
        self._sum.update(content)
        self._file.write(content)

    def digest(self) -> bytes:
        return self._sum.digest()
