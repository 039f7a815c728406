"""The statistics in msprobe's dump, an operand each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from opdiff.readers.formats import Input
from opdiff.readers.msprobe import calls
from opdiff.readers.msprobe_entries import spec_of
from opdiff.readers.tracker.problems import Problems
from opdiff.readers.value_rows import ValueRow, count_of, number


def rows(source: Input, levels: Collection[str]) -> Iterator[ValueRow]:
    """The rows of those levels that the trace was read with."""
    op = 0
    for called in calls(source, Problems()):
        if called.name.level not in levels:
            continue
        call = called.read()
        for side, tensors in (("in", call.inputs), ("out", call.outputs)):
            for place, tensor in enumerate(tensors):
                yield _row(op, side, place, tensor)
        op += 1


def _row(op: int, side: str, place: int, tensor: Mapping[str, Any]) -> ValueRow:
    md5 = tensor.get("md5")
    return ValueRow(
        op,
        side,
        place,
        count=count_of(spec_of(tensor).shape),
        min=number(tensor.get("Min")),
        max=number(tensor.get("Max")),
        mean=number(tensor.get("Mean")),
        norm=number(tensor.get("Norm")),
        hash=md5 if isinstance(md5, str) else None,
    )
