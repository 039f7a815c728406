"""The columns a trace consists of, and a builder for those who have their ops one by one."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.values import Frame, Operand, TensorSpec

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.int8]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
T = TypeVar("T", bound=Hashable)

UNKNOWN_MODE, EAGER, GRAPH = 0, 1, 2
MODE_NAMES = ("", "eager", "graph")


def marked(count: int, some: NDArray[Any] | Sequence[int]) -> Flags:
    """Of so many, which are among some."""
    flags = np.zeros(count, np.bool_)
    flags[some] = True
    return flags


def places_among(count: int, some: NDArray[Any] | Sequence[int]) -> Ints:
    """Of so many, where each stands among some; -1 for all others."""
    places = np.full(count, -1, np.int32)
    places[some] = np.arange(len(some), dtype=np.int32)
    return places


def starts_of(counts: NDArray[Any]) -> Longs:
    """Where the first of each begins if each has so many; and where all end."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Operands:
    """All inputs (or all outputs) of all ops: those of row r are ``start[r]:start[r + 1]``."""

    start: Longs
    memory: Longs
    spec: Ints

    @classmethod
    def counted(cls, counts: Longs, memory: Longs, spec: Ints) -> Operands:
        """Operands one row after the other, by how many each has."""
        return cls(starts_of(counts), memory, spec)

    def of(self, row: int) -> slice:
        """Where the operands of a row are."""
        return slice(self.start[row], self.start[row + 1])

    def counts(self) -> Longs:
        """How many operands each row has."""
        return np.diff(self.start)

    def rows(self) -> Ints:
        """The row each operand belongs to."""
        return np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), self.counts())


@dataclass(frozen=True, slots=True)
class TraceColumns:
    """One number a row and fact; what repeats is an index into a table of distinct values."""

    line: Ints
    last_line: Ints
    name: Ints
    outputs: Operands
    inputs: Operands
    attrs: Ints
    stack: Ints
    task: Longs
    mode: Bytes
    graph: Ints


class Interner(Generic[T]):
    """Distinct values in the order of their first sight, and the index of each."""

    __slots__ = ("_index", "values")

    def __init__(self, values: Iterable[T] = ()) -> None:
        self.values: list[T] = []
        self._index: dict[T, int] = {}
        for value in values:
            self(value)

    def __call__(self, value: T) -> int:
        """The index of a value."""
        index = self._index.get(value)
        if index is None:
            index = self._index[value] = len(self.values)
            self.values.append(value)
        return index


Attrs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Tables:
    """The distinct values that the columns point into."""

    names: Sequence[str]
    specs: Sequence[TensorSpec]
    attrs: Sequence[Attrs]
    stacks: Sequence[tuple[Frame, ...]]
    graphs: Sequence[str] = ("",)


def _numbers(values: Iterable[int] = ()) -> array[int]:
    """Numbers of eight bytes each: a list of Python's takes five times as much."""
    return array("q", values)


def _view(numbers: array[int]) -> NDArray[np.int64]:
    """The same numbers for numpy, not copied; whatever is made of them is."""
    return np.frombuffer(numbers, np.int64) if numbers else np.zeros(0, np.int64)


@dataclass(slots=True)
class _OperandLists:
    start: array[int] = field(default_factory=lambda: _numbers([0]))
    memory: array[int] = field(default_factory=_numbers)
    spec: array[int] = field(default_factory=_numbers)

    def add(self, operands: Iterable[Operand], intern: Interner[TensorSpec]) -> None:
        for operand in operands:
            self.memory.append(operand.memory)
            self.spec.append(intern(operand.spec))
        self.start.append(len(self.memory))

    def frozen(self) -> Operands:
        return Operands(
            np.array(self.start, np.int64),
            np.array(self.memory, np.int64),
            _view(self.spec).astype(np.int32),
        )


_FACTS = 8


class ColumnsBuilder:
    """Builds columns from ops given one at a time; large files are read without it."""

    def __init__(self) -> None:
        self._names: Interner[str] = Interner()
        self._specs: Interner[TensorSpec] = Interner()
        self._attrs: Interner[Attrs] = Interner()
        self._stacks: Interner[tuple[Frame, ...]] = Interner([()])
        self._graphs: Interner[str] = Interner([""])
        self._outputs = _OperandLists()
        self._inputs = _OperandLists()
        self._facts = _numbers()
        """Of every row, one after the other: :data:`_FACTS` of them."""

    def add(
        self,
        name: str,
        outputs: Iterable[Operand] = (),
        inputs: Iterable[Operand] = (),
        *,
        scope: str = "",
        line: int | None = None,
        last_line: int | None = None,
        attrs: Mapping[str, str] | None = None,
        stack: Sequence[Frame] = (),
        task: int | None = None,
        mode: int = UNKNOWN_MODE,
        graph: str = "",
    ) -> int:
        """Append an op and return its row, which is also its task unless that is given.

        Its lines, if not given, are those of a plain file; of one line there is no last.
        """
        row = len(self._facts) // _FACTS
        first, last = (3 * row + 1, 3 * row + 3) if line is None else (line, line)
        self._outputs.add(outputs, self._specs)
        self._inputs.add(inputs, self._specs)
        self._facts.extend(
            (
                first,
                last if last_line is None else last_line,
                self._names(f"{scope}/{name}" if scope else name),
                self._attrs(tuple(sorted((attrs or {}).items()))),
                self._stacks(tuple(stack)),
                row if task is None else task,
                mode,
                self._graphs(graph),
            )
        )
        return row

    def build(self) -> tuple[TraceColumns, Tables]:
        """The columns and tables of everything added so far."""
        facts = _view(self._facts).reshape(-1, _FACTS).T
        line, last_line, name, attrs, stack, task, mode, graph = facts
        columns = TraceColumns(
            line=line.astype(np.int32),
            last_line=last_line.astype(np.int32),
            name=name.astype(np.int32),
            outputs=self._outputs.frozen(),
            inputs=self._inputs.frozen(),
            attrs=attrs.astype(np.int32),
            stack=stack.astype(np.int32),
            task=task.copy(),
            mode=mode.astype(np.int8),
            graph=graph.astype(np.int32),
        )
        tables = Tables(
            self._names.values,
            self._specs.values,
            self._attrs.values,
            self._stacks.values,
            self._graphs.values,
        )
        return columns, tables
