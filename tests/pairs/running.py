"""Comparing a known pair: texts to traces, a truth to a request, the answer to records."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.pairs.truth import Record, Truth

from opdiff.compare import Comparison, Direction, Request, compare
from opdiff.readers import open_trace
from opdiff.trace import Trace


def read_text(text: str) -> Trace:
    """The trace that a text is."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tracker_graph.ir"
        path.write_text(text, encoding="utf-8", newline="\n")
        return open_trace(path)


def ask(left: Trace, right: Trace, truth: Truth) -> Comparison:
    """Compare as the truth wants it."""
    request = Request(
        Direction(truth.direction),
        _row(left, truth.left_anchor),
        _row(right, truth.right_anchor),
    )
    return compare(left, right, request)


def _row(trace: Trace, line: int | None) -> int | None:
    return None if line is None else trace.row_at(line)


def records_of(comparison: Comparison) -> list[Record]:
    """The divergences as lines."""
    left, right = (side.trace.columns.line for side in (comparison.left, comparison.right))
    return [
        Record(
            str(divergence.kind),
            tuple(int(left[row]) for row in divergence.left_rows),
            tuple(int(right[row]) for row in divergence.right_rows),
        )
        for divergence in comparison.divergences
    ]
