"""What values say of each divergence."""

from __future__ import annotations

from typing import NamedTuple

from opdiff.trace.columns import Bytes, Flags, Ints

UNKNOWN, GUILTY, NEUTRAL = -1, 0, 1
"""What values say of a divergence."""


class ValueVerdict(NamedTuple):
    """What values say of each divergence."""

    neutral: Bytes
    """:data:`UNKNOWN`, :data:`GUILTY` or :data:`NEUTRAL`."""
    leads: Flags
    """Whether it is a cause, or one to blame: read first."""
    pair: Ints
    """Of a difference in values its pair, else -1."""
    follows: Flags
    """Whether it is a difference in values that follows from another one."""
