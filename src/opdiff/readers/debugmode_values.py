"""The hashes that DebugMode prints beside its tensors."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import prod

from opdiff.readers.debugmode import COMPOSITE, LEAF, Printed, indent_of, read_op, whole_lines
from opdiff.readers.formats import Input
from opdiff.readers.value_rows import ValueRow


def rows(source: Input, levels: Collection[str]) -> Iterator[ValueRow]:
    """A row for every operand that has a hash.

    ``hash`` is all that is printed. Its first number, where it has a fraction, is a norm: the sum
    of magnitudes, not the root of squares that others print: norms of two formats do not compare.
    """
    number = 0
    for printed, encloses, enclosed in _ops(source):
        if (LEAF in levels and not encloses) or (COMPOSITE in levels and not enclosed):
            yield from _rows(number, printed)
            number += 1


def _ops(source: Input) -> Iterator[tuple[Printed, bool, bool]]:
    """Each op, whether others are within it, and whether it is within another."""
    open_ops: list[int] = []
    before: tuple[Printed, bool] | None = None
    for _, _, line in whole_lines(source):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        indent = indent_of(line)
        was_open = len(open_ops)
        while open_ops and open_ops[-1] >= indent:
            open_ops.pop()
        printed = read_op(text)
        if printed is None or not printed.complete:
            if before is not None and len(open_ops) < was_open:
                yield before[0], not before[0].dispatched, before[1]
                before = None
            continue
        if before is not None:
            encloses = len(open_ops) == was_open or not before[0].dispatched
            yield before[0], encloses, before[1]
        before = (printed, bool(open_ops))
        open_ops.append(indent)
    if before is not None:
        yield before[0], not before[0].dispatched, before[1]


def _rows(op: int, printed: Printed) -> Iterator[ValueRow]:
    for side, tensors in (("in", printed.inputs), ("out", printed.outputs)):
        for place, tensor in enumerate(tensors):
            if tensor.hash is not None:
                count = prod(tensor.spec.shape)
                norm = _norm(tensor.hash)
                yield ValueRow(op, side, place, count=count, norm=norm, hash=tensor.hash)


def _norm(text: str) -> float | None:
    first = text.strip("([").partition(",")[0].strip(")] ")
    try:
        return float(first) if any(sign in first for sign in ".en") else None
    except ValueError:
        return None
