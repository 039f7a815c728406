"""A model's run as steps that read and write values: what a trace is printed from.

Steps carry a key that survives every change, so that a pair of changed programs still knows
which step of one is which step of the other. Nothing here knows how traces are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field

Shape = tuple[int, ...]

BF16, F32, F16, I64, BOOL = "BFloat16", "Float32", "Float16", "Int64", "Bool"


@dataclass(slots=True)
class Value:
    """A tensor: its spec, and the value whose memory it shares (None: memory of its own)."""

    number: int
    dtype: str
    shape: Shape
    strides: Shape | None = None
    offset: int = 0
    memory_of: int | None = None

    @property
    def spec(self) -> tuple[str, Shape, Shape | None, int]:
        return self.dtype, self.shape, self.strides, self.offset


@dataclass(slots=True)
class Step:
    """One record of the trace."""

    key: str
    type: str
    inputs: list[int]
    outputs: list[int]
    attrs: dict[str, str] = field(default_factory=lambda: {"stream_id": "0"})
    scope: str = ""
    """Empty for eager ops."""
    constants: list[int] = field(default_factory=list)
    """Further inputs that only a graph kernel lists."""
    hidden: bool = False
    """Whether its operands go unprinted: it ran on the host, or copies for a graph."""
    noise: bool = False

    @property
    def place(self) -> str:
        """The key without the layer: the same in every layer."""
        head, _, rest = self.key.partition("/")
        return rest if head.startswith("layer") else self.key


@dataclass
class Program:
    """Steps in the order they run, and all values they speak of."""

    steps: list[Step] = field(default_factory=list)
    values: dict[int, Value] = field(default_factory=dict)
    source: dict[int, int] = field(default_factory=dict)
    """Values that come to be without a step, and the value they are a piece of."""

    def copy(self) -> Program:
        return deepcopy(self)

    def new_value(self, dtype: str, shape: Shape, **rest: object) -> int:
        number = max(self.values, default=0) + 1
        self.values[number] = Value(number, dtype, shape, **rest)  # type: ignore[arg-type]
        return number

    def block(self, value: int) -> int:
        """The value whose memory holds this one."""
        while (owner := self.values[value].memory_of) is not None:
            value = owner
        return value

    def index(self, key: str) -> int:
        return next(i for i, step in enumerate(self.steps) if step.key == key)

    def step(self, key: str) -> Step:
        return self.steps[self.index(key)]

    def order(self) -> list[str]:
        return [step.key for step in self.steps]

    def producer(self, value: int) -> Step | None:
        """The step that wrote a value (or the one it is a piece of)."""
        value = self.source.get(value, value)
        return next((step for step in self.steps if value in step.outputs), None)

    def consumers(self, value: int) -> list[Step]:
        pieces = {value, *(piece for piece, whole in self.source.items() if whole == value)}
        return [step for step in self.steps if pieces & {*step.inputs}]

    def is_view_or_in_place(self, step: Step) -> bool:
        return any(self.values[value].memory_of is not None for value in step.outputs)

    def shares_memory(self, value: int) -> bool:
        """Whether another value lives in the same block."""
        block = self.block(value)
        return any(self.block(other) == block for other in self.values if other != value)


def dense_strides(shape: Shape) -> Shape:
    strides: list[int] = []
    size = 1
    for extent in reversed(shape):
        strides.append(size)
        size *= extent
    return tuple(reversed(strides))


class Play:
    """Writes a program by running a model."""

    def __init__(self) -> None:
        self.program = Program()
        self._prefix: list[str] = []
        self._parameters: dict[str, int] = {}
        self._counts: dict[str, int] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Keys of what is played inside begin with the name."""
        self._prefix.append(name)
        yield
        self._prefix.pop()

    def _key(self, kind: str) -> str:
        stem = "/".join((*self._prefix, kind))
        count = self._counts[stem] = self._counts.get(stem, -1) + 1
        return f"{stem}.{count}"

    def external(self, dtype: str, *shape: int) -> int:
        """A value that no step writes: an input from the host."""
        return self.program.new_value(dtype, shape)

    def parameter(self, name: str, dtype: str, *shape: int) -> int:
        if name not in self._parameters:
            self._parameters[name] = self.external(dtype, *shape)
        return self._parameters[name]

    def spec(self, value: int) -> Value:
        return self.program.values[value]

    def write(self, kind: str, inputs: Sequence[int], outputs: Sequence[int], **attrs: str) -> None:
        """A step whose outputs exist already."""
        step = Step(self._key(kind), kind, [*inputs], [*outputs])
        step.attrs.update(attrs)
        self.program.steps.append(step)

    def op(
        self,
        kind: str,
        inputs: Sequence[int],
        shape: Shape | None = None,
        dtype: str | None = None,
        **attrs: str,
    ) -> int:
        """A step with one new output, by default like its first input."""
        like = self.spec(inputs[0]) if inputs else None
        out = self.program.new_value(
            dtype or (like.dtype if like else F32),
            like.shape if shape is None and like else shape or (),
        )
        self.write(kind, inputs, [out], **attrs)
        return out

    def view(self, kind: str, source: int, shape: Shape, strides: Shape, offset: int = 0) -> int:
        """A step that gives another view of the same memory."""
        out = self.program.new_value(
            self.spec(source).dtype, shape, strides=strides, offset=offset, memory_of=source
        )
        self.write(kind, [source], [out])
        return out

    def reshape(self, source: int, *shape: int) -> int:
        return self.view("Reshape", source, shape, dense_strides(shape))

    def transpose(self, source: int, first: int, second: int) -> int:
        spec = self.spec(source)
        shape, strides = [*spec.shape], [*(spec.strides or dense_strides(spec.shape))]
        for numbers in (shape, strides):
            numbers[first], numbers[second] = numbers[second], numbers[first]
        return self.view("Transpose", source, (*shape,), (*strides,), spec.offset)

    def split_last(self, source: int, kind: str = "SplitTensorView") -> tuple[int, int]:
        """Both halves of the last axis, as views."""
        spec = self.spec(source)
        half = spec.shape[-1] // 2
        strides = spec.strides or dense_strides(spec.shape)
        first, second = (
            self.program.new_value(
                spec.dtype,
                (*spec.shape[:-1], half),
                strides=strides,
                offset=spec.offset + offset,
                memory_of=source,
            )
            for offset in (0, half)
        )
        self.write(kind, [source], [first, second])
        return first, second

    def in_place(self, kind: str, target: int, *others: int) -> int:
        """A step that updates its first input; returns the value after it."""
        spec = self.spec(target)
        out = self.program.new_value(spec.dtype, spec.shape, memory_of=target)
        self.write(kind, [target, *others], [out])
        return out

    def piece(self, whole: int, shape: Shape) -> int:
        """A value of the same memory that no step announces (an upper bound made true)."""
        part = self.program.new_value(self.spec(whole).dtype, shape, memory_of=whole)
        self.program.source[part] = whole
        return part
