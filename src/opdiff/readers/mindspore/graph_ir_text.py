"""The text of MindSpore's graph IR: what one line says, with no idea of the graph around it.

subgraph @NAME(%para1_x) {
  %0(debug name) = PrimFunc_Mul(%para1_x, F32(2)) primitive_attrs: {..} cnode_attrs: {..}
      : (<Tensor[Float32], (4, 4)>, <Float32, NoShape>) -> (<Tensor[Float32], (4, 4)>)
      # Fullname with scope: (Default/net-Net/Mul-op0)
      # In file train.py:14, 12~43/            y = x * 2.0/
  Return(%0)
}
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, repeat
from typing import NamedTuple

from opdiff.trace import Frame, TensorSpec

SUBGRAPH = re.compile(r"^\s*subgraph @(?P<name>[^\s(]*)")
_NODE = re.compile(
    r"^\s+(?:%(?P<number>\d{1,18})(?:\((?P<label>[^()]*)\))? = (?P<op>.+?)|(?P<back>Return))\((?=.)"
)
_NODE_START = re.compile(r"^\s+(?:%\d+\b.* = |Return\()")
_FULLNAME = re.compile(r"^\s+# Fullname with scope: \((?P<name>.*)\)\s*$")
_SOURCE = re.compile(
    r"^\s+# In file (?P<file>.*?):(?P<line>\d{1,9})(?:~\d+)?(?:, \d+~\d+)?/(?P<code>.*)"
)
_FUNCTION = re.compile(r"^\s*(?:async\s+)?def\s+(?P<name>\w+)")
_UNNAMED_FUNCTION = re.compile(r"^\s*(?:@|lambda\b)")
_PREFIXES = re.compile(r"^(?:DoSignaturePrimitive::|MetaFuncGraph::|S[-_]Prim[-_]|PrimFunc_)+")
_INTEGER = re.compile(r"^[UI]\d*\((-?\d{1,18})\)$|^(-?\d{1,18})$")
_TENSOR = re.compile(r"^(?:Ref\[)?\w*Tensor\[(?P<dtype>[^\]]+)\]")
_SCALAR = re.compile(r"^(?!UMonad$|IOMonad$|Func|TypeNone$|None$)[A-Za-z]\w*$")
_DEEPEST_TYPE = 32
"""Tuples in tuples: what is deeper is read as a tuple that holds nothing."""
_TUPLE = re.compile(r"(?:Tuple|List)[\[{]")
_OPENING, _CLOSING = "([{<", ")]}>"

Types = tuple["Type", ...]


@dataclass(frozen=True, slots=True)
class Type:
    """One entry of a type line: a tensor or scalar, a tuple, or neither (monad, function)."""

    spec: TensorSpec | None = None
    elements: Types | None = None
    cut: bool = False
    """Whether its text goes deeper than is read."""


class IrNode(NamedTuple):
    """A node line taken apart."""

    number: int | None
    """None for ``Return``."""
    op: str
    arguments: tuple[str, ...]
    side_effect: bool
    complete: bool
    """Whether the list of arguments was closed."""


def is_node(line: str) -> bool:
    """Whether a line begins a node (so that its details do not belong to the node before)."""
    return _NODE_START.match(line) is not None


def resembles_node(line: str) -> bool:
    """Whether a line is a node, or may have been one before it was damaged."""
    return line[:1].isspace() and (" = " in line or line.lstrip().startswith(("%", "Return(")))


def read_node(line: str) -> IrNode | None:
    """The node a line declares, or None."""
    match = _NODE.match(line)
    if match is None:
        return None
    arguments, end = split_list(line, match.end())
    number = match["number"]
    return IrNode(
        number=None if number is None else int(number),
        op=match["back"] or op_name(match["op"]),
        arguments=tuple(arguments),
        side_effect="side_effect_mem: Bool(1)" in line[end:],
        complete=end < len(line),
    )


def op_name(primitive: str) -> str:
    """The op type of a printed primitive: ``PrimFunc_Mul`` → ``Mul``, ``call @f`` → ``Call``."""
    if primitive.startswith(("call @", "call %", "%")):
        return "Call"
    bare = _PREFIXES.sub("", primitive.strip()).partition("{")[0]
    return bare.replace("/", "_") or primitive.strip()


def split_list(text: str, start: int) -> tuple[list[str], int]:
    """The items of a list whose bracket was opened just before *start*, and where it closes.

    Brackets nest, ``->`` is no bracket; an unclosed list ends with the text.
    """
    items: list[str] = []
    depth, begin = 0, start
    for place in range(start, len(text)):
        letter = text[place]
        if letter in _OPENING:
            depth += 1
        elif letter in _CLOSING:
            if letter == ">" and text[place - 1] == "-":
                continue
            if depth == 0:
                _append(items, text[begin:place])
                return items, place
            depth -= 1
        elif letter == "," and depth == 0:
            _append(items, text[begin:place])
            begin = place + 1
    _append(items, text[begin:])
    return items, len(text)


def _append(items: list[str], item: str) -> None:
    item = item.strip()
    if item:
        items.append(item)


def is_type_line(line: str) -> bool:
    """Whether a line gives the abstract types of a node (and not those of its kernel)."""
    stripped = line.lstrip()
    return stripped.startswith(": (") and "xDefaultFormat" not in line and _holds_types(stripped)


def _holds_types(stripped: str) -> bool:
    # After kernel selection a last line says only (Tensor, Scalar) -> (Tensor).
    return "<" in stripped or stripped.startswith(": () ->")


@lru_cache(maxsize=8192)
def read_types(line: str) -> tuple[Types, Types]:
    """Types of the arguments and of the result."""
    opened = line.index("(") + 1
    inputs, end = split_list(line, opened)
    arrow = line.find("-> (", end)
    outputs = split_list(line, arrow + 4)[0] if arrow >= 0 else []
    return tuple(map(read_type, inputs)), tuple(map(read_type, outputs))


@lru_cache(maxsize=8192)
def read_type(text: str) -> Type:
    """One ``<…>`` entry of a type line."""
    parts = split_list(text, 1)[0] if text.startswith("<") else []
    if len(parts) < 2:
        return Type()
    kind, shape = parts[0], parts[1]
    if _TUPLE.match(kind):
        return _read_tuple(kind, shape)
    return Type(_read_spec(kind, shape))


def _read_spec(kind: str, shape: str) -> TensorSpec | None:
    """A tensor or a scalar; None for anything else."""
    tensor = _TENSOR.match(kind)
    dims = _read_shape(shape)
    if tensor and dims is not None:
        return TensorSpec(tensor["dtype"], dims)
    return TensorSpec(kind, ()) if shape == "NoShape" and _SCALAR.match(kind) else None


def _read_shape(text: str) -> tuple[int, ...] | None:
    if not text.startswith("("):
        return None
    dims, _ = split_list(text, 1)
    try:
        return tuple(int(dim) for dim in dims)
    except ValueError:
        return None


def _read_tuple(kind: str, shape: str) -> Type:
    """A tuple and those in it, without recursion: the text decides how deep it is."""
    entries, depths = [(kind, shape)], [0]
    inner: list[range | None] = []
    """Where the elements of each entry stand, always behind it; None for what is no tuple."""
    for depth, entry in zip(depths, entries, strict=True):  # both grow meanwhile
        if not _TUPLE.match(entry[0]):
            inner.append(None)
            continue
        elements = _elements(*entry) if depth < _DEEPEST_TYPE else []
        inner.append(range(len(entries), len(entries) + len(elements)))
        entries += elements
        depths += [depth + 1] * len(elements)
    types = [Type()] * len(entries)
    for place in reversed(range(len(entries))):
        within = inner[place]
        types[place] = (
            Type(_read_spec(*entries[place]))
            if within is None
            else Type(elements=tuple(types[within.start : within.stop]))
        )
    cut = any(d == _DEEPEST_TYPE and i is not None for d, i in zip(depths, inner, strict=True))
    return replace(types[0], cut=cut)


def _elements(kind: str, shape: str) -> list[tuple[str, str]]:
    """The entries of ``Tuple[Tensor[Float32]*2, Int64], TupleShape((4, 4), (4, 4), NoShape)``."""
    bracket = _TUPLE.match(kind)
    kinds = split_list(kind, bracket.end())[0] if bracket else []
    opened = shape.find("(")
    shapes = split_list(shape, opened + 1)[0] if opened >= 0 else []
    repeated = [_repeated(each) for each in kinds]
    if sum(times for _, times in repeated) != len(shapes):
        return []
    spelled = chain.from_iterable(repeat(name, times) for name, times in repeated)
    return list(zip(spelled, shapes, strict=True))


def _repeated(kind: str) -> tuple[str, int]:
    """``Int64*4`` is four times ``Int64``; counts beyond reason are not believed."""
    name, star, times = kind.rpartition("*")
    if star and times.isdecimal() and len(times) < 7:
        return name, int(times)
    return kind, 1


def read_integer(argument: str) -> int | None:
    """The value of ``I64(1)``, as TupleGetItem takes it; None for anything else."""
    match = _INTEGER.match(argument)
    return int(match[1] or match[2]) if match else None


def read_fullname(line: str) -> str | None:
    """The name with scope that a comment line gives, or None."""
    match = _FULLNAME.match(line)
    return match["name"] if match else None


def read_stack(lines: Iterable[str]) -> tuple[Frame, ...]:
    """Frames of the ``# In file`` lines, outermost first.

    The file lists, for every function on the way, its ``def`` and then ever narrower statements;
    of these only the narrowest is a frame.
    """
    frames: list[Frame] = []
    function = ""
    for line in lines:
        match = _SOURCE.match(line)
        if match is None:
            continue
        header = _FUNCTION.match(match["code"])
        starts = header is not None or _UNNAMED_FUNCTION.match(match["code"]) is not None
        if starts:
            function = header["name"] if header else ""
        frame = Frame(match["file"], int(match["line"]), function)
        if frames and not starts and frames[-1].file == frame.file:
            frames[-1] = frame
        else:
            frames.append(frame)
    return tuple(frames)
