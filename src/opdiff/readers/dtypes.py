"""One spelling of dtypes for all frameworks: that of MindSpore's traces, ``BFloat16``."""

from __future__ import annotations

import re
from functools import lru_cache

NUMBERS = frozenset({"Float64", "Int64", "Bool", "Complex128"})
"""What numbers of Python are as tensors."""
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
