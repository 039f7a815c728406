"""The grammar of one record, line by line, in time linear in the line whatever it holds.

(%48) = Embedding(%44, %47), task_info: 51, attrs {stream_id=0}
    (BFloat16:[64, 2, 128]) <- (Int64:[2, 64], BFloat16:[32000, 128])
    # File:/a/b.py;Line:44;Function:forward|
"""

from __future__ import annotations

import re
from typing import NamedTuple

from opdiff.trace import Frame, TensorSpec
from opdiff.trace.columns import Attrs

INT64_LIMIT = 1 << 63

_IDS = re.compile(rb"(?:%[0-9]+(?:, %[0-9]+)*)?")
_NUMBER = re.compile(rb"[0-9]+")
_TAIL = re.compile(rb"([0-9]+), attrs \{(.*)\} ?", re.DOTALL)
_SPEC = re.compile(
    rb"(?P<dtype>\w+|[^\n]*?):\[(?P<shape>[-0-9, ]*)\]"
    rb"(?:\{strdes=\[(?P<strides>[-0-9, ]*)\],offset=(?P<offset>-?[0-9]+)\})?(?:, |\Z)"
)
_DIMS = re.compile(rb"(?:-?[0-9]+(?:, -?[0-9]+)*)?")
_ARGUMENTS = re.compile(r"(?:, |;)args=\(")
_FRAME_MIDDLE = re.compile(r";Line:([0-9]+);Function:")

TASK_MARK = b"), task_info: "
STACK_MARK = b"    # "


class TooLargeError(ValueError):
    """A number does not fit into 64 bits."""


class RecordHeader(NamedTuple):
    """A record's first line."""

    name: bytes
    outputs: list[int]
    inputs: list[int]
    task: int
    attrs: bytes


class SpecLine(NamedTuple):
    """A record's second line: what is described left and right of the arrow."""

    outputs: tuple[bytes, ...]
    inputs: tuple[bytes, ...]


def printable(text: bytes) -> str:
    """Text that can be printed whatever bytes the file holds."""
    return text.decode("utf-8", "backslashreplace")


def number(digits: bytes) -> int:
    """A decimal number that fits into a signed 64-bit integer."""
    if len(digits) > 20:
        raise TooLargeError
    value = int(digits)
    if not -INT64_LIMIT <= value < INT64_LIMIT:
        raise TooLargeError
    return value


def parse_header(line: bytes) -> RecordHeader | None:
    """A first line, taken apart from the right: a name may hold anything. None if it is none."""
    if not line.startswith(b"("):
        return None
    head, mark, tail = line.rpartition(TASK_MARK)
    end = _TAIL.fullmatch(tail) if mark else None
    close = head.find(b") = ") if end else -1
    if end is None or close < 0:
        return None
    name, parenthesis, inputs = head[close + 4 :].rpartition(b"(")
    outputs = head[1:close]
    if not (name and parenthesis and _IDS.fullmatch(outputs) and _IDS.fullmatch(inputs)):
        return None
    return RecordHeader(name, _ids(outputs), _ids(inputs), number(end[1]), end[2])


def _ids(text: bytes) -> list[int]:
    return [number(digits) for digits in _NUMBER.findall(text)]


def parse_attrs(text: bytes) -> Attrs:
    """Attributes by name, in the order of their names: a trace prints them in any order."""
    pairs: dict[str, str] = {}
    key = ""
    plain, arguments = _split_arguments(printable(text))
    if arguments is not None:
        pairs["args"] = arguments
    for part in plain.split(";") if plain else ():
        name, equals, value = part.partition("=")
        if equals:
            key = name
            pairs[key] = value
        elif key:
            # Values are not escaped: a semicolon inside one looks like the next pair.
            pairs[key] += ";" + part
        else:
            pairs[part] = ""
    return tuple(sorted(pairs.items()))


def _split_arguments(text: str) -> tuple[str, str | None]:
    """The attributes before the arguments of an op, and these: the last one, to the very end.

    The recorder of PyTorch programs writes ``stream_id=0, args=(_, 1e-05)``.
    """
    mark = _ARGUMENTS.search(text) if text.endswith(")") else None
    return (text[: mark.start()], text[mark.end() - 1 :]) if mark else (text, None)


def parse_spec_line(line: bytes) -> SpecLine | None:
    """A second line, split into the descriptions of the operands; None if it is none."""
    if not (line.startswith(b"    (") and line.endswith(b")")):
        return None
    outputs, arrow, inputs = line[5:-1].partition(b") <- (")
    if not arrow:
        return None
    written, read = _split_specs(outputs), _split_specs(inputs)
    return None if written is None or read is None else SpecLine(written, read)


def _split_specs(text: bytes) -> tuple[bytes, ...] | None:
    found: list[bytes] = []
    place = 0
    while place < len(text):
        match = _SPEC.match(text, place)
        if match is None:
            return None
        dtype, shape, strides, _ = match.groups()
        plain = strides is None or _DIMS.fullmatch(strides)
        if not (dtype and plain and _DIMS.fullmatch(shape)):
            return None
        end = match.end()
        found.append(text[place:end].removesuffix(b", "))
        place = end
    return None if text.endswith(b", ") else tuple(found)


def parse_spec(text: bytes) -> TensorSpec:
    """One description of a line that :func:`parse_spec_line` accepted."""
    match = _SPEC.match(text)
    if match is None:
        raise ValueError(text)
    dtype = printable(match["dtype"])
    shape = _dims(match["shape"])
    if match["strides"] is None:
        return TensorSpec(dtype, shape)
    return TensorSpec(dtype, shape, _dims(match["strides"]), number(match["offset"]))


def _dims(text: bytes) -> tuple[int, ...]:
    return tuple(number(dim) for dim in text.split(b", ")) if text else ()


class Stack(NamedTuple):
    """The frames of a third line, and whether nothing of it was left over."""

    frames: tuple[Frame, ...]
    complete: bool


def parse_stack(text: str) -> Stack:
    """Frames out of a text that escapes nothing: paths may hold ``;``, ``|`` and line ends."""
    frames: list[Frame] = []
    place = 0
    while place < len(text):
        middle = _FRAME_MIDDLE.search(text, place)
        if middle is None or not text.startswith("File:", place) or len(middle[1]) > 18:
            break
        end = text.find("|File:", middle.end())
        if end < 0:
            end = text.rfind("|", middle.end())
        function = text[middle.end() : end]
        # Paths may hold line ends, names of functions do not: what has one runs into other text.
        if end < 0 or "\n" in function:
            break
        file = text[place + len("File:") : middle.start()]
        frames.append(Frame(file, int(middle[1]), function))
        place = end + 1
    return Stack(tuple(frames), place == len(text))
