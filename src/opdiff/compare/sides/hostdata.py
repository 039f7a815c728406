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
    known = set(other.types)
    foreign = np.array([name not in known for name in trace.types], np.bool_)
    made = foreign[trace.type] & (trace.inputs.counts() == 0) & (trace.role == Role.OP)
    written = trace.outputs.memory[made[trace.outputs.rows()]]
    if not len(written) or not len(other.inputs.memory) or (other.links.producer < 0).any():
        return np.zeros(0, np.int64)
    return distinct(written)
