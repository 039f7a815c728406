"""PyTorch's Execution Trace (ExecutionTraceObserver, the schema of Chakra): a JSON node a call.

Nodes are listed as they end, inner ones before the call they are part of; their ids tell the order
in which they began. Calls nest: what a program called is the level *composite*; calls without inner
ones, and those that write what no inner one writes, are the level *leaf*. Tensors are named by
their storage, whose number is used again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from sys import intern
from typing import Any, NamedTuple

from opdiff.readers.arguments import TENSOR, called_with, leaf_text, scalar_text, whole
from opdiff.readers.finishing import choose_parts, finished
from opdiff.readers.formats import Input
from opdiff.readers.json_entries import Shape, entries
from opdiff.readers.problems import Problems
from opdiff.readers.specs import NUMBERS, dims_of, dtype_name, spec_with_strides
from opdiff.readers.tensor_ids import Storages, Stored
from opdiff.trace import ColumnsBuilder, Operand, Trace
from opdiff.trace.columns import EAGER, GRAPH
from opdiff.trace.traits import Trait, traits_of

FORMAT = "pytorch-et"
COMPOSITE, LEAF = "composite", "leaf"

_SHAPE = Shape(
    opening=re.compile(r'\{\s*"(?:schema|nodes|pid)"\s*:'),
    member="nodes",
    bracket="[",
    entry=re.compile(r'\{\s*"(?:id|name)"\s*:\s*(?:\d+,\s*"name"|"(?:[^"\\]|\\.)*",\s*"id")'),
)
_SCHEMA = re.compile(rb'"schema"\s*:\s*"[^"]*"')
_NODES = re.compile(rb'"nodes"\s*:\s*\[')
_ROOTS = ("[pytorch|profiler|execution_trace|", "[pytorch|profiler|execution_graph|")
_ENGINE = "autograd::engine::"
_COMPILED = ("Torch-Compiled Region", "CompiledFunction")
_PREPARES = Trait.PASSES_ON | Trait.WORKSPACE | Trait.CONSTANT | Trait.COPY | Trait.INSPECTS
_FILLS = ("aten::fill_", "aten::zero_", "aten::result_type", "aten::broadcast_to")
_DEEPEST = 30
_DEEPEST_SCOPE = 100
_LARGEST = 1 << 62


def sniff(head: bytes) -> bool:
    """Whether the beginning of a file is such a trace; old ones do not speak of Chakra."""
    schema = _SCHEMA.search(head)
    return schema is not None and (
        b"chakra" in schema[0]
        or (_NODES.search(head) is not None and (b"ctrl_deps" in head or b'"fw_parent"' in head))
    )


def read(source: Input) -> Trace:
    """The calls of one level, in the order of their ids."""
    reader = _Reader(source.problems)
    for member, _, value, line, last_line in entries(source, _SHAPE):
        if member == _SHAPE.member:
            reader.take(value, line, last_line)
    reader.follow()
    rows = {level: reader.of_level(level) for level in (COMPOSITE, LEAF)}
    _, parts = choose_parts(source, {level: len(found) for level, found in rows.items()})
    built = reader.build({row for part in parts if part.read for row in rows[part.name]}).build()
    return finished(source, FORMAT, built, parts=parts)


class _CallNode(NamedTuple):
    """A call, or something that only encloses calls."""

    parent: int
    name: str
    is_op: bool
    line: int
    last_line: int
    inputs: tuple[Stored, ...]
    outputs: tuple[Stored, ...]
    arguments: str


class _Reader:
    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._nodes: dict[int, _CallNode] = {}
        self._tensors = _Tensors()
        self._operands: dict[int, tuple[list[Operand], list[Operand]]] = {}
        self._workers: set[int] = set()
        """The calls that did work themselves, and not by calls within them."""

    def take(self, value: object, line: int, last_line: int) -> None:
        """Keep one node."""
        identity = value.get("id") if isinstance(value, dict) else None
        if not isinstance(value, dict) or type(identity) is not int:
            self._problems.add("trace-node", line, last_line)
            return
        if identity in self._nodes:
            self._problems.add("trace-node-twice", line, last_line, id=str(identity)[:20])
            return
        parent = value.get("ctrl_deps", value.get("parent"))
        attributes = _attributes(value)
        inputs = self._tensors.of(value, "input")
        outputs = self._tensors.of(value, "output")
        self._nodes[identity] = _CallNode(
            parent if type(parent) is int else -1,
            intern(whole(str(value.get("name", "?"))) or "?"),
            bool(attributes.get("op_schema") or attributes.get("kernel_backend")),
            line,
            last_line,
            inputs.tensors,
            outputs.tensors,
            intern(inputs.text),
        )

    def of_level(self, level: str) -> list[int]:
        """The ids of the calls of a level, ascending."""
        ops = [identity for identity, node in self._nodes.items() if node.is_op]
        if level == COMPOSITE:
            inner = {identity for identity in ops if self._is_op(self._nodes[identity].parent)}
            return sorted(set(ops) - inner)
        outer = {self._nodes[identity].parent for identity in ops}
        return sorted(set(ops) - (outer - self._workers))

    def _is_op(self, identity: int) -> bool:
        node = self._nodes.get(identity)
        return node is not None and node.is_op

    def build(self, identities: set[int]) -> ColumnsBuilder:
        """The ops with these ids; the others only tell what happened to memory."""
        builder = ColumnsBuilder()
        operands = self._operands
        self._hand_out(identities)
        for identity in sorted(identities):
            node = self._nodes[identity]
            around = list(self._around(node))
            compiled = any(name.startswith(_COMPILED) for name in around)
            scope = "/".join(name.replace("/", "|") for name in reversed(around))
            inputs, outputs = operands[identity]
            builder.add(
                node.name,
                outputs,
                inputs,
                scope=scope,
                line=node.line,
                last_line=node.last_line,
                attrs={"args": node.arguments},
                mode=GRAPH if compiled else EAGER,
            )
        return builder

    def _hand_out(self, identities: set[int]) -> None:
        """What calls within one of these wrote and a later one reads is an output of it, too.

        The statistics of a norm are made within `aten::layer_norm`, which does not return them.
        A copy made there (`aten::matmul` lays its inputs out anew) stands for what was copied.
        """
        within: dict[int, tuple[int, Operand]] = {}
        copied: dict[int, int] = {}
        for identity in sorted(self._operands):
            inputs, outputs = self._operands[identity]
            if identity in identities:
                for side in (inputs, outputs):
                    side[:] = _of_the_copied(side, copied)
                for operand in inputs:
                    writer, made = within.pop(operand.memory, (identity, operand))
                    if writer != identity:
                        self._operands[writer][1].append(made)
                continue
            name = self._nodes[identity].name
            kept = self._kept_inside(identity, identities)
            if _computes(name):
                within.update((operand.memory, (outer, operand)) for outer, operand in kept)
            elif inputs and traits_of(name) & Trait.COPY:
                source = copied.get(inputs[0].memory, inputs[0].memory)
                copied.update((made.memory, source) for _, made in kept if made.memory != source)

    def _kept_inside(self, identity: int, identities: set[int]) -> list[tuple[int, Operand]]:
        """What a call wrote that the one of these around it neither takes nor returns."""
        outer = self._enclosing(identity, identities)
        if outer is None:
            return []
        known = {each.memory for side in self._operands[outer] for each in side}
        outputs = self._operands[identity][1]
        return [(outer, operand) for operand in outputs if operand.memory not in known]

    def _enclosing(self, identity: int, identities: set[int]) -> int | None:
        """The call of these that encloses another."""
        for _ in range(_DEEPEST_SCOPE):
            node = self._nodes.get(identity)
            if node is None or node.parent == identity:
                return None
            identity = node.parent
            if identity in identities:
                return identity
        return None

    def follow(self) -> None:
        """Work out what every call read and wrote, as they began and ended."""
        storages = Storages()
        found = self._operands
        open_calls: list[tuple[int, int]] = []
        directing: set[int] = set()

        def end_within(parent: int | None) -> None:
            """Calls that do not enclose the next one have ended before it."""
            while open_calls and open_calls[-1][0] != parent:
                identity, began = open_calls.pop()
                node = self._nodes[identity]
                outputs, itself = storages.end(began, node.inputs, node.outputs)
                found[identity][1][:] = outputs
                if itself or (identity not in directing and _computes(node.name)):
                    self._workers.add(identity)

        for identity in sorted(self._nodes):
            node = self._nodes[identity]
            end_within(node.parent)
            around = (
                (open_calls[-1][1], self._nodes[node.parent].inputs)
                if open_calls and self._is_op(node.parent)
                else None
            )
            if _computes(node.name):
                directing.update(outer for outer, _ in open_calls)
            began, inputs = storages.begin(node.inputs, around)
            found[identity] = (inputs, [])
            open_calls.append((identity, began))
        end_within(None)

    def _around(self, node: _CallNode) -> Iterator[str]:
        """The names of what encloses a call, innermost first, without threads and the engine."""
        for _ in range(_DEEPEST_SCOPE):
            above = self._nodes.get(node.parent)
            if above is None or above is node or above.name.startswith(_ROOTS):
                return
            if not above.name.startswith(_ENGINE):
                yield above.name
            node = above


def _of_the_copied(side: list[Operand], copied: Mapping[int, int]) -> list[Operand]:
    return [
        Operand(copied[each.memory], each.spec) if each.memory in copied else each for each in side
    ]


@cache
def _computes(name: str) -> bool:
    """Whether an op by its name does more than prepare memory, hand it on or fill it."""
    return "::" in name and name not in _FILLS and not traits_of(name) & _PREPARES


def _attributes(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes by name: a list of them, or members of the node itself in old files."""
    listed = node.get("attrs")
    if not isinstance(listed, list):
        return node
    return {
        one["name"]: one.get("value")
        for one in listed
        if isinstance(one, dict) and isinstance(one.get("name"), str)
    }


