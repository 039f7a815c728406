"""Arrays in files of NumPy's own form.

Read here: where a header is damaged, numpy's reader fails in many ways, and warns on the terminal.
"""

from __future__ import annotations

import os
import re
from math import prod
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.regular_files import open_regular

_MAGIC = b"\x93NUMPY"
_LARGEST_HEADER = 10_000
_LARGEST_DIMENSION = 1 << 40
_LONGEST_START = 12
_DESCR = re.compile(rb"'descr': '([<>|=]?[?biufcV]\d{0,3})'")
_DIMENSIONS = re.compile(rb"'shape': \(([\d, ]{0,400})\)")
_BY_COLUMNS = re.compile(rb"'fortran_order': True")


class ArrayHead(NamedTuple):
    """What such a file says of its array before the elements begin."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]
    order: Literal["C", "F"]
    """By rows, or by columns."""
    start: int
    """The byte at which the elements begin."""

    def expect(self, size: int) -> None:
        """Raise ValueError where a file of so many bytes does not hold all elements."""
        expected = self.start + prod(self.shape) * self.dtype.itemsize
        if size < expected:
            raise ValueError(f"{size} bytes, {expected} expected")


def read_head(content: bytes) -> ArrayHead:
    """Read how a file begins; raises ValueError for anything but an array of numbers."""
    if not content.startswith(_MAGIC) or len(content) < _LONGEST_START or content[6] not in (1, 2):
        raise ValueError("no array of numpy")
    start = 10 if content[6] == 1 else 12
    end = start + int.from_bytes(content[8:start], "little")
    header = content[start:end]
    descr, shape = _DESCR.search(header), _DIMENSIONS.search(header)
    if descr is None or shape is None or len(header) < end - start or end > _LARGEST_HEADER:
        raise ValueError("no array of numbers")
    dims = [int(word) for word in shape[1].split(b",") if word.strip()]
    try:
        dtype = np.dtype(descr[1].decode())
    except TypeError:
        raise ValueError("an unknown dtype") from None
    if not dtype.itemsize or any(dim >= _LARGEST_DIMENSION for dim in dims):
        raise ValueError("no array of numbers")
    order: Literal["C", "F"] = "F" if _BY_COLUMNS.search(header) else "C"
    return ArrayHead(tuple(dims), dtype, order, end)


def array_in(content: bytes) -> NDArray[np.generic]:
    """The array that a file of this content holds; raises ValueError."""
    head = read_head(content[:_LARGEST_HEADER])
    head.expect(len(content))
    elements = np.frombuffer(content, head.dtype, prod(head.shape), head.start)
    return elements.reshape(head.shape, order=head.order)


def map_array(path: str) -> NDArray[np.generic]:
    """The array in a file, read where it is looked at; raises OpdiffError, OSError, ValueError."""
    with open_regular(path) as file:
        head = read_head(file.read(_LARGEST_HEADER))
        head.expect(os.fstat(file.fileno()).st_size)
        if not prod(head.shape):
            return np.empty(head.shape, head.dtype)
        return np.memmap(file, head.dtype, "r", head.start, head.shape, head.order)
