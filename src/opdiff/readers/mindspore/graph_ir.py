"""MindSpore's graph IR: a compiled graph as text, one node after another in topological order.

That order is not the order in which the graph runs. Bookkeeping nodes (``Load``, ``UpdateState``,
``Depend``, tuples, ``Return``) stay in the trace as noise, and links go past them: an op that
reads ``TupleGetItem(MakeTuple(%3, %4), 1)`` reads what %4 made, and ``Load`` of a parameter reads
what the last ``Assign`` before that state wrote.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from opdiff.errors import OpdiffError
from opdiff.readers.formats import Input
from opdiff.readers.mindspore import graph_ir_text as text
from opdiff.readers.mindspore.graph_ir_values import MOST_OPERANDS, Allowance, Budget, Value
from opdiff.readers.specs import UNKNOWN_SPEC
from opdiff.readers.tensor_ids import TensorIds
from opdiff.trace import ColumnsBuilder, Line, Operand, Problem, Source, Trace
from opdiff.trace.columns import GRAPH
from opdiff.wording import Sentence

FORMAT = "mindspore-graph-ir"
_ENTRY, _GRAPH = b"# IR entry: @", b"subgraph @"
_FIRST_NODE = re.compile(rb"\s+(?:%\d+|Return)")
_REFERENCE = re.compile(r"^%(?:para(?P<parameter>\d{1,18})(?!\d).*|(?P<node>\d{1,18}))$")
_COUNTER = re.compile(r"-op\d+$")
_MONADS = frozenset({"U", "IO", "UMonad[U]", "IOMonad[IO]"})
_WRITERS = ("Assign", "Inplace")
_LONGEST_CONSTANTS = 400
_UNKNOWN = text.Type(UNKNOWN_SPEC)


def sniff(head: bytes) -> bool:
    """Whether the beginning of a file is graph IR: it says so, or a graph begins with a node."""
    after_header = 0
    for line in head.split(b"\n"):
        if line.startswith(_ENTRY):
            return True
        if line.startswith(_GRAPH) and line.rstrip().endswith(b"{"):
            after_header = 2  # a comment may stand between a header and its first node
        elif after_header and line.strip():
            if _FIRST_NODE.match(line):
                return True
            after_header -= 1
    return False


def read(source: Input) -> Trace:
    """All graphs in a file, one after another; unreadable lines become problems."""
    reader = _Reader()
    number, rest = 0, b""
    for piece in source.chunks():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            number += 1
            reader.line(number, line.decode("utf-8", errors="replace").rstrip("\r"))
    reader.line(number + 1, rest.decode("utf-8", errors="replace"))
    reader.end(number + 1, source.cut)
    columns, tables = reader.builder.build()
    if not len(columns.line):
        raise OpdiffError("graph-ir.empty", path=source.path)
    origin = Source(source.path, FORMAT, execution_order=False)
    return Trace(origin, columns, tables, tuple(reader.problems))


@dataclass(slots=True)
class _Pending:
    """A node whose detail lines are still being collected."""

    node: text.IrNode
    line: int
    last_line: int
    types: str = ""
    fullname: str = ""
    sources: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Subgraph:
    """What the nodes of one subgraph have made so far; node numbers begin anew in each."""

    name: str
    line: int
    values: dict[int, Value] = field(default_factory=dict)
    states: dict[int, int] = field(default_factory=dict)
    """Which state of memory an ``UpdateState`` node stands for: they are numbered as they come."""
    writes: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """For an id that is written in place: (state that was written in, id of the new content)."""


class _Reader:
    def __init__(self) -> None:
        self.builder = ColumnsBuilder()
        self.problems: list[Problem] = []
        self._subgraph: _Subgraph | None = None
        self._closed: _Subgraph | None = None
        """The last one that ended."""
        self._pending: _Pending | None = None
        self._ids = TensorIds()
        """Of parameters by their numbers, which all graphs of a file share."""
        self._allowance = Allowance()

    def line(self, number: int, line: str) -> None:
        """Take in one line of the file."""
        if self._subgraph is None:
            header = text.SUBGRAPH.match(line)
            if header:
                self._subgraph = _Subgraph(header["name"], number)
            elif text.resembles_node(line):
                self._outside(number, line)
            return
        if line.startswith("}"):
            self._finish()
            self._closed, self._subgraph = self._subgraph, None
        elif text.is_node(line):
            self._finish()
            self._begin(number, line)
        elif line.strip():
            self._detail(number, line)

    def _outside(self, number: int, line: str) -> None:
        """A node where no graph is open: the line that opens it is damaged, or it ended early."""
        if not text.is_node(line):
            self._problem(number, "graph-ir.line-outside")
            return
        node = text.read_node(line)
        goes_on = self._closed is not None and (
            node is None or node.number is None or node.number not in self._closed.values
        )
        self._problem(number, "graph-ir.ended" if goes_on else "graph-ir.headless")
        self._subgraph = self._closed if goes_on else _Subgraph("?", number)
        self.line(number, line)

    def end(self, last_line: int, cut: Iterable[Sentence]) -> None:
        """No more lines: say why, or that a subgraph is still open."""
        self._finish()
        self.problems += [Problem(Line(last_line), Line(last_line), why) for why in cut]
        if self._subgraph is not None:
            self._problem(last_line, "graph-ir.unclosed", graph=self._subgraph.name)

    def _problem(self, line: int, code: str, **args: str | int) -> None:
        self.problems.append(Problem(Line(line), Line(line), Sentence.of(code, **args)))

    def _begin(self, number: int, line: str) -> None:
        node = text.read_node(line)
        if node is None:
            self._problem(number, "graph-ir.node")
            return
        if not node.complete:
            self._problem(number, "graph-ir.arguments", op=node.op)
        self._pending = _Pending(node, number, number)

    def _detail(self, number: int, line: str) -> None:
        pending = self._pending
        stripped = line.lstrip()
        if not stripped.startswith(("#", ":")):
            header = text.SUBGRAPH.match(line)
            if header:  # the subgraph before was cut off
                self._problem(number, "graph-ir.unclosed", graph=self._graph().name)
                self._finish()
                self._subgraph = _Subgraph(header["name"], number)
            else:
                self._problem(number, "graph-ir.line")
            return
        if pending is None:
            return
        pending.last_line = number
        if stripped.startswith("# In file"):
            pending.sources.append(line)
        elif not pending.fullname and (name := text.read_fullname(line)):
            pending.fullname = name
        elif not pending.types and text.is_type_line(line):
            pending.types = line

    def _graph(self) -> _Subgraph:
        assert self._subgraph is not None
        return self._subgraph

    def _finish(self) -> None:
        """Add the pending node as a row."""
        pending, self._pending = self._pending, None
        if pending is None:
            return
        node = pending.node
        inputs_types, output_types = text.read_types(pending.types) if pending.types else ((), ())
        if any(kind.cut for kind in (*inputs_types, *output_types)):
            self._problem(pending.line, "graph-ir.deep-type", op=node.op)
        inputs, constants = self._inputs(pending, inputs_types)
        value, outputs = self._result(pending, output_types)
        if node.number is not None:
            self._graph().values[node.number] = value
        counter = _COUNTER.search(pending.fullname)
        self.builder.add(
            node.op + (counter[0] if counter else ""),
            outputs,
            inputs,
            scope=pending.fullname.rpartition("/")[0],
            line=pending.line,
            last_line=pending.last_line,
            attrs={"constants": constants} if constants else None,
            stack=text.read_stack(pending.sources),
            mode=GRAPH,
            graph=self._graph().name,
        )

    # What a node reads

    def _inputs(self, pending: _Pending, types: text.Types) -> tuple[list[Operand], str]:
        node = pending.node
        state = self._state(node)
        operands: list[Operand] = []
        constants: list[str] = []
        typed = len(types) == len(node.arguments)
        is_noise, budget = node.op in _FOLDS, Budget(self._allowance)
        for place, argument in enumerate(node.arguments):
            if argument in _MONADS or argument.startswith("@"):
                continue
            if not argument.startswith("%"):
                constants.append(argument)
                continue
            reference = _REFERENCE.match(argument)
            if reference is None:
                self._problem(pending.line, "graph-ir.argument", argument=argument[:80])
            elif reference["node"] and int(reference["node"]) not in self._graph().values:
                self._problem(pending.line, "graph-ir.undefined", argument=argument[:80])
            if not is_noise:
                value = self._read(argument, state)
                kind = types[place] if typed else _UNKNOWN
                operands += budget.operands_of(value, kind)
        if budget.cut:
            self._problem(pending.line, "graph-ir.too-many", op=node.op, most=MOST_OPERANDS)
        if is_noise:
            return [], ""
        return operands, ", ".join(constants)[:_LONGEST_CONSTANTS]

    def _state(self, node: text.IrNode) -> int:
        """The state of memory a node reads in: its last argument, where that is a monad."""
        states = self._graph().states
        for argument in reversed(node.arguments):
            reference = _REFERENCE.match(argument)
            if reference and reference["node"] and int(reference["node"]) in states:
                return states[int(reference["node"])]
        return 0

    def _read(self, argument: str, state: int) -> Value:
        """What an argument stands for, read in a state."""
        value = self._block(argument)
        return self._content(value, state) if isinstance(value, int) else value

    def _block(self, argument: str) -> Value:
        """What a parameter or node was when it was made."""
        reference = _REFERENCE.match(argument)
        if reference is None:
            return None
        if reference["parameter"]:
            return self._ids.of(int(reference["parameter"]))
        values = self._graph().values
        number = int(reference["node"])
        if number not in values:
            values[number] = self._ids.fresh()
        return values[number]

    def _content(self, memory: int, state: int) -> int:
        """The id of what a block holds in a state, which in-place writes before it decide."""
        writes = self._graph().writes.get(memory)
        place = bisect_left(writes, (state, -1)) if writes else 0
        return writes[place - 1][1] if writes and place else memory

    # What a node makes

    def _result(self, pending: _Pending, types: text.Types) -> tuple[Value, list[Operand]]:
        """The value of a node and the operands it writes; bookkeeping writes nothing itself."""
        node, known = pending.node, bool(pending.types)
        fold = _FOLDS.get(node.op)
        if fold is not None:
            return fold(self, node), []
        kind = types[0] if types else text.Type() if known else _UNKNOWN
        budget = Budget(self._allowance)
        value = self._fresh(kind, budget)
        outputs = list(Budget(self._allowance).operands_of(value, kind))
        if budget.cut:
            self._problem(pending.line, "graph-ir.too-many", op=node.op, most=MOST_OPERANDS)
        if isinstance(value, int):
            self._record_writes(node, value)
        return value, outputs

    def _fresh(self, kind: text.Type, budget: Budget) -> Value:
        # Types are only so deep: the text beyond is not believed.
        if kind.elements is not None:
            return tuple(self._fresh(element, budget) for element in kind.elements)
        return self._ids.fresh() if kind.spec is not None and budget.take() else None

    def _record_writes(self, node: text.IrNode, value: int) -> None:
        written = node.arguments[:1] if node.op.startswith(_WRITERS) else ()
        if not written and node.side_effect:
            # Reads of a parameter go through Load: what gets it bare, writes it.
            written = tuple(a for a in node.arguments if a.startswith("%para"))
        state = self._state(node)
        graph = self._graph()
        for argument in written:
            block = self._block(argument)
            if isinstance(block, int):
                history = graph.writes.setdefault(block, [])
                if not history or history[-1][0] <= state:
                    history.append((state, value))

    # Bookkeeping: each returns the value the node stands for

    def _first(self, node: text.IrNode) -> Value:
        """``Load(x, state)`` and ``Depend(x, …)`` are x."""
        if not node.arguments or not node.arguments[0].startswith("%"):
            return None
        return self._read(node.arguments[0], self._state(node))

    def _tuple(self, node: text.IrNode) -> Value:
        return tuple(
            self._read(argument, 0) if argument.startswith("%") else None
            for argument in node.arguments
        )

    def _item(self, node: text.IrNode) -> Value:
        if len(node.arguments) < 2:
            return None
        whole = self._first(node)
        index = text.read_integer(node.arguments[1])
        if isinstance(whole, tuple) and index is not None and -len(whole) <= index < len(whole):
            return whole[index]
        return whole

    def _update(self, node: text.IrNode) -> Value:
        graph = self._graph()
        if node.number is not None:
            graph.states[node.number] = len(graph.states) + 1
        return None

    def _nothing(self, node: text.IrNode) -> Value:
        return None


_FOLDS = {
    "Load": _Reader._first,
    "Depend": _Reader._first,
    "MakeTuple": _Reader._tuple,
    "MakeList": _Reader._tuple,
    "TupleGetItem": _Reader._item,
    "ListGetItem": _Reader._item,
    "UpdateState": _Reader._update,
    "Return": _Reader._nothing,
}
