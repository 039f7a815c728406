"""Small traces on disk, written as the tracker writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from opdiff.readers import open_trace
from opdiff.trace import Trace

LAYER = ("RmsNorm", "MatMul", "Slice", "Mul", "Add")


def write_trace(path: Path, ops: Sequence[str]) -> Trace:
    """Ops in a chain; ``Name:8`` works on a tensor of eight."""
    lines: list[str] = []
    for row, op in enumerate(ops):
        name, _, size = op.partition(":")
        spec = f"Float32:[{size or 4}]"
        lines += [
            f"(%{row + 1}) = {name}(%{row}), task_info: {row}, attrs {{stream_id=0}} ",
            f"    ({spec}) <- ({spec})",
            "    # ",
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return open_trace(path)


def layers(count: int) -> list[str]:
    """The ops of layers that cannot be told apart but by their place."""
    return ["Embedding", *(LAYER * count), "Loss"]
