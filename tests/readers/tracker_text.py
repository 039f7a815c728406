"""Writes records in the grammar of tracker_graph.ir, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from opdiff.readers import open_trace
from opdiff.trace import Op, Trace


def record(
    name: str = "Add",
    outputs: str = "%3",
    inputs: str = "%1, %2",
    specs: str = "(Float32:[2]) <- (Float32:[2], Float32:[2])",
    *,
    task: int | str = 5,
    attrs: str = "stream_id=0",
    stack: str = "",
) -> str:
    """One record; by default a sum of two vectors."""
    return (
        f"({outputs}) = {name}({inputs}), task_info: {task}, attrs {{{attrs}}} \n"
        f"    {specs}\n    # {stack}\n"
    )


def empty(name: str, task: int = 1, stack: str = "") -> str:
    """A record without operands."""
    return record(name, "", "", "() <- ()", task=task, stack=stack)


def frames(*stack: tuple[str, int, str]) -> str:
    """A stack as it is printed."""
    return "".join(f"File:{file};Line:{line};Function:{name}|" for file, line, name in stack)


def read(folder: Path, text: str | bytes, name: str = "tracker_graph.ir") -> Trace:
    """The trace in a text."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return open_trace(path)


def printed(ops: Sequence[Op]) -> str:
    """Ops in the grammar."""
    return "".join(_printed(op) for op in ops)


def _printed(op: Op) -> str:
    outputs, inputs = (
        ", ".join(f"%{operand.memory}" for operand in operands)
        for operands in (op.outputs, op.inputs)
    )
    to, source = (
        ", ".join(str(operand.spec) for operand in operands) for operands in (op.outputs, op.inputs)
    )
    stack = frames(*((frame.file, frame.line, frame.function) for frame in op.stack))
    attrs = ";".join(f"{key}={value}" for key, value in op.attrs.items())
    return record(
        op.name, outputs, inputs, f"({to}) <- ({source})", task=op.task, attrs=attrs, stack=stack
    )


def codes(trace: Trace) -> list[tuple[str, int, int]]:
    """The problems of a trace: code, first and last line."""
    return [
        (problem.sentence.code.removeprefix("reading."), problem.line, problem.last_line)
        for problem in trace.problems
    ]
