"""Ops that are hidden by default, and ops that a rule ignores."""

from __future__ import annotations

from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.rules import Ignore
from opdiff.trace import Role, Trace

Flags = NDArray[np.bool_]

NOISE_ROLES = (Role.CONSTANT, Role.PARAMETER, Role.WORKSPACE, Role.BOOKKEEPING, Role.COPY)
"""Workspace, parameters, constants, bookkeeping and transfers between host and device."""


def noise_of(trace: Trace) -> Flags:
    """The rows that are there for the run's own sake, not for the model's."""
    return np.isin(trace.role, np.array(NOISE_ROLES, np.int8))


def ignored_by(trace: Trace, ignores: tuple[Ignore, ...]) -> NDArray[np.int32]:
    """Of each row, the first entry that ignores it, or -1."""
    verdict = np.full(len(trace), -1, np.int32)
    for index in range(len(ignores) - 1, -1, -1):
        entry = ignores[index]
        types = np.array([fnmatchcase(name, entry.op) for name in trace.types], np.bool_)
        scopes = np.array([fnmatchcase(name, entry.scope) for name in trace.scopes], np.bool_)
        if len(types) and len(scopes):
            verdict[types[trace.type] & scopes[trace.scope]] = index
    return verdict
