"""Whether values are those of a trace: ops, operands and sizes must be the same."""

from __future__ import annotations

import math

import numpy as np

from opdiff.errors import OpdiffError
from opdiff.trace import Trace
from opdiff.trace.columns import Bytes, Longs
from opdiff.values.measures import Measures
from opdiff.values.table import OperandPlaces, without_operands
from opdiff.wording import Sentence

FITS, OTHER_OP, OTHER_OPERAND, OTHER_SIZE = range(4)
_LARGEST = 1 << 62


def misfits(trace: Trace, places: OperandPlaces, measures: Measures) -> Bytes:
    """Of each value whether it fits, or belongs to no op, to no operand, or to another size.

    Whatever an op holds fits, if the trace prints none of its operands.
    """
    found = np.full(len(places.row), FITS, np.int8)
    found[places.row >= len(trace)] = OTHER_OP
    printed_rows = ~without_operands(trace)
    for is_output in (False, True):
        printed = trace.outputs if is_output else trace.inputs
        here = np.flatnonzero((found == FITS) & (places.is_output == is_output))
        here = here[printed_rows[places.row[here]]]
        missing = places.operand[here] >= printed.counts()[places.row[here]]
        found[here[missing]] = OTHER_OPERAND
        here = here[~missing]
        expected = expected_sizes(trace, places, here, is_output=is_output)
        size = measures.count[places.index[here]]
        found[here[(expected >= 0) & (size >= 0) & (expected != size)]] = OTHER_SIZE
    return found


def expected_sizes(trace: Trace, places: OperandPlaces, here: Longs, *, is_output: bool) -> Longs:
    """How many elements the trace says that operands have, -1 where a dimension is unknown."""
    printed = trace.outputs if is_output else trace.inputs
    spec = printed.spec[printed.start[places.row[here]] + places.operand[here]]
    sizes = [
        math.prod(spec.shape) if all(size >= 0 for size in spec.shape) else -1
        for spec in trace.tables.specs
    ]
    of_spec = np.array([size if size < _LARGEST else -1 for size in sizes], np.int64)
    expected: Longs = of_spec[spec]
    return expected


def check_fit(
    trace: Trace, places: OperandPlaces, measures: Measures, path: str, line: Longs
) -> None:
    """Refuse values of another trace, with the line of the first that shows it."""
    found = misfits(trace, places, measures)
    wrong = np.flatnonzero(found != FITS)
    if len(wrong):
        first = int(wrong[0])
        sentence = _refusal(trace, places, measures, first, int(found[first]))
        raise OpdiffError(sentence, path=path, line=int(line[first]))


def _refusal(
    trace: Trace, places: OperandPlaces, measures: Measures, first: int, code: int
) -> Sentence:
    row, operand = int(places.row[first]), int(places.operand[first])
    if code == OTHER_OP:
        return Sentence.of("values.foreign-op", op=row, ops=len(trace))
    is_output = bool(places.is_output[first])
    side = Sentence.of("values.output" if is_output else "values.input")
    name = trace.type_name(row)
    if code == OTHER_OPERAND:
        return Sentence.of("values.foreign-operand", side=side, operand=operand, op=row, name=name)
    (expected,) = expected_sizes(trace, places, np.array([first]), is_output=is_output).tolist()
    return Sentence.of(
        "values.foreign-count",
        side=side,
        operand=operand,
        op=row,
        name=name,
        found=int(measures.count[places.index[first]]),
        expected=expected,
    )


def last_measurable(trace: Trace) -> int:
    """The last op that prints an operand; -1 if none does."""
    rows = np.flatnonzero(~without_operands(trace))
    return int(rows[-1]) if len(rows) else -1
