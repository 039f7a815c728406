"""Which ops one call of a function made: they come one after the other, from one place."""

from __future__ import annotations

import numpy as np

from opdiff.trace.model import Trace
from opdiff.trace.stacks import innermost_first, is_library_file
from opdiff.trace.values import Frame

Frames = tuple[Frame, ...]
_OUTSIDE, _UNKNOWN, _INSIDE = -1, 0, 1


def calls_at(trace: Trace, row: int) -> list[Frames]:
    """The calls of the user's functions that an op was made in, the innermost first.

    Each is the stack from that function's frame outward.
    """
    stack = innermost_first(trace.tables.stacks[trace.columns.stack[row]])
    return [stack[at:] for at, frame in enumerate(stack) if not is_library_file(frame.file)]


def last_of_call(trace: Trace, row: int, call: Frames) -> int:
    """The last op that was made in a call, from an op on that was.

    It is the same call as long as the function was called from the same lines. Ops without any
    stack, as bookkeeping, may stand between.
    """
    inside = np.array([_standing(innermost_first(s), call) for s in trace.tables.stacks], np.int8)
    after = inside[trace.columns.stack[row + 1 :]]
    ends = np.flatnonzero(after == _OUTSIDE)
    within = np.flatnonzero(after[: ends[0]] == _INSIDE if len(ends) else after == _INSIDE)
    return row + 1 + int(within[-1]) if len(within) else row


def _standing(stack: Frames, call: Frames) -> int:
    """Whether a stack lies inside a call."""
    if not stack:
        return _UNKNOWN
    if len(stack) < len(call):
        return _OUTSIDE
    here = stack[len(stack) - len(call) :]
    same = (here[0].file, here[0].function) == (call[0].file, call[0].function)
    return _INSIDE if same and here[1:] == call[1:] else _OUTSIDE
