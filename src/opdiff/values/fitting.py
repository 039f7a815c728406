"""Whether values are those of a trace: ops, operands and sizes must be the same."""

from __future__ import annotations

import math

import numpy as np

from opdiff.errors import OpdiffError
from opdiff.trace import Trace
from opdiff.trace.columns import Longs
from opdiff.values.measures import Flags, Measures
from opdiff.values.table import Places, without_operands
from opdiff.wording import Sentence

_LARGEST = 1 << 62


def check_fit(trace: Trace, places: Places, measures: Measures, path: str, line: Longs) -> None:
    """Refuse what belongs to no op or operand of a trace, or is of another size, by its line."""
    beyond = places.row >= len(trace)
    if beyond.any():
        worst = int(np.argmax(beyond))
        sentence = Sentence.of("values.foreign-op", op=int(places.row[worst]), ops=len(trace))
        raise OpdiffError(sentence, path=path, line=int(line[worst]))
    for is_output in (False, True):
        here = np.flatnonzero(places.is_output == is_output)
        _check_side(trace, places, measures, path, line, here, is_output=is_output)


def _check_side(
    trace: Trace,
    places: Places,
    measures: Measures,
    path: str,
    line: Longs,
    here: Longs,
    *,
    is_output: bool,
) -> None:
    printed = trace.outputs if is_output else trace.inputs
    row, operand = places.row[here], places.operand[here]
    printed_here = ~without_operands(trace)[row]
    missing = printed_here & (operand >= printed.counts()[row])
    side = Sentence.of("values.output" if is_output else "values.input")
    if missing.any():
        worst = int(np.argmax(missing))
        sentence = Sentence.of(
            "values.foreign-operand",
            side=side,
            operand=int(operand[worst]),
            op=int(row[worst]),
            name=trace.type_name(int(row[worst])),
        )
        raise OpdiffError(sentence, path=path, line=int(line[here[worst]]))
    here, row, operand = here[printed_here], row[printed_here], operand[printed_here]
    expected = _sizes(trace)[printed.spec[printed.start[row] + operand]]
    found = measures.count[places.index[here]]
    other: Flags = (expected >= 0) & (found >= 0) & (expected != found)
    if other.any():
        worst = int(np.argmax(other))
        sentence = Sentence.of(
            "values.foreign-count",
            side=side,
            operand=int(operand[worst]),
            op=int(row[worst]),
            name=trace.type_name(int(row[worst])),
            found=int(found[worst]),
            expected=int(expected[worst]),
        )
        raise OpdiffError(sentence, path=path, line=int(line[here[worst]]))


def _sizes(trace: Trace) -> Longs:
    """How many elements a tensor of each spec has, -1 where a dimension is unknown."""
    sizes = [
        math.prod(spec.shape) if all(size >= 0 for size in spec.shape) else -1
        for spec in trace.tables.specs
    ]
    return np.array([size if size < _LARGEST else -1 for size in sizes], np.int64)


def last_measurable(trace: Trace) -> int:
    """The last op that prints an operand; -1 if none does."""
    rows = np.flatnonzero(~without_operands(trace))
    return int(rows[-1]) if len(rows) else -1
