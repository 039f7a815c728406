"""Tensors in a file that GE dumps (``TYPE.NAME.TASK.STREAM.TIME``): all operands of one op.

    8 bytes   the length of the head
    head      protocol buffer DumpData: of each output (3) and input (4) type, layout, shape, size
    the rest  the elements of the inputs, then of the outputs, one after the other

Elements lie as the device needs them. Plain layouts are read, and FRACTAL_NZ, which cuts matrices
into tiles; of any other it is said that it is not.
The layout is that of ``dump_data.proto`` in MindSpore's sources.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.errors import OpdiffError
from opdiff.regular_files import open_regular

_LARGEST_HEAD = 1 << 24
_OUTPUT, _INPUT = 3, 4
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_SIZE = {_OUTPUT: 6, _INPUT: 5}
_ORIGINAL = {_OUTPUT: 7, _INPUT: 6}
_DTYPES = {
    1: "<f4", 2: "<f2", 3: "i1", 4: "u1", 5: "<i2", 6: "<u2", 7: "<i4", 8: "<i8", 9: "<u4",
    10: "<u8", 11: "?", 12: "<f8", 27: "<u2",
}  # fmt: skip
_BFLOAT16 = 27
_TILES = 29
_PLAIN = frozenset({0, 1, 2, 14, 16, 26, 27, 30, 31, 34, 35, 36})
"""Layouts that are orders of dimensions and nothing else: ND, NCHW, NHWC, HWCN, NCDHW …"""

Field = tuple[int, int | bytes]


class GeTensor(NamedTuple):
    """Where in a file one operand lies, and how."""

    is_output: bool
    place: int
    offset: int
    kind: int
    """The number of its type."""
    layout: int
    shape: tuple[int, ...]
    original: tuple[int, ...]
    """Without the padding of tiles."""

    @property
    def kept(self) -> str:
        """NumPy's type of the elements in the file; empty for an unknown one."""
        return _DTYPES.get(self.kind, "")

    @property
    def dtype(self) -> str:
        """The type as opdiff names it, where NumPy has none of that name."""
        return "BFloat16" if self.kind == _BFLOAT16 else ""

    def load(self, path: str) -> NDArray[np.generic]:
        """Its elements in the order of the tensor; raises OpdiffError or OSError."""
        if not self.kept or (self.layout != _TILES and self.layout not in _PLAIN):
            layout, kind = str(self.layout), self.kind
            raise OpdiffError("values.ge-layout", layout=layout, kind=str(kind), path=path)
        count = prod(self.shape)
        if self.offset + count * np.dtype(self.kept).itemsize > Path(path).stat().st_size:
            raise OpdiffError("values.no-ge-file", path=path)
        array = np.fromfile(path, self.kept, count, offset=self.offset).reshape(self.shape)
        if self.layout != _TILES:
            return array
        matrix = _untiled(array, self.original)
        if matrix is None:
            raise OpdiffError("values.no-ge-file", path=path)
        return matrix


def _untiled(array: NDArray[np.generic], original: tuple[int, ...]) -> NDArray[np.generic] | None:
    """A matrix of tiles, (…, columns, rows, 16, 16): tiles go down the rows first."""
    if array.ndim < 4 or len(original) < 2:
        return None
    across, down, rows, columns = array.shape[-4:]
    whole = np.moveaxis(array, -4, -2).reshape(*array.shape[:-4], down * rows, across * columns)
    matrix = whole[..., : original[-2], : original[-1]]
    return matrix.reshape(original) if matrix.size == prod(original) else None


def tensors_of(path: Path) -> list[GeTensor]:
    """All operands in a file; raises OpdiffError where it is none of GE's."""
    with open_regular(path) as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(_LARGEST_HEAD, path.stat().st_size - 8):
            raise OpdiffError("values.no-ge-file", path=path)
        head = file.read(length)
    try:
        return _tensors(head, 8 + length)
    except (ValueError, IndexError) as error:
        raise OpdiffError("values.no-ge-file", path=path) from error


def _tensors(head: bytes, offset: int) -> list[GeTensor]:
    listed: dict[int, list[dict[int, int | bytes]]] = {_INPUT: [], _OUTPUT: []}
    for number, value in _fields(head):
        if number in listed and isinstance(value, bytes):
            listed[number].append(dict(_fields(value)))
    found = []
    for side, fields in listed.items():
        for place, field in enumerate(fields):
            found.append(
                GeTensor(
                    side == _OUTPUT,
                    place,
                    offset,
                    _number(field, 1),
                    _number(field, 2),
                    _dims(field.get(3, b"")),
                    _dims(field.get(_ORIGINAL[side], b"")),
                )
            )
            offset += _number(field, _SIZE[side])
    return found


def _number(fields: dict[int, int | bytes], name: int) -> int:
    value = fields.get(name, 0)
    if not isinstance(value, int):
        raise ValueError(name)
    return value


def _dims(shape: int | bytes) -> tuple[int, ...]:
    """A message of one repeated number, packed or one by one."""
    if not isinstance(shape, bytes):
        raise ValueError(shape)
    dims: list[int] = []
    for number, value in _fields(shape):
        if number == 1:
            dims += [value] if isinstance(value, int) else _varints(value)
    if any(dim >= 1 << 40 for dim in dims):
        raise ValueError(dims)
    return tuple(dims)


def _varints(packed: bytes) -> list[int]:
    numbers, place = [], 0
    while place < len(packed):
        number, place = _varint(packed, place)
        numbers.append(number)
    return numbers


def _fields(message: bytes) -> Iterator[Field]:
    """The fields of a message, whatever they mean."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, wire = key >> 3, key & 7
        if wire == _VARINT:
            value, place = _varint(message, place)
            yield number, value
            continue
        if wire == _BYTES:
            length, place = _varint(message, place)
        elif wire in (_FIXED64, _FIXED32):
            length = 8 if wire == _FIXED64 else 4
        else:
            raise ValueError(wire)
        if place + length > len(message):
            raise ValueError(length)
        yield number, message[place : place + length]
        place += length


def _varint(message: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place
        shift += 7
        if shift > 63:
            raise ValueError(shift)
