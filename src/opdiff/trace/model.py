"""One run's execution order."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from opdiff.trace.columns import (
    GRAPH,
    MODE_NAMES,
    UNKNOWN_MODE,
    Bytes,
    Flags,
    Interner,
    Ints,
    Longs,
    Operands,
    Tables,
    TraceColumns,
)
from opdiff.trace.dataflow import (
    HiddenCopy,
    Links,
    ValueGraph,
    hidden_copies,
    link,
    value_graph,
)
from opdiff.trace.names import Role, role_of, split_name
from opdiff.trace.sorting import stable_order
from opdiff.trace.stacks import user_frame
from opdiff.trace.told import NOTHING_TOLD, Told
from opdiff.trace.traits import Trait, traits_of
from opdiff.trace.values import Frame, Line, Op, Operand, Problem, Row
from opdiff.wording import Sentence


class Part(NamedTuple):
    """One of several graphs, or levels of detail, that a file holds."""

    name: str
    ops: int
    read: bool
    """Whether the trace holds it."""


class Source(NamedTuple):
    """Where a trace came from."""

    path: str
    format: str
    execution_order: bool = True
    """False for formats that print a graph, not the order in which it ran."""
    companions: tuple[str, ...] = ()
    """Other files that were read with it."""
    parts: tuple[Part, ...] = ()
    """The graphs or levels to choose from, in formats that may hold several."""
    told: Told = NOTHING_TOLD
    """What the user told of it when it was read."""

    @property
    def graph(self) -> str | None:
        """What chooses the same parts again; None where there is no choice."""
        if len(self.parts) < 2:
            return None
        read = [(place, part.name) for place, part in enumerate(self.parts, 1) if part.read]
        plain = all("+" not in name for _, name in read)
        return "+".join(name if plain else str(place) for place, name in read)

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that was read."""
        return (self.path, *self.companions)


_WORKED_OUT = ("role", "traits", "links", "values")


