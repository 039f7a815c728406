"""Finding ops: by type, by scope, by the function or the very call that made them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

import numpy as np

from opdiff.trace.columns import Flags, Ints
from opdiff.trace.model import Trace
from opdiff.trace.stacks import innermost_first, is_users
from opdiff.trace.values import Frame

Frames = tuple[Frame, ...]
_OUTSIDE, _UNKNOWN, _INSIDE = -1, 0, 1


def find_rows(
    trace: Trace, *, op: str | None = None, function: str | None = None, scope: str | None = None
) -> Ints:
    """The rows that match everything given, ascending.

    *op* and *scope* are globs; an op may be named by its type or by its whole printed name.
    *function* is the name (or a glob) of a function anywhere in the stack.
    """
    hits = np.ones(len(trace), bool)
    if op is not None:
        by_name = matching(trace.tables.names, [op], trace.columns.name)
        hits &= by_name | matching(trace.types, [op], trace.type)
    if scope is not None:
        hits &= matching(trace.scopes, [scope], trace.scope)
    if function is not None:
        stacks = [
            any(fnmatchcase(frame.function, function) for frame in stack)
            for stack in trace.tables.stacks
        ]
        hits &= np.array(stacks, bool)[trace.columns.stack]
    return np.flatnonzero(hits).astype(np.int32)


def matching(texts: Sequence[str], globs: Collection[str], of_row: Ints) -> Flags:
    """Of each row, whether its text matches one of the globs."""
    found = [any(fnmatchcase(text, glob) for glob in globs) for text in texts]
    return np.array(found, np.bool_)[of_row]


def functions(trace: Trace) -> dict[str, int]:
    """How many ops have each function in their stack; the user's own first, frequent ones first."""
    ops_of_stack = np.bincount(trace.columns.stack, minlength=len(trace.tables.stacks))
    counts: dict[str, int] = {}
    own: set[str] = set()
    for stack, ops in zip(trace.tables.stacks, ops_of_stack.tolist(), strict=True):
        own.update(frame.function for frame in stack if is_users(frame))
        if ops:
            for function in {frame.function for frame in stack}:
                counts[function] = counts.get(function, 0) + ops
    ordered = sorted(counts, key=lambda name: (name not in own, -counts[name], name))
    return {name: counts[name] for name in ordered}


def calls_at(trace: Trace, row: int) -> list[Frames]:
    """The calls of the user's functions that an op was made in, the innermost first.

    Each is the stack from that function's frame outward.
    """
    stack = innermost_first(trace.tables.stacks[trace.columns.stack[row]])
    return [stack[at:] for at, frame in enumerate(stack) if is_users(frame)]


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
