"""Ops of GE graphs, however they are printed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from opdiff.readers.specs import UNKNOWN_SPEC, dims_in, dtype_name
from opdiff.readers.tensor_ids import TensorIds
from opdiff.trace import ColumnsBuilder, Frame, Operand, TensorSpec
from opdiff.trace.columns import GRAPH

DATA, CONSTANTS, RESULT = "Data", frozenset({"Const", "Constant"}), "NetOutput"
_META = re.compile(
    r"Tensor\(dtype=(?P<dtype>[\w.]+), shape=torch\.Size\(\[(?P<shape>[^\]]*)\]\)\)?"
)
_NUMBERED = re.compile(r"_(\d+)$")
_MOST_OUTPUTS = 4096
DTYPES = {
    0: "Float32", 1: "Float16", 2: "Int8", 3: "Int32", 4: "UInt8", 6: "Int16", 7: "UInt16",
    8: "UInt32", 9: "Int64", 10: "UInt64", 11: "Float64", 12: "Bool", 16: "Complex64",
    17: "Complex128", 27: "BFloat16",
}  # fmt: skip
"""What the numbers of GE's dtypes stand for."""


@dataclass(slots=True)
class GeOp:
    """An op of a graph."""

    name: str
    type: str
    inputs: list[tuple[str, int]] = field(default_factory=list)
    """Which output of which op is read."""
    outputs: dict[int, TensorSpec] = field(default_factory=dict)
    described: list[TensorSpec] = field(default_factory=list)
    """What the op itself says of its inputs."""
    arguments: str = ""
    stream: str = ""
    line: int = 0
    last_line: int = 0
    stack: tuple[Frame, ...] = ()
    scope: str = ""


class GeBuilder:
    """Adds ops one after the other; what is read before it is made gets its number all the same."""

    def __init__(self) -> None:
        self.columns = ColumnsBuilder()
        self.graphs: list[str] = []
        """The names of the graphs, one after the other."""
        self.of_graph: list[int] = []
        """Which graph each op is of."""
        self._ids = TensorIds()
        self._specs: dict[tuple[str, int], TensorSpec] = {}
        self._constants = 0

    def begin(self, graph: str) -> None:
        """What follows is of another graph; one without ops, or without a name, gets this one."""
        empty = self.of_graph[-1:] != [len(self.graphs) - 1]
        if self.graphs and (empty or not self.graphs[-1]):
            self.graphs[-1] = graph
        else:
            self.graphs.append(graph)
            self._specs.clear()

    def add(self, op: GeOp) -> None:
        """Add an op; data, constants and the result of the graph are no ops, and stay as such."""
        if not self.graphs:
            self.begin("")
        graph = len(self.graphs) - 1
        self.of_graph.append(graph)
        for place, spec in op.outputs.items():
            self._specs[op.name, place] = spec
        inputs = [
            Operand(self._ids.of((graph, source)), self._spec(source, op, place))
            for place, source in enumerate(op.inputs)
        ]
        outputs = [
            Operand(self._ids.of((graph, (op.name, place))), op.outputs[place])
            for place in sorted(op.outputs)[:_MOST_OUTPUTS]
        ]
        self.columns.add(
            self._row_name(op),
            outputs,
            inputs,
            line=op.line,
            last_line=op.last_line,
            attrs={
                key: value
                for key, value in (("args", op.arguments), ("stream_id", op.stream))
                if value
            },
            stack=op.stack,
            mode=GRAPH,
            graph=self.graphs[graph],
        )

    def _spec(self, source: tuple[str, int], op: GeOp, place: int) -> TensorSpec:
        known = self._specs.get(source, UNKNOWN_SPEC)
        if known == UNKNOWN_SPEC and place < len(op.described):
            return op.described[place]
        return known

    def _row_name(self, op: GeOp) -> str:
        """As traces name such nodes: parameters by their name, constants by a number."""
        if op.type == DATA:
            return op.name
        if op.type in CONSTANTS:
            self._constants += 1
            return f"{op.name}/data-{self._constants}"
        if op.type == RESULT:
            return "Return"
        counter = _NUMBERED.search(op.name.removeprefix(op.type))
        name = op.type + (f"-op{counter[1]}" if counter else "")
        return f"{op.scope}/{name}" if op.scope else name


def read_meta(text: str) -> TensorSpec | None:
    """``Tensor(dtype=torch.float32, shape=torch.Size([2, 2]))``, with one bracket or two."""
    match = _META.search(text)
    if match is None:
        return None
    return TensorSpec(dtype_name(match["dtype"]), dims_in(match["shape"].split(",")))


def read_input(text: str) -> tuple[str, int] | None:
    """``Cast:0``; None for a control edge, ``Cast:-1`` or ``^Cast``."""
    if text.startswith("^"):
        return None
    name, colon, place = text.rpartition(":")
    if not colon:
        return text, 0
    return (name, int(place)) if place.isdecimal() and len(place) < 6 else None
