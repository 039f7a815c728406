"""The text of torch_npu's op_plugin log: what one line of a record says.

[rank:0]:[77] [2026-03-30 10:15:30:102] torch_npu.op_plugin: [INFO] [77] aclnnAdd EXEC_NPU_CMD …
self: Tensor size: [2, 16], stride: [16, 1], offset: 0, dtype: float, device ID: 0, data_ptr: …
alpha: Scalar: 1, type: Long
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from opdiff.readers.arguments import whole
from opdiff.readers.specs import dtype_name, spec_with_strides
from opdiff.trace import TensorSpec

_HEADER = re.compile(
    r"(?:^|[\s\]])(?P<op>[A-Za-z_]\w*) (?P<command>EXEC_\w+|exec aten)"
    r"(?: stream_id=(?P<stream>-?\d+),[^\n]*?)? with(?:,? \w+ = \w+)*\s*$"
)
_DETAIL = re.compile(r"\b[A-Za-z_]\w* Detail info:\s*$")
_NAMES = re.compile(r"\barg_names info\b")
_RANK = re.compile(r"\[rank:(\d+)\]")
_THREAD = re.compile(r"\[(?:INFO|DEBUG)\] \[(\d+)\] ")
_PROCESS = re.compile(r"^[A-Z]\d{4} [\d:.]+ +(\d+)[ \]]")
_ARGUMENT = re.compile(
    r"(?P<name>\S.*?): (?P<value>Tensor size: |TensorList size: |Empty TensorList|NPU scalar |"
    r"CPU scalar |Undefined Tensor|Optional |Scalar: |IntArrayRef |ScalarType: |u?int\d*_t: |"
    r"int: |bool: |double: |float: |char\*: |unknown dtype|Empty [A-Za-z_]|"
    r"[A-Za-z_][\w:]*<[\w:]+(?:, \w+)?> size: |[A-Za-z_][\w:<>*&]*(?: size)?: )"
)
_TENSOR = re.compile(
    r"Tensor size: \[(?P<shape>[^\]]*)\], stride: \[(?P<strides>[^\]]*)\], "
    r"offset: (?P<offset>\d{1,18}), dtype: (?P<dtype>.+?), device ID: -?\d+\s*$"
)
_POINTER = re.compile(r"(?:0x[0-9a-fA-F]{1,16}|0|[A-Za-z].*)\s*$")
_LIST = re.compile(r"TensorList size: (?P<size>\d{1,9}), first tensor of tensorlist: ")
_NUMBER_TENSOR = re.compile(
    r"(?:NPU|CPU) scalar (?:Fake)?Tensor(?:\(capturing\))?(?:: (?P<value>.*?))?"
    r", dtype: (?P<dtype>[^,]+)$"
)
_PLAIN = re.compile(r"[^:]*?: (?P<value>.*)$")
_ELEMENTS = re.compile(r"size: \d+, (?:first \d+ )?elements: (?P<value>\[[^\]]*\]|\d.*)")
_SIZES = {"64": 8, "32": 4, "16": 2, "8": 1, "128": 16}
_BITS = re.compile(r"(\d+)")


class KernelHeader(NamedTuple):
    """The first line of a record."""

    op: str
    is_kernel: bool
    """False for ``exec aten``: the call that the kernels after it belong to."""
    stream: str
    rank: str
    thread: str


class Tensor(NamedTuple):
    """A tensor as a line prints it."""

    spec: TensorSpec
    block: int | None
    """The address where its memory begins; None where none is printed."""


class Argument(NamedTuple):
    """One line of a record."""

    name: str
    tensor: Tensor | None = None
    text: str = ""
    """What is no tensor, or the value of one that is a single number."""
    listed: int | None = None
    """Of a list of tensors: how many there are; only the first one is printed."""


def read_header(line: str) -> KernelHeader | None:
    """The header of a record, or None."""
    if " with" not in line:
        return None
    match = _HEADER.search(line)
    if match is None:
        return None
    before = line[: match.start("op")]
    rank, thread = _RANK.search(before), _THREAD.search(before) or _PROCESS.match(before)
    return KernelHeader(
        match["op"],
        match["command"] != "exec aten",
        match["stream"] or "0",
        rank[1] if rank else "",
        thread[1] if thread else "",
    )


def is_detail(line: str) -> bool:
    """Whether a line begins a record of the level DEBUG, which repeats what is known."""
    return _DETAIL.search(line) is not None


def is_about_names(line: str) -> bool:
    """Whether a line within a record only repeats how its arguments are called."""
    return _NAMES.search(line) is not None


def resembles_argument(line: str) -> bool:
    """Whether a line prints a tensor, as nothing but a record does."""
    return ": Tensor size: [" in line or ": TensorList size: " in line


def read_argument(line: str) -> Argument | None:
    """An argument, or None where the line is none or is cut off."""
    described, comma, pointer = line.partition(", data_ptr: ")
    argument = _argument(described)
    if argument is None or argument.tensor is None or not comma:
        return argument
    if not _POINTER.match(pointer):
        return None
    address = int(pointer, 16) if pointer.startswith("0x") else 0
    if not address:
        return argument
    # What is printed is where the tensor begins: a view at an offset lies in the same memory.
    spec = argument.tensor.spec
    block = address - (spec.offset or 0) * _item_size(spec.dtype)
    return Argument(argument.name, Tensor(spec, block), argument.text, argument.listed)


@lru_cache(maxsize=16384)
def _argument(line: str) -> Argument | None:
    """An argument without the address, so that the same one is read but once."""
    match = _ARGUMENT.match(line)
    if match is None:
        return None
    name, value = whole(match["name"].strip()), line[match.start("value") :]
    listed = _LIST.match(value)
    if listed:
        tensor = read_tensor(value[listed.end() :])
        return None if tensor is None else Argument(name, tensor, listed=int(listed["size"]))
    if value.startswith("Tensor size: "):
        tensor = read_tensor(value)
        return None if tensor is None else Argument(name, tensor)
    if value.startswith("TensorList size: "):
        return None
    number = _NUMBER_TENSOR.match(value)
    if number:
        spec = TensorSpec(dtype_name(number["dtype"]), ())
        return Argument(name, Tensor(spec, None), _first_word(number["value"] or "?"))
    return Argument(name, text=_plain_text(value))


def read_tensor(text: str) -> Tensor | None:
    """``Tensor size: […], stride: […], offset: 0, dtype: float, device ID: 0``."""
    match = _TENSOR.match(text)
    if match is None:
        return None
    shape, strides = _numbers(match["shape"]), _numbers(match["strides"])
    if shape is None or strides is None:
        return None
    dtype = dtype_name(match["dtype"])
    return Tensor(spec_with_strides(dtype, shape, strides, int(match["offset"])), None)


def _numbers(text: str) -> tuple[int, ...] | None:
    try:
        numbers = tuple(int(word) for word in text.split(",")) if text.strip() else ()
    except ValueError:
        return None
    return numbers if all(abs(number) < 1 << 62 for number in numbers) else None


def _item_size(dtype: str) -> int:
    if dtype == "Bool":
        return 1
    bits = _BITS.search(dtype)
    return _SIZES.get(bits[1], 1) if bits else 1


def _first_word(text: str) -> str:
    """``0`` of ``0, [ NPUFloatType{} ]``."""
    return _printable(text.split("[")[0].strip(" ,\n") or text)


def _plain_text(value: str) -> str:
    """The value of what is no tensor, without the name of its C++ type."""
    if value.startswith(("Undefined Tensor", "Optional None", "Empty ")):
        return "[]" if value.startswith("Empty") else "None"
    elements = _ELEMENTS.search(value)
    if elements:
        listed = elements["value"]
        return _printable(listed if listed.startswith("[") else f"[{listed}, …]")
    plain = _PLAIN.match(value)
    text = plain["value"] if plain else value
    if value.startswith("Scalar: "):
        text = text.rpartition(", type: ")[0] or text
    if value.startswith("int8_t: "):
        return _byte(text)
    if value.startswith("bool: "):
        return {"0": "False", "1": "True"}.get(text.strip(), _printable(text))
    return _printable(text)


def _byte(text: str) -> str:
    """A number of eight bits is printed as a character; 0 ends the line before it is printed."""
    if not text:
        return "0"
    return str(ord(text[0])) if len(text) == 1 and not text.isdigit() else _printable(text)


def _printable(text: str) -> str:
    return whole(
        "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text.strip())
    )
