"""The trace of torch.profiler, in the JSON that Chrome shows: what ran, when, and with what inputs.

It tells neither outputs nor which tensor is which. Calls enclose others in time: the outermost ones
are the level *composite*, those without inner ones *leaf*; kernels of a device are a level of their
own. Python functions that enclose a call are its stack, modules and autograd's nodes its scope.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from opdiff.readers.arguments import TENSOR, called_with, leaf_text, whole
from opdiff.readers.finishing import choose_parts, finished
from opdiff.readers.formats import Input
from opdiff.readers.json_entries import Shape, entries
from opdiff.readers.problems import Problems
from opdiff.readers.specs import NUMBERS, dims_of, dtype_name, spec_with_strides
from opdiff.readers.tensor_ids import TensorIds
from opdiff.trace import ColumnsBuilder, Frame, Operand, TensorSpec, Trace
from opdiff.trace.columns import EAGER, GRAPH
from opdiff.wording import Sentence

FORMAT = "torch-profiler"
COMPOSITE, LEAF, KERNEL = "composite", "leaf", "kernel"

_SHAPE = Shape(
    opening=re.compile(
        r'\{\s*"(?:schemaVersion|traceEvents|deviceProperties|displayTimeUnit|distributedInfo|'
        r'baseTimeNanoseconds|trace_id|traceName|with_\w+|record_shapes|host_name)"\s*:|'
        r'\[\s*\{\s*"(?:ph|name|cat|pid)"\s*:'
    ),
    member="traceEvents",
    bracket="[",
    entry=re.compile(r'\{\s*"(?:ph"\s*:|name"\s*:\s*"(?:[^"\\]|\\.)*",\s*"ph")'),
)
_EVENTS = re.compile(rb'"traceEvents"\s*:\s*\[')
_LISTED = re.compile(rb'^(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"')
_KERNELS = frozenset({"kernel", "gpu_memcpy", "gpu_memset", "Kernel"})
_AROUND = frozenset({"user_annotation", "cpu_op"})
_NO_OPS = ("autograd::", "torch::autograd", "torch::jit", "torch::dynamo")
_COMPILED = ("Torch-Compiled Region", "CompiledFunction", "## Call CompiledFxGraph")
_FRAME = re.compile(r"(?P<file>.+?)\((?P<line>\d{1,9})\): (?P<function>.+)$")
_MODULE = "nn.Module: "
_LIBRARIES = ("torch", "torch_npu", "torchair", "torchvision")
_CLOSE = 0.002
"""Times are microseconds with three decimals, near what a float still tells apart."""
_WHOLE = re.compile(r"\b(\d+)\.(?!\d)")
"""``2.`` is how C++ prints what Python prints as ``2.0``."""
_LATEST = 1e18
_DEEPEST = 400
_NO_TENSOR = frozenset({"", "Scalar", "ScalarList", "None"})


def sniff(head: bytes) -> bool:
    """Whether the beginning of a file is such a trace."""
    if _EVENTS.search(head) or (b'"schemaVersion"' in head and b'"deviceProperties"' in head):
        return True
    return _LISTED.match(head) is not None and b'"ph"' in head


def read(source: Input) -> Trace:
    """The calls of one level in the order of time."""
    reader = _Reader(source.problems)
    for member, _, value, line, last_line in entries(source, _SHAPE):
        if member == _SHAPE.member:
            reader.take(value, line, last_line)
    reader.nest()
    ops = {
        COMPOSITE: [op for op in reader.ops if not op.enclosed],
        LEAF: [op for op in reader.ops if not op.encloses],
        KERNEL: reader.kernels,
    }
    sizes = {level: len(ops[level]) for level in ops if ops[level] or level != KERNEL}
    _, parts = choose_parts(source, sizes)
    wanted = {id(op): op for part in parts if part.read for op in ops[part.name]}
    return finished(
        source,
        FORMAT,
        _build(wanted.values()).build(),
        notes=[Sentence.of("reading.no-outputs")],
        parts=parts,
    )


class _Timed(NamedTuple):
    """Something that took its time on a thread."""

    start: float
    length: float
    what: Any
    """An op, the name of what encloses ops, or a frame of Python."""


@dataclass(slots=True)
class _TimedOp:
    name: str
    start: float
    line: int
    last_line: int
    inputs: Sequence[TensorSpec]
    attrs: Mapping[str, str]
    enclosed: bool = False
    encloses: bool = False
    scope: str = ""
    compiled: bool = False
    stack: tuple[Frame, ...] = ()


class _Reader:
    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self.ops: list[_TimedOp] = []
        self.kernels: list[_TimedOp] = []
        self._threads: dict[tuple[str, str], list[_Timed]] = {}
        self._frames: dict[str, Frame | str | None] = {}

    def take(self, event: object, line: int, last_line: int) -> None:
        """Keep what tells of ops."""
        if not isinstance(event, dict):
            self._problems.add("trace-event", line, last_line)
            return
        if event.get("ph") != "X":
            return
        kind, name = str(event.get("cat")), event.get("name")
        start, length = _time(event.get("ts")), _time(event.get("dur", 0))
        if not (isinstance(name, str) and name) or start is None or length is None:
            if kind in _AROUND or kind in _KERNELS:
                self._problems.add("trace-event", line, last_line)
            return
        what = self._what(kind, whole(name), start, event, (line, last_line))
        if what is not None:
            key = (str(event.get("pid")), str(event.get("tid")))
            self._threads.setdefault(key, []).append(_Timed(start, length, what))

    def _what(
        self, kind: str, name: str, start: float, event: Mapping[str, Any], lines: tuple[int, int]
    ) -> _TimedOp | Frame | str | None:
        if kind == "python_function":
            if name not in self._frames:
                self._frames[name] = _frame(name)
            return self._frames[name]
        if kind in _KERNELS:
            self.kernels.append(_kernel(name, start, event, lines))
            return None
        if kind not in _AROUND:
            return None
        if kind == "user_annotation" or "::" not in name or name.startswith(_NO_OPS):
            return "" if name.startswith("autograd::engine::") else name
        arguments = event.get("args")
        specs, text = read_inputs(arguments if isinstance(arguments, dict) else {})
        op = _TimedOp(sys.intern(name), start, *lines, specs, _called(text))
        self.ops.append(op)
        return op

    def nest(self) -> None:
        """Find out what encloses what, thread by thread."""
        for events in self._threads.values():
            events.sort(key=lambda event: (event.start, -event.length))
            around: list[tuple[float, Any]] = []
            for event in events:
                while around and around[-1][0] <= event.start + _CLOSE:
                    around.pop()
                if isinstance(event.what, _TimedOp):
                    _place(event.what, [what for _, what in around[-_DEEPEST:]])
                around.append((event.start + event.length, event.what))


@lru_cache(maxsize=1 << 14)
def _called(text: str) -> Mapping[str, str]:
    """Arguments as attributes; calls that are alike share them."""
    return {"args": text} if text else {}


def _time(value: object) -> float | None:
    """A time in microseconds; some writers put it into quotes."""
    try:
        found = float(str(value))
    except ValueError:
        return None
    return found if abs(found) < _LATEST else None


def _place(op: _TimedOp, around: list[Any]) -> None:
    """Tell an op what encloses it."""
    for what in around:
        if isinstance(what, _TimedOp):
            what.encloses = True
            op.enclosed = True
    names = [what for what in around if isinstance(what, str) and what]
    op.scope = "/".join(name.removeprefix(_MODULE).replace("/", "|") for name in names)
    op.compiled = any(name.startswith(_COMPILED) for name in names)
    op.stack = tuple(what for what in around if isinstance(what, Frame))


def _frame(name: str) -> Frame | str | None:
    """A frame of Python, the name of a module, or None for what is built in."""
    if name.startswith(_MODULE):
        return name
    match = _FRAME.match(name)
    if match is None:
        return None
    file = match["file"]
    first = file.partition("/")[0]
    if first in _LIBRARIES or first.removesuffix(".py") in sys.stdlib_module_names:
        file = f"/site-packages/{file}"  # the profiler leaves the folder of libraries out
    return Frame(file, int(match["line"]), match["function"])


def _kernel(name: str, start: float, event: Mapping[str, Any], lines: tuple[int, int]) -> _TimedOp:
    """A kernel by its name without what the compiler put into it."""
    short = re.split(r"[<(]", name.removeprefix("void "), maxsplit=1)[0].strip() or name
    arguments = event.get("args")
    stream = arguments.get("stream") if isinstance(arguments, dict) else None
    attrs = {} if stream is None else {"stream_id": whole(str(stream))}
    plain = short.replace("/", "|")
    return _TimedOp(plain if "::" in plain else f"kernel::{plain}", start, *lines, (), attrs)


def read_inputs(arguments: Mapping[str, Any]) -> tuple[list[TensorSpec], str]:
    """The tensors among the inputs, and the text of all of them."""
    kinds, dims, strides, values = (
        found if isinstance(found := arguments.get(key), list) else []
        for key in ("Input type", "Input Dims", "Input Strides", "Concrete Inputs")
    )
    if not kinds and not dims:
        return [], ""
    specs: list[TensorSpec] = []
    texts = []
    for place in range(min(max(len(kinds), len(dims)), 4096)):
        kind = _at(kinds, place)
        shape, steps = _at(dims, place), _at(strides, place)
        if kind == "TensorList" or _is_nested(shape):
            inner = list(_listed(shape, steps))
            specs += inner
            texts.append(f"[{', '.join([TENSOR] * len(inner))}]")
        elif not isinstance(kind, str) or kind in _NO_TENSOR:
            value = _at(values, place)
            plain = isinstance(value, str) and value
            texts.append(leaf_text(_WHOLE.sub(r"\1.0", value)) if plain else "None")
        else:
            spec = _spec(dtype_name(whole(kind)), shape, steps)
            texts.append(TENSOR)
            # A number in Python is listed as a tensor, which no other format does.
            if not place or spec.shape or spec.dtype not in NUMBERS:
                specs.append(spec)
    return specs, called_with(texts)


def _at(values: Sequence[Any], place: int) -> Any:
    return values[place] if place < len(values) else None


def _is_nested(shape: object) -> bool:
    return isinstance(shape, list) and any(isinstance(item, list) for item in shape)


def _listed(shapes: object, strides: object) -> Iterator[TensorSpec]:
    """The tensors of a list, whose dtypes are not told."""
    for place, shape in enumerate(shapes if isinstance(shapes, list) else []):
        steps = strides[place] if isinstance(strides, list) and place < len(strides) else None
        yield _spec("?", shape, steps)


def _spec(dtype: str, shape: object, strides: object) -> TensorSpec:
    steps = dims_of(strides) if isinstance(strides, list) else None
    return spec_with_strides(dtype, dims_of(shape), steps, None)


def _build(ops: Any) -> ColumnsBuilder:
    builder = ColumnsBuilder()
    ids = TensorIds()
    for op in sorted(ops, key=lambda op: (op.start, op.line)):
        builder.add(
            op.name,
            (),
            [Operand(ids.fresh(), spec) for spec in op.inputs],
            scope=op.scope,
            line=op.line,
            last_line=op.last_line,
            attrs=op.attrs,
            stack=op.stack,
            mode=GRAPH if op.compiled else EAGER,
        )
    return builder
