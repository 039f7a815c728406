"""Arrays and a few facts as a file that is mapped, not read: arrays as they lie in memory.

The last bytes are a digest of all that stands before them. Nothing in such a file is ever
executed, and one that is damaged, foreign or of another machine is none at all.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from opdiff.regular_files import open_regular

_ALIGNED = 64
_DIGEST_BYTES = 32
_NUMBER_BYTES = 8

Array = NDArray[Any]
Arrays = dict[str, Array]
Facts = dict[str, Any]
T = TypeVar("T")


class NotKeptError(Exception):
    """A file that is none of these, or no longer whole."""


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """How one sort of thing is such a file."""

    name: str
    """What files of this form end with; with the version it is the word they begin with."""
    version: int
    parts: Callable[[T], tuple[Facts, Arrays]]
    """Its facts (what JSON knows) and arrays."""
    whole: Callable[[Facts, Arrays, str, tuple[str, ...]], T]
    """The same backwards; also given: the path it was once read from, and those beside it."""
    fits: Callable[[T], bool]
    """Whether its parts are all of it."""
    beside: str | None = None
    """The name of a file in the same folder that is read, too, if it is there."""

    def write(self, file: BinaryIO, thing: T, *, checked: bool = False) -> None:
        """Write it so that :meth:`read` gives an equal one; *checked*: that :meth:`mapped` does."""
        digest = _digest()
        for piece in _pieces(self._magic, *self.parts(thing)):
            file.write(piece)
            if not checked:
                digest.update(piece)
        file.write(digest.digest())

    def read(self, path: Path, origin: str, companions: tuple[str, ...]) -> T:
        """What a file holds, its arrays mapped; raises NotKeptError."""
        with open_regular(path) as file:
            return self.mapped(file, origin, companions, checked=False)

    def mapped(
        self, file: BinaryIO, origin: str, companions: tuple[str, ...], *, checked: bool = True
    ) -> T:
        """The same of an open file; one that nobody else can have touched counts as *checked*."""
        try:
            facts, arrays = _mapped_arrays(file, self._magic, checked)
            return self.whole(facts, arrays, origin, companions)
        except ValueError as error:  # an empty file, or one whose size another has changed
            raise NotKeptError from error

    @property
    def _magic(self) -> bytes:
        return f"opdiff-kept-{self.name}/{self.version}\n".encode()


def _pieces(magic: bytes, facts: Facts, arrays: Arrays) -> Iterator[bytes | memoryview]:
    placed, place = {}, 0
    for name, array in arrays.items():
        place += -place % _ALIGNED
        placed[name] = [array.dtype.str, place, array.shape]
        place += array.nbytes
    header = json.dumps({"arrays": placed, "byteorder": sys.byteorder, **facts}).encode()
    header += b" " * (-(len(magic) + _NUMBER_BYTES + len(header)) % _ALIGNED)
    yield magic + len(header).to_bytes(_NUMBER_BYTES, "little") + header
    written = 0
    for array in arrays.values():
        gap = -written % _ALIGNED
        yield bytes(gap)
        yield np.ascontiguousarray(array).data.cast("B") if array.size else b""
        written += gap + array.nbytes


def _mapped_arrays(file: BinaryIO, magic: bytes, checked: bool) -> tuple[Facts, Arrays]:
    content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    header, start = _header(content, magic, checked)
    return header, {
        name: np.ndarray(tuple(shape), dtype, content, start + place)
        for name, (dtype, place, shape) in header["arrays"].items()
    }


def _header(content: mmap.mmap, magic: bytes, checked: bool) -> tuple[Facts, int]:
    """The header, and where the arrays begin."""
    begin = len(magic) + _NUMBER_BYTES
    if content[: len(magic)] != magic or len(content) < begin + _DIGEST_BYTES:
        raise NotKeptError
    if not checked:
        with memoryview(content) as whole, whole[:-_DIGEST_BYTES] as text:
            if _digest(text).digest() != content[-_DIGEST_BYTES:]:
                raise NotKeptError
    size = int.from_bytes(content[len(magic) : begin], "little")
    header = json.loads(content[begin : begin + size])
    if header["byteorder"] != sys.byteorder:
        raise NotKeptError
    return header, begin + size


def _digest(content: bytes | memoryview = b"") -> hashlib.blake2b:
    return hashlib.blake2b(content, digest_size=_DIGEST_BYTES)
