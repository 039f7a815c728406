"""A file as blocks of whole lines: line ends of any sort, a byte order mark, lines without end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from opdiff.readers.formats import Input
from opdiff.trace.columns import Longs

LONGEST_LINE = 64 << 20
"""What is longer is no line of a trace: the rest of it is dropped, so that memory stays bounded."""
MARGIN = 128
"""So many bytes stand before the first line of a block, for those who look back from a place."""
_BLOCK = 2 << 20
"""Lines for some thousand ops."""
_BEHIND = 1 << 10
"""So many bytes stand behind the last line, for those who look ahead."""
_PIECE = 256 << 10
_KEPT = 1 << 10
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NEWLINE = ord("\n")


class TrackerBlock(Sequence[bytes]):
    """Whole lines of a file, each cut out when someone asks; good until the next block comes."""

    def __init__(self, text: bytearray, end: int) -> None:
        self.text = text
        """The lines, from the margin on; each ends with a line feed."""
        self.ends: Longs = _line_feeds(np.frombuffer(text, np.uint8, end), MARGIN)
        self.starts: Longs = np.concatenate(([MARGIN], self.ends[:-1] + 1))[: len(self.ends)]

    def __len__(self) -> int:
        return len(self.ends)

    @overload
    def __getitem__(self, place: int) -> bytes: ...
    @overload
    def __getitem__(self, place: slice) -> list[bytes]: ...
    def __getitem__(self, place: int | slice) -> bytes | list[bytes]:
        if isinstance(place, slice):
            return [self[here] for here in range(len(self))[place]]
        return bytes(self.text[self.starts[place] : self.ends[place]])


def _line_feeds(chars: NDArray[np.uint8], start: int) -> Longs:
    """Where the line feeds are, looked for piece by piece: flags for all would not fit a cache."""
    flags = np.empty(min(_PIECE, len(chars)), np.bool_)
    found: list[Longs] = [np.zeros(0, np.int64)]
    for place in range(start, len(chars), _PIECE):
        piece = chars[place : place + _PIECE]
        found.append(np.flatnonzero(np.equal(piece, _NEWLINE, out=flags[: len(piece)])) + place)
    return np.concatenate(found)


class TrackerBlocks:
    """Cuts a file into blocks, all in the same memory, which stays in the processor's cache.

    Lines that could not be used yet come again at the beginning of the next block.
    """

    def __init__(self, source: Input, size: int = _BLOCK) -> None:
        self._pieces = _unix_lines(source)
        self._resize(MARGIN + size)
        self._filled = MARGIN
        self._used = MARGIN

    def _resize(self, size: int, kept: bytes = b"") -> None:
        self._text = bytearray(size + _BEHIND)
        self._text[MARGIN : MARGIN + len(kept)] = kept
        self._room = size

    def keep_from(self, block: TrackerBlock, place: int) -> None:
        """Let the next block begin with the line at a place of this one."""
        self._used = int(block.starts[place] if place < len(block) else self._end)

    def rest(self) -> TrackerBlock:
        """A block of the lines that were kept, and nothing else."""
        self._move_kept()
        return TrackerBlock(self._text, self._filled)

    def __iter__(self) -> Iterator[TrackerBlock]:
        """All blocks; a last line without an end gets one."""
        for piece in self._pieces:
            if self._filled + len(piece) > self._room:
                yield from self._block()
                self._make_room(len(piece))
            self._text[self._filled : self._filled + len(piece)] = piece
            self._filled += len(piece)
        yield from self._block()
        if self._filled > MARGIN and self._text[self._filled - 1] != _NEWLINE:
            self._make_room(1)
            self._text[self._filled] = _NEWLINE
            self._filled += 1
            yield from self._block()

    def _block(self) -> Iterator[TrackerBlock]:
        self._end = self._text.rfind(b"\n", MARGIN, self._filled) + 1
        if self._end:
            self._used = self._end
            yield TrackerBlock(self._text, self._end)
            self._move_kept()

    def _move_kept(self) -> None:
        kept = self._text[self._used : self._filled]
        self._text[MARGIN : MARGIN + len(kept)] = kept
        self._filled = MARGIN + len(kept)
        self._used = MARGIN

    def _make_room(self, size: int) -> None:
        """Room for a piece behind what is kept: more memory, or the end of an endless line gone."""
        if self._filled + size <= self._room:
            return
        if self._filled > LONGEST_LINE:
            start = self._text.rfind(b"\n", MARGIN, self._filled) + 1 or MARGIN
            self._filled = min(self._filled, start + _KEPT)
        else:
            kept = bytes(self._text[MARGIN : self._filled])
            self._resize(2 * self._room + size, kept)


def _unix_lines(source: Input) -> Iterator[bytes]:
    """The file piece by piece, without a byte order mark, and with line feeds as the only ends."""
    first, windows, held = True, False, b""
    for piece in source.chunks(_PIECE):
        if first:
            piece = piece.removeprefix(_BYTE_ORDER_MARK)
            windows = piece[: piece.find(b"\n")].endswith(b"\r")
            first = False
        if windows:
            piece = held + piece
            # A line end may lie across two pieces.
            held = piece[-1:] if piece.endswith(b"\r") else b""
            piece = piece[: len(piece) - len(held)].replace(b"\r\n", b"\n")
        yield piece
    if held:
        yield held
