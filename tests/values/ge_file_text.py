"""Writes files as GE dumps them: a head of protocol buffer, then the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

KINDS = {
    "float32": 1, "float16": 2, "int8": 3, "uint8": 4, "int16": 5, "uint16": 6, "int32": 7,
    "int64": 8, "uint32": 9, "uint64": 10, "bool": 11, "float64": 12,
}  # fmt: skip
PLAIN, TILED = 2, 29


def varint(number: int) -> bytes:
    found = b""
    while number >= 0x80:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])


def field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def shape_of(dims: Sequence[int], *, packed: bool) -> bytes:
    if packed:
        return field(1, b"".join(map(varint, dims)))
    return b"".join(field(1, dim) for dim in dims)


def tiled(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A matrix in tiles of 16 by 16, the last ones filled up with zeros."""
    rows, columns = (-(-size // 16) for size in array.shape)
    padded = np.zeros((rows * 16, columns * 16), array.dtype)
    padded[: array.shape[0], : array.shape[1]] = array
    return np.ascontiguousarray(padded.reshape(rows, 16, columns, 16).transpose(2, 0, 1, 3))


def ge_file(
    inputs: Sequence[np.ndarray[Any, Any]],
    outputs: Sequence[np.ndarray[Any, Any]],
    *,
    layout: int = PLAIN,
    packed: bool = True,
    kind: int | None = None,
    newer: bytes = b"",
) -> bytes:
    """A whole file; *newer* is put among the fields of the head, and of each tensor."""
    head = field(1, b"2.0") + field(2, 1706152278787351) + newer
    elements = b""
    for number, arrays, size, original in ((4, inputs, 5, 6), (3, outputs, 6, 7)):
        for array in arrays:
            kept = tiled(array) if layout == TILED else array
            head += field(
                number,
                field(1, KINDS[array.dtype.name] if kind is None else kind)
                + field(2, layout)
                + field(3, shape_of(kept.shape, packed=packed))
                + newer
                + field(size, kept.nbytes)
                + field(original, shape_of(array.shape, packed=packed)),
            )
            elements += kept.tobytes()
    head += field(6, b"Add_1")
    return len(head).to_bytes(8, "little") + head + elements
