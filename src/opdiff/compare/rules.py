"""What the user says of op names and places: values only, see :mod:`rules_file` for the YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from opdiff.trace.told import Kernel


class Ignore(NamedTuple):
    """Ops that are never a difference: those whose type and scope match both globs."""

    op: str = "*"
    scope: str = "*"


class Equivalent(NamedTuple):
    """A sequence of op types that stands for one on the other side, wherever it occurs."""

    left: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules of one comparison."""

    counterparts: tuple[tuple[str, ...], ...] = ()
    """Names that may be paired, and are still reported."""
    same: tuple[tuple[str, ...], ...] = ()
    """Names that are paired without being a difference."""
    ignore: tuple[Ignore, ...] = ()
    equivalent: tuple[Equivalent, ...] = ()
    kernels: tuple[tuple[str, Kernel], ...] = ()
    """Which arguments kernels write, by their names: heeded when a trace is read."""
    builtin: bool = True
    """Whether the table of names that ships with the program is used, and noise hidden."""
