"""A text file, plain or gzipped, as blocks of whole lines; a damaged archive ends early."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

from opdiff.progress import Progress
from opdiff.trace.columns import Longs

MARGIN = 16
"""So many bytes stand before the first line of a block."""
_BEHIND = 1 << 10
"""So many bytes stand behind the last line, for those who look ahead."""
_SIZE = 1 << 21
_PACKED = b"\x1f\x8b"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_FEED = ord("\n")


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Whole lines of a file."""

    number: int
    """That of the first line, from 1."""
    text: bytes
    start: Longs
    end: Longs

    def __len__(self) -> int:
        return len(self.end)

    def line(self, place: int) -> bytes:
        """One line, without its end."""
        return self.text[self.start[place] : self.end[place]].removesuffix(b"\r")


class LineBlocks:
    """Cuts an open file into blocks."""

    def __init__(self, file: IO[bytes], size: int, progress: Progress, stage: str) -> None:
        self.cut = False
        """Whether the file is an archive that is cut or damaged; known when all lines are read."""
        self._on_disk = file
        self._size = size
        self._progress = progress
        self._stage = stage
        packed = file.read(len(_PACKED)) == _PACKED
        file.seek(0)
        self._content: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=file) if packed else file

    def __iter__(self) -> Iterator[LineBlock]:
        """All blocks; a last line without an end gets one."""
        number, rest = 1, b""
        first = True
        while piece := self._read():
            if first:
                piece = piece.removeprefix(_BYTE_ORDER_MARK)
                first = False
            whole, line_feed, behind = piece.rpartition(b"\n")
            if not line_feed:
                rest += piece
                continue
            block = _block(number, b"".join((bytes(MARGIN), rest, whole, b"\n", bytes(_BEHIND))))
            yield block
            number += len(block)
            rest = behind
        if rest:
            yield _block(number, b"".join((bytes(MARGIN), rest, b"\n", bytes(_BEHIND))))

    def _read(self) -> bytes:
        self._progress.report(self._stage, min(self._on_disk.tell(), self._size), self._size)
        try:
            return self._content.read(_SIZE)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self.cut = True
            return b""


def _block(number: int, text: bytes) -> LineBlock:
    end = np.flatnonzero(np.frombuffer(text, np.uint8) == _LINE_FEED)
    start = np.concatenate(([MARGIN], end[:-1] + 1))
    return LineBlock(number, text, start, end)
