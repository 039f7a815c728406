"""Gzipped files, also cut and damaged ones: what can be unpacked is kept."""

from __future__ import annotations

import zlib
from typing import IO

from opdiff.wording import Sentence

_MAGIC = b"\x1f\x8b"
_PIECE = 4 << 10
"""Small, because a damaged piece is lost as a whole."""
_GZIP = 31


def is_packed(file: IO[bytes]) -> bool:
    """Whether a file is gzipped; its position stays where it was."""
    start = file.tell()
    magic = file.read(len(_MAGIC))
    file.seek(start)
    return magic == _MAGIC


def unpacked(file: IO[bytes], cut: list[Sentence] | None = None) -> IO[bytes] | Unpacking:
    """The content of a file, gzipped or not, from its position on."""
    return Unpacking(file, cut) if is_packed(file) else file


class Unpacking:
    """The content of a gzipped file. Ends early, and says so in *cut*, where the file does."""

    def __init__(self, file: IO[bytes], cut: list[Sentence] | None = None) -> None:
        self._file = file
        self._cut = [] if cut is None else cut
        self._unpacker = zlib.decompressobj(_GZIP)
        self._packed = b""
        self._ended = False

    def read(self, size: int) -> bytes:
        """Up to *size* bytes, fewer only at the end."""
        pieces: list[bytes] = []
        missing = size
        while missing > 0 and not self._ended:
            piece = self._unpack(missing)
            missing -= len(piece)
            pieces.append(piece)
        return b"".join(pieces)

    def _unpack(self, most: int) -> bytes:
        packed = self._packed or self._file.read(_PIECE)
        if not packed and not self._unpacker.eof:
            return self._end(cut=True)
        try:
            unpacked = self._unpacker.decompress(packed, most)
        except zlib.error:
            return self._end(cut=True)
        self._packed = self._unpacker.unconsumed_tail
        if self._unpacker.eof:
            self._next_member()
        return unpacked

    def _next_member(self) -> None:
        """Several archives one after the other are one content; padding with zeros is none."""
        rest = self._unpacker.unused_data or self._file.read(_PIECE)
        while rest and not rest.strip(b"\0"):
            rest = self._file.read(_PIECE)
        if not rest:
            self._end(cut=False)
            return
        self._unpacker = zlib.decompressobj(_GZIP)
        self._packed = rest

    def _end(self, *, cut: bool) -> bytes:
        self._ended = True
        if cut:
            self._cut.append(Sentence.of("reading.cut-archive"))
        return b""
