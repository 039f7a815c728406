"""Finding ops: by type, by scope, by the function that made them."""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Ints
from opdiff.trace.model import Trace
from opdiff.trace.stacks import is_library_file

Flags = NDArray[np.bool_]


def find_rows(
    trace: Trace, *, op: str | None = None, function: str | None = None, scope: str | None = None
) -> Ints:
    """The rows that match everything given, ascending.

    *op* and *scope* are globs; an op may be named by its type or by its whole printed name.
    *function* is the name (or a glob) of a function anywhere in the stack.
    """
    hits = np.ones(len(trace), bool)
    if op is not None:
        of_name = np.array([fnmatchcase(name, op) for name in trace.tables.names], bool)
        hits &= of_name[trace.columns.name] | _matching(trace.types, op)[trace.type]
    if scope is not None:
        hits &= _matching(trace.scopes, scope)[trace.scope]
    if function is not None:
        stacks = [
            any(fnmatchcase(frame.function, function) for frame in stack)
            for stack in trace.tables.stacks
        ]
        hits &= np.array(stacks, bool)[trace.columns.stack]
    return np.flatnonzero(hits).astype(np.int32)


def _matching(texts: list[str], glob: str) -> Flags:
    return np.array([fnmatchcase(text, glob) for text in texts], bool)


def functions(trace: Trace) -> dict[str, int]:
    """How many ops have each function in their stack; the user's own first, frequent ones first."""
    ops_of_stack = np.bincount(trace.columns.stack, minlength=len(trace.tables.stacks))
    counts: dict[str, int] = {}
    own: set[str] = set()
    for stack, ops in zip(trace.tables.stacks, ops_of_stack.tolist(), strict=True):
        own.update(frame.function for frame in stack if not is_library_file(frame.file))
        if ops:
            for function in {frame.function for frame in stack}:
                counts[function] = counts.get(function, 0) + ops
    ordered = sorted(counts, key=lambda name: (name not in own, -counts[name], name))
    return {name: counts[name] for name in ordered}
