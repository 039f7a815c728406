"""What tensors look like, in one spelling for all frameworks: that of MindSpore's traces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from opdiff.trace import TensorSpec

UNKNOWN_SPEC = TensorSpec("?", ())
"""Of operands in files that print no types (listings cut down by hand)."""
NUMBERS = frozenset({"Float64", "Int64", "Bool", "Complex128"})
"""What numbers of Python are as tensors."""
_LARGEST = 1 << 62
_CAPITALS = re.compile(r"^(?:bf|ui|[a-z])")
_FLOAT8 = re.compile(r"^float8_?", re.IGNORECASE)
_CODE = re.compile(r"^(?P<kind>f|bf|i|u|b|c)(?P<bits>\d+)$")
_KINDS = {"f": "Float", "bf": "BFloat", "i": "Int", "u": "UInt", "c": "Complex"}
_SPELLED = {
    # C++ as gcc and clang print it
    "float": "Float32",
    "double": "Float64",
    "long int": "Int64",
    "long": "Int64",
    "long long": "Int64",
    "int": "Int32",
    "short int": "Int16",
    "short": "Int16",
    "signed char": "Int8",
    "char": "Int8",
    "unsigned char": "UInt8",
    "unsigned short": "UInt16",
    "unsigned int": "UInt32",
    "unsigned long": "UInt64",
    "bool": "Bool",
    "c10::Half": "Float16",
    "c10::BFloat16": "BFloat16",
    "c10::Float8_e4m3fn": "Float8E4M3FN",
    "c10::Float8_e5m2": "Float8E5M2",
    "c10::complex<float>": "Complex64",
    "c10::complex<double>": "Complex128",
    "c10::complex<c10::Half>": "Complex32",
    # what torch's types are also called
    "half": "Float16",
    "b8": "Bool",
    # the graph engine
    "DT_FLOAT": "Float32",
    "DT_DOUBLE": "Float64",
    "DT_BF16": "BFloat16",
    "DT_UINT8": "UInt8",
    "DT_UINT16": "UInt16",
    "DT_UINT32": "UInt32",
    "DT_UINT64": "UInt64",
    "DT_UNDEFINED": "?",
}


@lru_cache(maxsize=1024)
def dtype_name(text: str) -> str:
    """``Float32`` for ``torch.float32``, ``float32``, ``f32``, ``float`` (C++) and ``DT_FLOAT``."""
    text = text.strip()
    known = _SPELLED.get(text)
    if known is not None:
        return known
    code = _CODE.match(text)
    if code is not None and code["kind"] in _KINDS:
        return f"{_KINDS[code['kind']]}{code['bits']}"
    bare = text.removeprefix("torch.").removeprefix("mindspore.").removeprefix("DT_")
    if bare != text and text.startswith("DT_"):
        bare = bare.lower()
    if re.match(r"f8e\d", bare):
        return "Float8" + bare[2:].upper()
    if _FLOAT8.match(bare):
        return "Float8" + _FLOAT8.sub("", bare).upper()
    return _CAPITALS.sub(lambda start: start[0].upper(), bare) or "?"


def dims_of(values: object) -> tuple[int, ...]:
    """Dimensions or strides as JSON lists them; what is no number is unknown, -1."""
    if not isinstance(values, list):
        return ()
    return tuple(v if type(v) is int and abs(v) < _LARGEST else -1 for v in values)


def dims_in(words: Iterable[str]) -> tuple[int, ...]:
    """The same of what a text prints between commas: symbols are unknown."""
    stripped = [word.strip() for word in words if word.strip()]
    return tuple(int(word) if word.isdecimal() and len(word) < 19 else -1 for word in stripped)


@lru_cache(maxsize=1 << 14)
def spec_with_strides(
    dtype: str, shape: tuple[int, ...], strides: tuple[int, ...] | None, offset: int | None
) -> TensorSpec:
    """The spec of an operand; files that print all strides print those of plain tensors, too.

    Operands that look alike share one: a trace has few sorts of tensors.
    """
    if strides is None or len(strides) != len(shape):
        return TensorSpec(dtype, shape)
    if not offset and is_contiguous(shape, strides):
        return TensorSpec(dtype, shape)
    return TensorSpec(dtype, shape, strides, offset)


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether the elements lie one behind the other; also where that cannot be known."""
    if 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size < 0 or stride < 0:  # a symbol
            return True
        if size != 1:
            if stride != expected:
                return False
            expected *= size
    return True
