"""A file as blocks of lines: line ends of any sort, a byte order mark, lines without end."""

from __future__ import annotations

from collections.abc import Iterator

from opdiff.readers.formats import Input

LONGEST_LINE = 64 << 20
"""What is longer is no line of a trace: the rest of it is dropped, so that memory stays bounded."""
_KEPT = 1 << 10
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def line_blocks(source: Input) -> Iterator[list[bytes]]:
    """Complete lines without their ends, some thousands at a time."""
    unfinished: list[bytes] = []
    waiting = 0
    first = True
    carriage_returns = False
    for piece in source.chunks():
        if first:
            piece = piece.removeprefix(_BYTE_ORDER_MARK)
            carriage_returns = piece[: piece.find(b"\n")].endswith(b"\r")
            first = False
        if b"\n" not in piece:
            waiting += len(piece)
            unfinished.append(piece)
            if waiting > LONGEST_LINE:
                unfinished = [unfinished[0][:_KEPT]]
            continue
        if waiting > LONGEST_LINE:
            piece = piece[piece.index(b"\n") :]
        lines = piece.split(b"\n")
        lines[0] = b"".join((*unfinished, lines[0]))
        unfinished = [lines.pop()]
        if carriage_returns:
            lines = [line.removesuffix(b"\r") for line in lines]
        waiting = len(unfinished[0])
        yield lines
    rest = b"".join(unfinished)
    if rest:
        yield [rest]
