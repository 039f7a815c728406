"""What a trace holds, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from opdiff.trace.columns import MODE_NAMES, Ints
from opdiff.trace.model import Trace
from opdiff.trace.search import functions


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts of ops by what they have in common; frequent ones first."""

    ops: int
    op_types: dict[str, int]
    scopes: dict[str, int]
    """Without the ops that have no scope."""
    streams: dict[str, int]
    functions: dict[str, int]
    """By every function in the stack, the user's own first."""
    graphs: dict[str, int]
    modes: dict[str, int]
    dtypes: dict[str, int]
    """By operand, not by op."""
    with_operands: int
    with_stack: int


def summarise(trace: Trace) -> Summary:
    """Count a trace through."""
    columns, tables = trace.columns, trace.tables
    streams = [dict(attrs).get("stream_id", "") for attrs in tables.attrs]
    operands = np.concatenate((trace.inputs.spec, trace.outputs.spec))
    has_operand = (trace.inputs.counts() + trace.outputs.counts()) > 0
    has_stack = np.array([bool(stack) for stack in tables.stacks], bool)
    return Summary(
        ops=len(trace),
        op_types=_counts(trace.types, trace.type),
        scopes=_counts(trace.scopes, trace.scope),
        streams=_counts(streams, columns.attrs),
        functions=functions(trace),
        graphs=_counts(tables.graphs, columns.graph),
        modes=_counts(MODE_NAMES, columns.mode.astype(np.int32)),
        dtypes=_counts([spec.dtype for spec in tables.specs], operands),
        with_operands=int(has_operand.sum()),
        with_stack=int(has_stack[columns.stack].sum()),
    )


def _counts(names: Sequence[str], index: Ints) -> dict[str, int]:
    """How often each name that is not empty occurs."""
    counts: dict[str, int] = {}
    for name, count in zip(names, np.bincount(index, minlength=len(names)).tolist(), strict=True):
        if name and count:
            counts[name] = counts.get(name, 0) + count
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