class Trace:
    """An immutable sequence of ops, held as columns; an :class:`Op` is made on demand."""

    def __init__(
        self,
        source: Source,
        columns: TraceColumns,
        tables: Tables,
        problems: tuple[Problem, ...] = (),
        repaired: tuple[Row, ...] = (),
        notes: tuple[Sentence, ...] = (),
        hidden: dict[int, HiddenCopy] | None = None,
    ) -> None:
        self.source = source
        self.columns = columns
        self.tables = tables
        self.problems = problems
        self.repaired = repaired
        """Rows whose operands the file prints at a later Contiguous."""
        self.notes = notes
        """What else the user should know of how the file was read."""
        self._hidden = hidden
        split = [split_name(name) for name in tables.names]
        types: Interner[str] = Interner()
        scopes: Interner[str] = Interner([""])
        name = columns.name
        self._type_of_name = np.array([types(part.type) for part in split], np.int32)
        self._scope_of_name = np.array([scopes(part.scope) for part in split], np.int32)
        roles = [role_of(text, part) for text, part in zip(tables.names, split, strict=True)]
        self._role_of_name = np.array(roles, np.int8)
        self.types: list[str] = types.values
        self.scopes: list[str] = scopes.values
        self.type: Ints = self._type_of_name[name]
        self.scope: Ints = self._scope_of_name[name]
        self._with_trait: dict[Trait, Flags] = {}

    def __len__(self) -> int:
        return len(self.columns.line)

    def __iter__(self) -> Iterator[Op]:
        return (self.op(Row(row)) for row in range(len(self)))

    @property
    def inputs(self) -> Operands:
        """All inputs, flat."""
        return self.columns.inputs

    @property
    def outputs(self) -> Operands:
        """All outputs, flat."""
        return self.columns.outputs

    @cached_property
    def role(self) -> Bytes:
        """The :class:`Role` of every row."""
        role: Bytes = self._role_of_name[self.columns.name]
        has_input = self.inputs.counts() > 0
        return np.where((role == Role.PARAMETER) & has_input, np.int8(Role.OP), role)

    @cached_property
    def links(self) -> Links:
        """Producers and consumers, worked out when first asked for."""
        return link(self.outputs, self.inputs, self.has_trait(Trait.IN_PLACE), self.tables.specs)

    @cached_property
    def traits(self) -> Ints:
        """The :class:`Trait` flags of every row."""
        by_type = np.array([traits_of(name) for name in self.types], np.int32)
        return by_type[self.type]

    @cached_property
    def streams(self) -> Ints:
        """The stream of every row; -1 where it has no number."""
        printed = [dict(attrs).get("stream_id", "") for attrs in self.tables.attrs]
        number = np.array(
            [int(text[:9]) if text.isascii() and text.isdigit() else -1 for text in printed],
            np.int32,
        )
        return number[self.columns.attrs]

    def has_trait(self, trait: Trait) -> Flags:
        """Of each row, whether it has any of the traits; asked again and again of the same ones."""
        found = self._with_trait.get(trait)
        if found is None:
            found = self._with_trait[trait] = (self.traits & trait) > 0
            found.setflags(write=False)
        return found

    @cached_property
    def values(self) -> ValueGraph:
        """Which op made each value that is read, worked out when first asked for."""
        dtypes: Interner[str] = Interner()
        dtype = np.array([dtypes(spec.dtype) for spec in self.tables.specs], np.int32)
        return value_graph(self.outputs, self.inputs, self.links.producer, self.traits, dtype)

    @cached_property
    def hidden_copies(self) -> dict[int, HiddenCopy]:
        """Copies of which only the name is printed, by the memory they wrote."""
        if self._hidden is not None:
            return self._hidden
        bare = (self.inputs.counts() == 0) & (self.outputs.counts() == 0)
        copying = bare & self.has_trait(Trait.COPY)
        if not copying.any():
            return {}
        form: Interner[tuple[str, tuple[int, ...]]] = Interner()
        specs = self.tables.specs
        return hidden_copies(
            self.outputs,
            self.inputs,
            self.links.producer,
            copying,
            dense=np.array([form((spec.dtype, spec.shape)) for spec in specs], np.int32),
            is_view=np.array([spec.is_view for spec in specs], np.bool_),
        )

    def worked_out(self) -> dict[str, object]:
        """What has been asked for so far and costs something, for a trace that is the same."""
        return {name: self.__dict__[name] for name in _WORKED_OUT if name in self.__dict__}

    def take(self, worked_out: dict[str, object]) -> None:
        """What another process has worked out of the same trace."""
        self.__dict__.update(worked_out)

    def op(self, row: int) -> Op:
        """Everything known of one row."""
        columns, tables = self.columns, self.tables
        return Op(
            row=Row(row),
            line=Line(int(columns.line[row])),
            last_line=Line(int(columns.last_line[row])),
            name=tables.names[columns.name[row]],
            type=self.type_name(row),
            scope=self.scope_name(row),
            outputs=self._operands(columns.outputs, row),
            inputs=self._operands(columns.inputs, row),
            attrs=dict(tables.attrs[columns.attrs[row]]),
            stack=tables.stacks[columns.stack[row]],
            task=int(columns.task[row]),
            mode=MODE_NAMES[columns.mode[row]],
            graph=tables.graphs[columns.graph[row]],
        )

    def _operands(self, operands: Operands, row: int) -> tuple[Operand, ...]:
        here, specs = operands.of(row), self.tables.specs
        return tuple(
            Operand(int(memory), specs[spec])
            for memory, spec in zip(operands.memory[here], operands.spec[here], strict=True)
        )

    def type_name(self, row: int) -> str:
        """The op type of a row, scope and counter stripped."""
        return self.types[self._numbers_of_types[row]]

    def rows_of(self, type_: str) -> Longs:
        """The rows of an op type, ascending."""
        if type_ not in self.types:
            return np.zeros(0, np.int64)
        return np.flatnonzero(self.type == self.types.index(type_))

    @cached_property
    def _numbers_of_types(self) -> memoryview[int]:
        """Asked very often, row by row: memory is looked at without numpy's scalars."""
        return self.type.data

    def scope_name(self, row: int) -> str:
        """The scope of a row; empty for eager ops."""
        return self.scopes[int(self.scope[row])]

    def in_graph(self, row: int) -> bool:
        """Whether a row ran in a compiled graph: as the run says, else where its name has a scope.

        Eager code runs some ops as graphs of one op, whose names have a scope too.
        """
        mode = int(self.columns.mode[row])
        return bool(self.scope_name(row)) if mode == UNKNOWN_MODE else mode == GRAPH

    def line_of(self, row: int) -> Line:
        """The line of a row's header."""
        return Line(int(self.columns.line[row]))

    def row_at(self, line: int) -> Row | None:
        """The op that one of its lines names, or None."""
        order, lines = self._by_line
        place = int(np.searchsorted(lines, line, side="right")) - 1
        if place < 0 or line > self.columns.last_line[order[place]]:
            return None
        return Row(int(order[place]))

    def rows_near(self, line: int, count: int = 3) -> list[Row]:
        """The ops nearest a line that names none, for error messages."""
        order, lines = self._by_line
        after = int(np.searchsorted(lines, line))
        around = range(max(0, after - count), min(len(self), after + count))
        nearest = sorted(around, key=lambda place: abs(int(lines[place]) - line))[:count]
        return [Row(int(order[place])) for place in sorted(nearest)]

    @cached_property
    def _by_line(self) -> tuple[Longs, Ints]:
        """The rows in the order of their lines, which some files do not list as they ran."""
        order = stable_order(self.columns.line)
        return order, self.columns.line[order]

    def producers(self, row: int) -> list[Row | None]:
        """The row that wrote each input, None where no op of this trace did."""
        found = self.links.producer[self.inputs.of(row)]
        return [Row(int(p)) if p >= 0 else None for p in found]

    def consumers(self, row: int) -> list[Row]:
        """The rows that read what a row wrote, each once, ascending."""
        links = self.links
        here = links.consumer[links.start[row] : links.start[row + 1]]
        return [Row(consumer) for consumer in sorted(set(here.tolist()))]

    def user_frame(self, row: int) -> Frame | None:
        """The innermost frame of the user's own code, or None where there is no stack."""
        return user_frame(self.tables.stacks[self.columns.stack[row]])
