"""The hashes that DebugMode prints beside its tensors."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from opdiff.readers.formats import Input
from opdiff.readers.pytorch.debugmode import Printed, read_op, whole_lines
from opdiff.readers.value_rows import ValueRow
from opdiff.trace import Trace
from opdiff.values.measures import Measure


def rows(source: Input, trace: Trace) -> Iterator[ValueRow]:
    """A row for every operand that has a hash.

    ``hash`` is all that is printed. Its first number, where it has a fraction, is a norm: the sum
    of magnitudes, not the root of squares that others print: norms of two formats do not compare.
    """
    row_at = {line: row for row, line in enumerate(trace.columns.line.tolist())}
    for number, _, line in whole_lines(source):
        row = row_at.get(number)
        printed = None if row is None else read_op(line.strip())
        if row is not None and printed is not None:
            yield from _rows(row, printed)


def _rows(op: int, printed: Printed) -> Iterator[ValueRow]:
    for is_output, tensors in ((False, printed.inputs), (True, printed.outputs)):
        for place, tensor in enumerate(tensors):
            if tensor.hash is not None:
                count, norm = prod(tensor.spec.shape), _norm(tensor.hash)
                measure = Measure(count=count, norm=norm, digest=tensor.hash)
                yield ValueRow(op, is_output, place, measure)


def _norm(text: str) -> float | None:
    first = text.strip("([").partition(",")[0].strip(")] ")
    try:
        return float(first) if any(sign in first for sign in ".en") else None
    except ValueError:
        return None
