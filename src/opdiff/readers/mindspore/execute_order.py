"""MindSpore's ``execute_order.csv``: what a compiled graph launches, in that order, with streams.

A dry run writes it without any device (``MS_SIMULATION_LEVEL=1``). Its rows name nodes; the graph
IR beside it, where it was saved, has their shapes and the lines that the user wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from opdiff.errors import OpdiffError
from opdiff.readers.arguments import TENSOR, argument_text, called_with, read_terms
from opdiff.readers.finishing import finished
from opdiff.readers.formats import Input
from opdiff.readers.mindspore import graph_ir
from opdiff.readers.mindspore.csv_rows import read_rows
from opdiff.readers.mindspore.graph_ir_text import op_name
from opdiff.readers.specs import UNKNOWN_SPEC, dtype_name
from opdiff.readers.tensor_ids import TensorIds
from opdiff.trace import ColumnsBuilder, Frame, Op, Operand, TensorSpec, Trace
from opdiff.trace.columns import GRAPH
from opdiff.wording import Sentence

FORMAT = "mindspore-execute-order"
_NAMES_ONLY = "NodeExecutionOrder-FullNameWithScope"
_HEADER = re.compile(
    rb'^(?:\xef\xbb\xbf)?(?:"?index"?,"?(?:node_name"?,"?logic_id|group"?,"?comm_rank)|'
    rb"NodeExecutionOrder-FullNameWithScope)",
    re.M,
)
_NODE = re.compile(r"@?(?P<graph>[^:{]*):(?P<node>[^{]*)\{(?P<items>.*)\}\s*$")
_CONSTANT = re.compile(r"ValueNode<(?P<kind>[^>]*)> ?(?P<value>.*)$")
_SHAPE = re.compile(r"[(\[]([\d,\s-]*)[)\]]")
_MONADS = frozenset({"UMonad", "IOMonad", "FuncGraph"})
_SAID = {"false": "False", "true": "True"}
_MOST_INPUTS = 4096
_RANKS = ("group", "comm_rank", "src_rank", "dest_rank", "root_rank")


def sniff(head: bytes) -> bool:
    """Whether the beginning of a file has the header of such a table."""
    return _HEADER.search(head) is not None


def read(source: Input) -> Trace:
    """The launches in their order."""
    builder = _OrderBuilder(Path(source.path))
    for line, row in read_rows(source, ("index", _NAMES_ONLY)):
        builder.add(row, line)
    return finished(
        source,
        FORMAT,
        builder.columns.build(),
        execution_order=not builder.only_names,
        companions=builder.joined.files,
        notes=builder.notes(),
    )


class _OrderNode(NamedTuple):
    """A node as the column ``node_info`` prints it."""

    graph: str
    name: str
    op: str
    inputs: list[str]
    arguments: str


def read_node(text: str) -> _OrderNode:
    """Take ``@graph:CNode_3{[0]: ValueNode<Primitive> PrimFunc_Mul, [1]: CNode_2}`` apart."""
    match = _NODE.match(text)
    if match is None:
        return _OrderNode("", "", "", [], "")
    op, inputs, texts = "", [], []
    for place, item in enumerate(_items(match["items"])):
        constant = _CONSTANT.match(item)
        if place == 0:
            op = op_name(constant["value"]) if constant else item
        elif constant is None:
            inputs.append(item)
            texts.append(TENSOR)
        elif constant["kind"] not in _MONADS:
            texts.append(_constant_text(constant["value"]))
    return _OrderNode(match["graph"], match["node"], op, inputs[:_MOST_INPUTS], called_with(texts))


def _items(text: str) -> Iterator[str]:
    """The parts of ``[0]: a, [1]: b``."""
    place = text.find("[0]: ")
    number = 0
    while place >= 0:
        number += 1
        start = text.find("]: ", place) + 3
        place = text.find(f", [{number}]: ", start)
        yield (text[start:place] if place >= 0 else text[start:]).strip()


def _constant_text(value: str) -> str:
    terms, _ = read_terms(value)
    spelled = ", ".join(argument_text(term, lambda _: False) for term in terms)
    return _SAID.get(spelled, spelled) or value[:80]


class _OrderBuilder:
    def __init__(self, path: Path) -> None:
        self.columns = ColumnsBuilder()
        self.joined = _SavedGraph(path)
        self.only_names = False
        self._ids = TensorIds()
        self._rows = 0
        self._found = 0

    def add(self, row: Mapping[str, str], line: int) -> None:
        """Add one row of whichever of the three tables it is."""
        self._rows += 1
        if _NAMES_ONLY in row:
            self.only_names = True
            self.columns.add(row[_NAMES_ONLY] or "?", line=line, mode=GRAPH)
        elif "node_name" in row:
            self._add_node(row, line)
        else:
            self._add_communication(row, line)

    def _add_node(self, row: Mapping[str, str], line: int) -> None:
        node = read_node(row.get("node_info", ""))
        name = row["node_name"] or node.op or "?"
        attrs = {"stream_id": row.get("stream_id", "") or "0"}
        for key, column in (("event_id", "event_id"), ("group", "group")):
            if row.get(column):
                attrs[key] = row[column]
        if node.arguments:
            attrs["args"] = node.arguments
        printed = self.joined.find(name)
        stack: tuple[Frame, ...] = ()
        if printed is not None:
            file, op = printed
            self._found += 1
            stack = op.stack
            outputs, inputs = (
                [Operand(self._ids.of((file, one.memory)), one.spec) for one in operands]
                for operands in (op.outputs, op.inputs)
            )
        else:
            inputs = [self._named(node.graph, one) for one in node.inputs]
            outputs = [self._named(node.graph, node.name)] if node.name else []
        self.columns.add(
            name, outputs, inputs, line=line, attrs=attrs, stack=stack, mode=GRAPH, graph=node.graph
        )

    def _named(self, graph: str, node: str) -> Operand:
        return Operand(self._ids.of((graph, node)), UNKNOWN_SPEC)

    def _add_communication(self, row: Mapping[str, str], line: int) -> None:
        attrs = {key: row[key] for key in _RANKS if row.get(key)}
        outputs, inputs = (
            [Operand(self._ids.fresh(), spec) for spec in _specs(row, side)]
            for side in ("output", "input")
        )
        name = row.get("primitive") or "?"
        self.columns.add(name, outputs, inputs, line=line, attrs=attrs, mode=GRAPH)

    def notes(self) -> list[Sentence]:
        """What the table does not tell, and where the rest came from."""
        if self.only_names:
            return [Sentence.of("reading.names-only")]
        found = list(self.joined.notes)
        if self._found:
            files = ", ".join(Path(file).name for file in self.joined.files)
            found.append(
                Sentence.of("reading.joined", count=self._found, total=self._rows, files=files)
            )
        elif self.joined.asked:
            found.append(Sentence.of("reading.not-joined"))
        return found


def _specs(row: Mapping[str, str], side: str) -> list[TensorSpec]:
    """The tensors of a communication: ``(4, 4)`` and ``Float32``, or several of each."""
    shapes = _SHAPE.findall(row.get(f"{side}_shape", ""))
    types = re.findall(r"[A-Za-z]\w*", row.get(f"{side}_type", ""))
    return [
        TensorSpec(
            dtype_name(types[min(place, len(types) - 1)]) if types else "?",
            tuple(
                int(dim) for dim in shape.split(",") if dim.strip().isdecimal() and len(dim) < 19
            ),
        )
        for place, shape in enumerate(shapes)
    ]


class _SavedGraph:
    """The graph IR that was saved beside the table, node by node."""

    def __init__(self, table: Path) -> None:
        self.files: list[str] = []
        self.notes: list[Sentence] = []
        self.asked = False
        folder = table.parent
        self._folder = folder.parent if folder.name == "execute_order" else folder
        self._nodes: dict[str, list[tuple[str, Op]]] = {}

    def find(self, name: str) -> tuple[str, Op] | None:
        """The file of a node and what it says; of several with one name, one after the other."""
        if not self.asked:
            self.asked = True
            self._read()
        found = self._nodes.get(name)
        if not found:
            return None
        return found.pop(0) if len(found) > 1 else found[0]

    def _read(self) -> None:
        for path in _graphs_in(self._folder):
            try:
                with Input.opened(path) as source:
                    trace = graph_ir.read(source)
            except (OSError, OpdiffError) as error:
                reason = str(error)
                self.notes.append(
                    Sentence.of("reading.beside-unreadable", file=path.name, reason=reason)
                )
                continue
            self.files.append(str(path))
            for op in trace:
                self._nodes.setdefault(op.name, []).append((str(path), op))


def _graphs_in(folder: Path) -> list[Path]:
    """The graphs as they were built in the end, one file each."""
    last: dict[str, Path] = {}
    for path in sorted(folder.glob("graph_build_*.ir")):
        last["_".join(path.stem.split("_")[:3])] = path
    return list(last.values())
