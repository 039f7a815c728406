"""What the user tells of files that do not tell it themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Kernel(NamedTuple):
    """Which arguments of a kernel are written, by their names; it reads all others."""

    out: tuple[str, ...] = ()
    inout: tuple[str, ...] = ()
    """Those it reads, too."""


class Arguments(NamedTuple):
    """Which arguments and outputs of a call count, in which order; None for all as they are."""

    inputs: tuple[int | str, ...] | None = None
    """Places, and the names of those given by name."""
    outputs: tuple[int | str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """All of it; nothing by default."""

    kernels: Mapping[str, Kernel] = field(default_factory=dict)
    """By op type, for logs that do not say what is written."""
    arguments: Mapping[tuple[str, str], Arguments] = field(default_factory=dict)
    """By framework and op type, for calls that two frameworks number differently."""


AS_THEY_ARE = Arguments()
NOTHING_TOLD = Told()
