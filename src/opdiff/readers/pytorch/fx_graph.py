"""From the statements of FX graphs to ops: values by their names, tuples by their items."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from opdiff.readers.arguments import Term, call_text
from opdiff.readers.pytorch.fx_text import CHANGING, FxKind, Statement, read_type
from opdiff.readers.specs import UNKNOWN_SPEC
from opdiff.readers.tensor_ids import TensorIds
from opdiff.trace import ColumnsBuilder, Frame, Operand, TensorSpec
from opdiff.trace.columns import GRAPH

_TUPLES = frozenset(
    "split chunk unbind tensor_split split_with_sizes hsplit vsplit dsplit topk sort max min mode "
    "median kthvalue aminmax cummax cummin unique unique_consecutive meshgrid broadcast_tensors "
    "size var_mean std_mean svd qr lu eig eigh slogdet frexp nonzero where lstm gru "
    "multi_head_attention_forward native_layer_norm native_group_norm native_batch_norm".split()
)
"""Functions and methods that may give several values; of aten's every item taken is such a one."""
_NO_TENSOR = re.compile(r"(?:torch\.)?Sym|(?:int|float|bool|str|NoneType)$")


class FxLine(NamedTuple):
    """A statement and where it stands."""

    statement: Statement
    line: int
    source: Frame | None
    scope: str
    """The class of the graph within the graph that it is part of; mostly empty."""


@dataclass(slots=True)
class FxGraph:
    """One graph of a file."""

    name: str
    frame: str = ""
    """What was compiled, as the log names it: ``0/0``."""
    inputs: dict[str, str] = field(default_factory=dict)
    """The arguments of its function, and their types as printed."""
    placed: list[FxLine] = field(default_factory=list)
    ended: bool = False

    @property
    def is_backward(self) -> bool:
        """Whether it reads gradients of outputs."""
        return any(name.startswith("tangents_") for name in self.inputs)

    @property
    def ops(self) -> int:
        """How many ops it has."""
        return sum(1 for _ in self.rows())

    def rows(self) -> Iterator[FxLine]:
        """The statements that are ops: calls, and items taken of what is no tuple."""
        tuples = self._tuples()
        for placed in self.placed:
            statement = placed.statement
            if statement.kind is FxKind.CALL or (
                statement.kind is FxKind.ITEM and not self._is_part(placed, tuples)
            ):
                yield placed

    def _is_part(self, placed: FxLine, tuples: set[tuple[str, str]]) -> bool:
        """Whether a statement takes an output of a call out of the tuple of them."""
        terms = placed.statement.terms
        return (
            len(terms) == 2
            and (placed.scope, terms[0].word) in tuples
            and terms[1].items is None
            and terms[1].word.isdecimal()
        )

    def _tuples(self) -> set[tuple[str, str]]:
        """The names that stand for several values: calls without a type, among those with types."""
        kinds = (FxKind.CALL, FxKind.ITEM)
        typed = any(p.statement.type for p in self.placed if p.statement.kind in kinds)
        found: set[tuple[str, str]] = set()
        for placed in self.placed:
            statement = placed.statement
            if statement.kind is FxKind.CALL and not statement.type:
                namespace, _, name = statement.op.partition("::")
                own = namespace not in ("torch", "Tensor", "operator", "Module")
                if typed or own or name in _TUPLES:
                    found.add((placed.scope, statement.name))
            elif statement.kind is FxKind.ITEM and not statement.type and typed:
                found.add((placed.scope, statement.name))
        return found


_Value = tuple[Operand, ...]
"""What a name stands for: one for a tensor, several for a tuple, none for what is neither."""


