"""Whole tensors in files, whoever wrote them: NumPy, PyTorch or GE.

What PyTorch saved (``.pt``) is read without PyTorch. Such a file is a ZIP archive: a pickle that
says how to make the tensor, and its elements beside it. A pickle is a program. This one is not run:
of its instructions only those that a plain tensor needs are followed, calls are written down
instead of made, and anything else is refused.
"""

from __future__ import annotations

import pickletools
import zipfile
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.errors import OpdiffError
from opdiff.regular_files import open_regular
from opdiff.values.ge_files import GeTensor
from opdiff.values.npy_files import map_array

_LARGEST_PROGRAM = 1 << 16
_DTYPES = {
    "FloatStorage": "f4", "DoubleStorage": "f8", "HalfStorage": "f2", "BFloat16Storage": "u2",
    "LongStorage": "i8", "IntStorage": "i4", "ShortStorage": "i2", "CharStorage": "i1",
    "ByteStorage": "u1", "BoolStorage": "?",
}  # fmt: skip
_ORDERS = {b"little": "<", b"big": ">"}
_MARK = object()
_ARCHIVE = b"PK\x03\x04"


class _Call(NamedTuple):
    """What a pickle would call, and with what."""

    name: str
    arguments: tuple[Any, ...] = ()


def read_torch_file(path: str) -> NDArray[np.generic]:
    """The elements of a saved tensor, bfloat16 as bits; raises OpdiffError for anything else."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _tensor(archive)
    except (zipfile.BadZipFile, KeyError, ValueError, OverflowError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]
        raise OpdiffError("values.no-torch-file", reason=reason, path=path) from error


def _tensor(archive: zipfile.ZipFile) -> NDArray[np.generic]:
    program = next((name for name in archive.namelist() if name.endswith("/data.pkl")), None)
    if program is None:
        raise ValueError("no data.pkl in it")
    folder = program.removesuffix("data.pkl")
    made = _followed(_member(archive, program, _LARGEST_PROGRAM))
    while isinstance(made, _Call) and made.name == "torch._utils _rebuild_parameter":
        made = made.arguments[0] if made.arguments else None
    if not isinstance(made, _Call) or made.name != "torch._utils _rebuild_tensor_v2":
        raise ValueError("it holds something else than one tensor")
    storage, offset, shape, strides = made.arguments[:4] if len(made.arguments) > 3 else [None] * 4
    if not isinstance(storage, _Call) or len(storage.arguments) != 5:
        raise ValueError("its elements are kept in an unknown way")
    _, kind, key, _, count = storage.arguments
    dtype = _DTYPES.get(kind.name.rpartition(" ")[2] if isinstance(kind, _Call) else "")
    if dtype is None or not isinstance(key, str) or type(count) is not int or count < 0:
        raise ValueError("its elements are of an unknown type")
    order = b"little"
    if f"{folder}byteorder" in archive.namelist():
        order = _member(archive, f"{folder}byteorder", 16)
    kept = np.dtype(_ORDERS.get(order, "<") + dtype)
    content = _member(archive, f"{folder}data/{key}", count * kept.itemsize)
    return _laid_out(np.frombuffer(content, kept), offset, shape, strides)


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """A file of the archive. PyTorch packs nothing: what is packed could be of any size."""
    entry = archive.getinfo(name)
    if entry.compress_type != zipfile.ZIP_STORED or entry.file_size > most:
        raise ValueError(f"{name} is larger than it says")
    return archive.read(entry)


def _laid_out(
    elements: NDArray[np.generic], offset: object, shape: object, strides: object
) -> NDArray[np.generic]:
    sizes, steps, [first] = _numbers(shape), _numbers(strides), _numbers((offset,))
    last = first + sum((size - 1) * step for size, step in zip(sizes, steps, strict=True))
    if not prod(sizes):
        return elements[:0].reshape(sizes)
    if prod(sizes) > len(elements) or last >= len(elements):
        raise ValueError("its elements are not all there")
    width = elements.itemsize
    return np.lib.stride_tricks.as_strided(
        elements[first:], sizes, [step * width for step in steps], writeable=False
    )


def _numbers(given: object) -> list[int]:
    if not isinstance(given, tuple) or any(type(one) is not int or one < 0 for one in given):
        raise ValueError("its shape is damaged")
    return list(given)


def _followed(program: bytes) -> object:
    """What a pickle makes, with every call written down; raises ValueError where it does more."""
    stack: list[Any] = []
    memory: dict[int, Any] = {}
    try:
        argument: Any
        for opcode, argument, _ in pickletools.genops(program):
            if opcode.name == "STOP":
                return stack.pop()
            if opcode.name in ("BINPUT", "LONG_BINPUT"):
                memory[argument] = stack[-1]
            elif opcode.name in ("BINGET", "LONG_BINGET"):
                stack.append(memory[argument])
            elif opcode.name in _PLAIN:
                stack.append(_PLAIN[opcode.name](argument))
            elif opcode.name != "PROTO":
                _CHANGES[opcode.name](stack)
    except (IndexError, KeyError, TypeError, AttributeError) as error:
        raise ValueError("it holds something else than one tensor") from error
    raise ValueError("its description has no end")


def _tuple_of_marked(stack: list[Any]) -> None:
    place = len(stack) - 1 - stack[::-1].index(_MARK)
    stack[place:] = [tuple(stack[place + 1 :])]


def _tuple_of(count: int) -> Callable[[list[Any]], None]:
    def change(stack: list[Any]) -> None:
        if len(stack) < count:
            raise IndexError
        stack[-count:] = [tuple(stack[-count:])]

    return change


def _call(stack: list[Any]) -> None:
    arguments, called = stack.pop(), stack.pop()
    if not isinstance(arguments, tuple):
        raise TypeError
    stack.append(_Call(called.name, arguments))


def _storage(stack: list[Any]) -> None:
    stack.append(_Call("storage", tuple(stack.pop())))


_PLAIN: dict[str, Callable[[Any], object]] = {
    "GLOBAL": _Call,
    "MARK": lambda _: _MARK,
    "NONE": lambda _: None,
    "NEWTRUE": lambda _: True,
    "NEWFALSE": lambda _: False,
    "EMPTY_TUPLE": lambda _: (),
    **dict.fromkeys(
        ("BINUNICODE", "BININT", "BININT1", "BININT2", "LONG1"), lambda argument: argument
    ),
}
_CHANGES: dict[str, Callable[[list[Any]], None]] = {
    "TUPLE": _tuple_of_marked,
    "TUPLE1": _tuple_of(1),
    "TUPLE2": _tuple_of(2),
    "TUPLE3": _tuple_of(3),
    "REDUCE": _call,
    "BINPERSID": _storage,
}


def load_tensor(path: str, inside: GeTensor | None = None) -> NDArray[np.generic]:
    """The elements of the tensor in a file, or of one *inside* it; bfloat16 as bits.

    Raises OpdiffError, OSError, ValueError or EOFError where they cannot be read.
    """
    if inside is not None:
        return inside.load(path)
    with open_regular(path) as file:
        if file.read(len(_ARCHIVE)) == _ARCHIVE:
            return read_torch_file(path)
    return map_array(path)
