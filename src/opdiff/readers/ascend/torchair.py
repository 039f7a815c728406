"""TorchAir's dumps of GE graphs: as protobuf text, as TensorFlow's look-alike of it, or as Python.

    name.txt     op { name: "Mul" type: "Mul" input: "Cast:0" … }
    name.pbtxt   node { name: "Mul" op: "Mul" input: "Cast:0" … }
    name.py      Mul_0 = ge.Mul(Cast_0, ge.Const(10, dtype=0), node_name="Mul")

A file may hold several graphs, each with names of its own. The order is that of the graph when it
was compiled; GE may change it afterwards. Only the Python
has lines of the user's code, and tells what of the FX graph became which ops.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from opdiff.readers.arguments import TENSOR, called_with, leaf_text, string_text, whole
from opdiff.readers.ascend.text_proto import Message, MessageReader, ReadField, read_message
from opdiff.readers.ascend.torchair_code import CodeReader
from opdiff.readers.ascend.torchair_ops import (
    CONSTANTS,
    DATA,
    GeBuilder,
    GeOp,
    read_input,
    read_meta,
)
from opdiff.readers.finishing import choose_rows, finished, first_of_several, told_apart
from opdiff.readers.formats import Input
from opdiff.readers.problems import excerpt
from opdiff.readers.specs import UNKNOWN_SPEC, dims_in, dtype_name
from opdiff.readers.text_lines import numbered_lines
from opdiff.trace import TensorSpec, Trace
from opdiff.wording import Sentence

FORMAT = "torchair"
_OP = re.compile(rb"^[ \t]*op \{", re.M)
_NODE = re.compile(rb"^[ \t]*node \{", re.M)
_TYPE = re.compile(rb"^[ \t]+type: \"", re.M)
_NODE_OP = re.compile(rb"^[ \t]+op: \"", re.M)
_CODE = re.compile(rb"\w = ge\.\w+\(")
_LONGEST_CONSTANT = 200
_PLAIN = ("i", "f", "b", "dt")


class Proto:
    """The format of ``.txt`` and ``.pbtxt``."""

    def sniff(self, head: bytes) -> bool:
        """Whether the beginning of a file prints an op of a graph as protobuf text."""
        if _OP.search(head) and _TYPE.search(head):
            return b"input_desc" in head or b"output_desc" in head or b"input: " in head
        return bool(_NODE.search(head) and _NODE_OP.search(head) and b'"[' in head)

    def read(self, source: Input) -> Trace:
        """The ops of the graph."""
        builder = GeBuilder()
        constants: dict[str, str] = {}
        for found in printed_fields(source):
            if isinstance(found.value, Message):
                op = _op(found.name, found.value, constants)
                op.line, op.last_line = found.line, found.last_line
                builder.add(op)
                source.problems.close()
            elif found.name == "name":
                builder.begin(whole(found.value))
        return _finished(source, builder)


def printed_fields(source: Input) -> Iterator[ReadField]:
    """The fields as they end. What is no such text is skipped; an op begins anew."""
    reader, problems = MessageReader(("op", "node")), source.problems
    for number, line in numbered_lines(source):
        if line.startswith(("op {", "node {")) and reader.unclosed is not None:
            problems.add("graph-cut-op", reader.unclosed, max(reader.unclosed, number - 1))
            reader.forget()
        try:
            found = list(reader.take(number, line))
        except ValueError:
            problems.skip(number, line.encode())
            continue
        yield from found
    if reader.unclosed is not None:
        problems.add("graph-cut-op", reader.unclosed, source.last_line)


class Code:
    """The format of ``.py``."""

    def sniff(self, head: bytes) -> bool:
        """Whether the beginning of a file builds a graph in Python."""
        return b"torchair._ge_concrete_graph" in head or _CODE.search(head) is not None

    def read(self, source: Input) -> Trace:
        """The ops of the graph; nothing of the file is executed."""
        reader = CodeReader()
        builder = GeBuilder()
        for number, line in numbered_lines(source):
            op = reader.take(number, line)
            if op is not None:
                builder.add(op)
            if reader.stray:
                source.problems.add("graph-statement", number, number, excerpt=excerpt(line))
        op = reader.end()
        if op is not None:
            builder.add(op)
        notes = [Sentence.of("reading.source-once")] if reader.inherited else []
        return _finished(source, builder, notes)


def _finished(source: Input, builder: GeBuilder, notes: Sequence[Sentence] = ()) -> Trace:
    """The first graph of the file, or those that the user chose."""
    keep, parts = choose_rows(source, told_apart(builder.graphs), builder.of_graph)
    return finished(
        source,
        FORMAT,
        builder.columns.build(),
        keep=keep,
        execution_order=False,
        notes=[*notes, *first_of_several(source, parts)],
        parts=parts if len(parts) > 1 else (),
    )


def _op(kind: str, message: Message, constants: dict[str, str]) -> GeOp:
    """An op of ``.txt``, or a node of ``.pbtxt``, whose values are such text within strings."""
    attrs, inputs, outputs = described(kind, message)
    op = GeOp(
        whole(message.text("name")) or "?",
        whole(message.text("op" if kind == "node" else "type")) or "?",
    )
    stream = attrs.pop("stream_id", None)
    op.stream = whole(message.text("stream_id") or (_attribute(stream) if stream else ""))
    plain = op.type == DATA or op.type in CONSTANTS
    op.outputs = {place: _spec(desc, plain) for place, desc in enumerate(outputs)}
    op.described = [_spec(desc, plain) for desc in inputs]
    read = [read_input(whole(text)) for text in message.texts("input")]
    op.inputs = [one for one in read if one is not None]
    if op.type in CONSTANTS:
        constants[op.name] = attrs.get("_readable_value", Message()).text("s")
        op.arguments = called_with([leaf_text(constants[op.name][:_LONGEST_CONSTANT])])
    else:
        op.arguments = _arguments(op, attrs, constants)
    return op


def described(
    kind: str, message: Message
) -> tuple[dict[str, Message], list[Message], list[Message]]:
    """The attributes of an op, and what it says of its inputs and outputs."""
    attrs = message.entries("attr")
    if kind == "op":
        return attrs, message.messages("input_desc"), message.messages("output_desc")
    attrs = {key: read_message(value.text("s")) for key, value in attrs.items()}
    inputs, outputs = (
        [attrs.pop(key) for key in list(attrs) if key.startswith(mark)] for mark in ("[i]", "[o]")
    )
    return attrs, inputs, outputs


def _spec(desc: Message, plain: bool) -> TensorSpec:
    """What a description says: its ``_meta``, else dtype and shape where they can be relied on."""
    meta = read_meta(desc.entries("attr").get("_meta", Message()).text("s"))
    if meta is not None:
        return meta
    shapes = desc.messages("shape")
    dims = dims_in(shapes[0].texts("dim")) if shapes else ()
    if not plain:
        return TensorSpec("?", dims) if dims else UNKNOWN_SPEC
    return TensorSpec(dtype_name(whole(desc.text("dtype", "?"))), dims)


def _arguments(op: GeOp, attrs: Mapping[str, Message], constants: Mapping[str, str]) -> str:
    """Inputs, constants among them by their values, and attributes by their names."""
    texts = [
        leaf_text(constants.get(name, "")[:_LONGEST_CONSTANT]) or TENSOR for name, _ in op.inputs
    ]
    named = sorted(
        (whole(key), text)
        for key, value in attrs.items()
        if not key.startswith("_") and (text := _attribute(value))
    )
    return called_with(texts, named)


def _attribute(value: Message) -> str:
    """A number, a text or a list of them; empty for what is neither."""
    for key in _PLAIN:
        if value.texts(key):
            return whole(value.text(key))
    if value.texts("s"):
        return string_text(value.text("s"))
    listed = value.message("list")
    items = [text for key in (*_PLAIN, "s") for text in listed.texts(key)]
    return f"[{', '.join(map(whole, items))}]" if value.messages("list") else ""