class _OperandSide(NamedTuple):
    tensors: tuple[Stored, ...]
    text: str


class _Tensors:
    """Reads inputs and outputs: values with their types, shapes and strides, lists nested."""

    def __init__(self) -> None:
        self._found: list[Stored] = []

    def of(self, node: Mapping[str, Any], side: str) -> _OperandSide:
        """The tensors of one side, and the text of all values."""
        described = node.get(f"{side}s")
        if isinstance(described, dict):
            fields = [described.get(key) for key in ("values", "types", "shapes", "strides")]
        else:
            fields = [described, node.get(f"{side}_types"), node.get(f"{side}_shapes"), None]
        values, types, shapes, strides = (one if isinstance(one, list) else [] for one in fields)
        self._found = []
        texts = [
            self._value(value, _at(types, place), _at(shapes, place), _at(strides, place))
            for place, value in enumerate(values)
        ]
        return _OperandSide(tuple(self._found), called_with(texts))

    def _value(
        self, value: object, kind: object, shape: object, strides: object, depth: int = 0
    ) -> str:
        if not isinstance(kind, str) or depth == _DEEPEST:
            return scalar_text(value)
        if kind.startswith("Tensor("):
            return self._tensor(value, kind[7:-1], shape, strides)
        if isinstance(value, list):
            kinds = _kinds(kind)
            texts = [
                self._value(
                    item, _at(kinds, place), _at(shape, place), _at(strides, place), depth + 1
                )
                for place, item in enumerate(value)
            ]
            return f"[{', '.join(texts)}]"
        if kind == "None" or value == "<None>":
            return "None"
        if kind != "String" and isinstance(value, str):  # a device, or "-inf"
            return leaf_text(value)
        return scalar_text(value)

    def _tensor(self, value: object, dtype: str, shape: object, strides: object) -> str:
        """``[tensor, storage, offset, elements, bytes an element, device]``."""
        if not (isinstance(value, list) and len(value) >= 3) or dtype.startswith("nullptr"):
            return "None"
        tensor, storage, offset = value[:3]
        offset = offset if type(offset) is int and 0 <= offset < _LARGEST else 0
        sizes = dims_of(shape)
        steps = None if strides is None else dims_of(strides)
        spec = spec_with_strides(dtype_name(whole(dtype)), sizes, steps, offset)
        place = storage if type(storage) is int and storage > 0 else f"tensor {tensor}"
        number = not sizes and spec.dtype in NUMBERS
        self._found.append(
            Stored(place, spec, tensor if type(tensor) is int else str(tensor), number)
        )
        return TENSOR


def _at(values: object, place: int) -> Any:
    return values[place] if isinstance(values, Sequence) and place < len(values) else None


def _kinds(kind: str) -> list[str]:
    """``[Int, GenericList[Int]]`` of ``GenericList[Int,GenericList[Int]]``."""
    inside = kind.partition("[")[2].removesuffix("]")
    found, depth, start = [], 0, 0
    for place, char in enumerate(inside):
        if char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        elif char == "," and depth == 0:
            found.append(inside[start:place])
            start = place + 1
    return [*found, inside[start:]]
