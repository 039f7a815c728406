"""The op that a line of a trace names, or a clear word that there is none."""

from __future__ import annotations

from opdiff.errors import OpdiffError
from opdiff.trace import Row, Trace
from opdiff.wording import Sentence


def row_named(trace: Trace, line: int) -> Row:
    """The row of the op that one of its lines names."""
    row = trace.row_at(line)
    if row is None:
        raise OpdiffError(_no_op(trace, line), path=trace.source.path, line=line)
    return row


def _no_op(trace: Trace, line: int) -> Sentence:
    nearest = [f"{trace.line_of(row)} {trace.type_name(row)}" for row in trace.rows_near(line)]
    if not nearest:
        return Sentence.of("session.no-ops")
    return Sentence.of("session.no-op-at-line", line=line, nearest=", ".join(nearest))