class FxBuilder:
    """Adds the ops of one graph after another."""

    def __init__(self) -> None:
        self.builder = ColumnsBuilder()
        self._ids = TensorIds()
        self._values: dict[tuple[str, str], _Value] = {}
        self._forward: dict[str, dict[tuple[str, str], _Value]] = {}
        """Of each thing that was compiled, what the names of its forward graph stand for."""

    def add(self, graph: FxGraph) -> None:
        """All ops of a graph; a backward one goes on with the values of its forward one."""
        known = self._forward.get(graph.frame, {}) if graph.is_backward else {}
        self._values = {}
        for name, kind in graph.inputs.items():
            value = known.get(("", name))
            self._values["", name] = self._external(kind) if value is None else value
        if not graph.is_backward:
            self._forward[graph.frame] = self._values
        ops = {id(placed) for placed in graph.rows()}
        used = _used(graph.placed)
        parts = _parts(graph, ops)
        for placed in graph.placed:
            if id(placed) in ops:
                key = (placed.scope, placed.statement.name)
                self._add_op(placed, parts.get(key, {}), graph.name, used=key in used)
            else:
                self._remember(placed)

    def _add_op(self, placed: FxLine, parts: dict[int, FxLine], graph: str, *, used: bool) -> None:
        statement, scope = placed.statement, placed.scope
        inputs = [
            operand
            for term in statement.terms
            for word in term.words()
            for operand in self._tensors(scope, word)
        ]
        if parts:
            outputs = [Operand(0, UNKNOWN_SPEC)] * (max(parts) + 1)
            for place, part in parts.items():
                outputs[place] = self._fresh(_spec(part.statement.type))
        else:
            outputs = self._output(statement, inputs, used=used)
        self._values[scope, statement.name] = tuple(outputs)
        for place, part in parts.items():
            self._values[scope, part.statement.name] = (outputs[place],)
        self.builder.add(
            statement.op,
            [output for output in outputs if output.memory],
            inputs,
            scope=scope,
            line=placed.line,
            attrs={
                "args": call_text(statement.terms, lambda word: bool(self._tensors(scope, word)))
            },
            stack=[placed.source] if placed.source else [],
            mode=GRAPH,
            graph=graph,
        )

    def _output(
        self, statement: Statement, inputs: Sequence[Operand], *, used: bool
    ) -> list[Operand]:
        if statement.type:
            spec = read_type(statement.type)
            return [self._written(statement, inputs, spec)] if spec is not None else []
        written = used or (bool(inputs) and _is_in_place(statement.op))
        return [self._written(statement, inputs, UNKNOWN_SPEC)] if written else []

    def _written(
        self, statement: Statement, inputs: Sequence[Operand], spec: TensorSpec
    ) -> Operand:
        """The output of an op: new, or what an op in place has changed."""
        if inputs and _is_in_place(statement.op):
            kept = inputs[0].spec if spec == UNKNOWN_SPEC else spec
            return Operand(inputs[0].memory, kept)
        return self._fresh(spec)

    def _fresh(self, spec: TensorSpec) -> Operand:
        return Operand(self._ids.fresh(), spec)

    def _external(self, kind: str) -> _Value:
        """What the graph gets from outside: a tensor, where its type does not say otherwise."""
        return () if _NO_TENSOR.match(kind) else (self._fresh(_spec(kind)),)

    def _remember(self, placed: FxLine) -> None:
        """Statements that are no ops only give names."""
        statement, key = placed.statement, (placed.scope, placed.statement.name)
        if statement.kind is FxKind.ALIAS:
            self._values[key] = self._tensors(placed.scope, statement.terms[0].word)
        elif statement.kind is FxKind.INPUT and key in self._values:
            if statement.type:  # `x: "f32[2]";` behind `def forward(self, x)`
                spec = read_type(statement.type)
                known = self._values[key]
                if spec is not None and known:
                    self._values[key] = (Operand(known[0].memory, spec),)
        elif statement.kind in (FxKind.INPUT, FxKind.ATTRIBUTE):
            self._values[key] = self._external(statement.type)

    def _tensors(self, scope: str, word: str) -> _Value:
        return tuple(t for t in self._values.get((scope, word), ()) if t.memory)


def _spec(kind: str) -> TensorSpec:
    return (read_type(kind) if kind else None) or UNKNOWN_SPEC


def _is_in_place(op: str) -> bool:
    namespace, _, name = op.rpartition("::")
    if namespace == "operator":
        return name == "setitem" or name in CHANGING
    return name.endswith("_") and not name.endswith("__")


def _used(placed: Iterable[FxLine]) -> set[tuple[str, str]]:
    """The names that some statement reads."""
    return {
        (one.scope, word) for one in placed for term in one.statement.terms for word in term.words()
    }


def _parts(graph: FxGraph, ops: set[int]) -> dict[tuple[str, str], dict[int, FxLine]]:
    """Of each call, the statements that take its outputs one by one, by their place."""
    found: dict[tuple[str, str], dict[int, FxLine]] = {}
    for placed in graph.placed:
        if placed.statement.kind is FxKind.ITEM and id(placed) not in ops:
            base, place = placed.statement.terms
            if len(place.word) < 5 and int(place.word) < _MOST_PARTS:
                parts = found.setdefault((placed.scope, base.word), {})
                parts.setdefault(int(place.word), placed)
    return found


_MOST_PARTS = 4096


def inputs_of(terms: Iterable[Term]) -> dict[str, str]:
    """The arguments of ``def forward(self, x: "f32[2]", y)``, and their types."""
    found: dict[str, str] = {}
    for term in terms:
        name, _, kind = term.word.partition(":")
        name = (term.name or name).strip()
        if name.isidentifier() and name != "self":
            found[name] = kind.strip().strip('"')
    return found
