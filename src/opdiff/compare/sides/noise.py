"""Ops that are hidden by default, and ops that a rule ignores."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import numpy as np

from opdiff.compare.rules import Ignore
from opdiff.trace import Role, Trace
from opdiff.trace.columns import Flags, Ints
from opdiff.trace.sorting import among

NOISE_ROLES = (Role.CONSTANT, Role.PARAMETER, Role.WORKSPACE, Role.BOOKKEEPING, Role.COPY)
"""Workspace, parameters, constants, bookkeeping and transfers between host and device."""


_ECHO = re.compile(rb"bb(F?)")
_FEWEST_ECHOES = 3


def noise_of(trace: Trace, other: Trace) -> Flags:
    """The rows that are there for the run's own sake, not for the model's.

    Several records of one copy can be told from several copies only where operands are printed,
    so that in a comparison with a trace that prints none they all count.
    """
    noise: Flags = among(trace.role, np.array(NOISE_ROLES, np.int8))
    if len(other.outputs.spec):
        noise[_echoes(trace)] = True
    return noise


def _echoes(trace: Trace) -> list[int]:
    """All but one of the records that some backends print for one dense copy.

    Runs on the CPU print two ``Contiguous`` without operands a copy, and a third one with operands
    in eager code. A trace is taken to be of that sort only if all of its records agree.
    """
    if "Contiguous" not in trace.types:
        return []
    rows = np.flatnonzero(trace.type == trace.types.index("Contiguous"))
    bare = (trace.inputs.counts()[rows] == 0) & (trace.outputs.counts()[rows] == 0)
    if bare.all() or not bare.any():
        return []
    starts = np.flatnonzero(np.diff(rows, prepend=-2) != 1).tolist()
    marks = np.where(bare, b"b", b"F").tobytes()
    echoes: list[int] = []
    copies = 0
    for first, last in zip(starts, [*starts[1:], len(rows)], strict=True):
        run = marks[first:last]
        if b"b" in _ECHO.sub(b"", run):
            return []
        for copy in _ECHO.finditer(run):
            copies += 1
            at = first + copy.start()
            echoes += rows[at : at + (2 if copy[1] else 1)].tolist()
    return echoes if copies >= _FEWEST_ECHOES else []


def ignored_by(trace: Trace, ignores: tuple[Ignore, ...]) -> Ints:
    """Of each row, the first entry that ignores it, or -1."""
    verdict = np.full(len(trace), -1, np.int32)
    for index in range(len(ignores) - 1, -1, -1):
        entry = ignores[index]
        types = np.array([fnmatchcase(name, entry.op) for name in trace.types], np.bool_)
        scopes = np.array([fnmatchcase(name, entry.scope) for name in trace.scopes], np.bool_)
        if len(types) and len(scopes):
            verdict[types[trace.type] & scopes[trace.scope]] = index
    return verdict
