"""Tensors that one run prints and the other keeps on the host, out of sight."""

from __future__ import annotations

import numpy as np

from opdiff.trace import Role, Trace
from opdiff.trace.columns import Longs
from opdiff.trace.sorting import distinct


def host_memory(trace: Trace, other: Trace) -> Longs:
    """Blocks that hold what the other trace never lists: parameters and data made from nothing.

    Some backends leave out every operand that no op of the trace wrote. Eager code brings
    parameters in by ops without inputs, of a sort that a compiled graph does not run at all: what
    these wrote would look like an operand lost at each of its readers.
    """
    none = np.zeros(0, np.int64)
    if not len(other.inputs.memory) or (other.links.producer < 0).any():
        return none
    rows = [row for row in _made_from_nothing(trace) if trace.type_name(row) not in other.types]
    if not rows:
        return none
    start, memory = trace.outputs.start, trace.outputs.memory
    return distinct(np.concatenate([memory[start[row] : start[row + 1]] for row in rows]))


def _made_from_nothing(trace: Trace) -> list[int]:
    """Ops that write and read nothing."""
    rows = (trace.inputs.counts() == 0) & (trace.outputs.counts() > 0) & (trace.role == Role.OP)
    return [int(row) for row in np.flatnonzero(rows)]
