"""A text file line by line, with line ends of any sort and lines without end."""

from __future__ import annotations

from collections.abc import Iterator

from opdiff.readers.formats import Input

_PIECE = 1 << 20
_LONGEST_LINE = 64 << 20
"""What is longer is no line of a trace: the rest of it is dropped, so that memory stays bounded."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def numbered_lines(source: Input) -> Iterator[tuple[int, str]]:
    """Every line with its number, from 1; bytes that are no UTF-8 read as ``\\xff``."""
    number = 0
    held: list[bytes] = []
    size = 0
    for piece in source.chunks(_PIECE):
        if not number and not held:
            piece = piece.removeprefix(_BYTE_ORDER_MARK)
        first, *others = piece.split(b"\n")
        if size < _LONGEST_LINE:
            held.append(first)
            size += len(first)
        if not others:
            continue
        lines = [b"".join(held), *others[:-1]]
        held, size = [others[-1]], len(others[-1])
        for line in lines:
            number += 1
            yield number, _decoded(line)
    last = b"".join(held)
    if last:
        number += 1
        yield number, _decoded(last)
    source.last_line = max(number, 1)


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace").rstrip("\r")
