"""Launchers that start one process a rank: how many they start, and which left nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

_MODULES = {"torch.distributed.run": "torchrun", "torch.distributed.launch": "torchrun"}
_LOCAL = {
    "msrun": ("--local_worker_num", "--worker_num"),
    "torchrun": ("--nproc-per-node", "--nproc_per_node"),
    "mpirun": ("-n", "-np", "--np"),
    "mpiexec": ("-n", "-np", "--np"),
}
"""The options that say how many processes this machine gets, the most telling first."""
_ALL = {"msrun": ("--worker_num",), "torchrun": ("--nnodes",)}
"""The options that tell whether other machines take part."""
_DEFAULTS = {"msrun": 8, "torchrun": 1}


class Launched(NamedTuple):
    """What a launcher starts."""

    here: int
    """How many ranks on this machine."""
    alone: bool
    """Whether there are no others: the ranks are numbered from 0 then."""


def launched_by(command: Sequence[str]) -> Launched | None:
    """What a command starts on several ranks; None where it is no launcher we know."""
    name, options = _launcher(command)
    if name is None:
        return None
    here = _number(options, _LOCAL[name])
    if here is None:
        here = _DEFAULTS.get(name)
    if here is None or here < 1:
        return None
    every = _number(options, _ALL.get(name, ()))
    alone = every is None or every == (here if name == "msrun" else 1)
    return Launched(here, alone)


def ranks_without(launched: Launched | None, found: Collection[int]) -> tuple[int, ...]:
    """The ranks that left nothing, as far as numbers tell."""
    expected = {*range(max(found, default=-1) + 1)} if found else set()
    if launched is not None and launched.alone:
        expected |= {*range(launched.here)}
    elif launched is not None:
        # Another machine has the ranks before these.
        expected = {*range(min(found, default=0), max(found, default=-1) + 1)}
    return tuple(sorted(expected - {*found}))


def _launcher(command: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    for place, word in enumerate(command):
        name = os.path.basename(word)
        if name in _LOCAL:
            return name, command[place + 1 :]
        if word == "-m" and place + 1 < len(command) and command[place + 1] in _MODULES:
            return _MODULES[command[place + 1]], command[place + 2 :]
        if name.endswith(".py"):
            break  # what follows are the program's own words
    return None, ()


def _number(options: Sequence[str], names: Sequence[str]) -> int | None:
    """The value of the first of some options that is given, before the program starts."""
    for name in names:
        for place, word in enumerate(options):
            if word.endswith(".py"):
                break
            value = None
            if word == name and place + 1 < len(options):
                value = options[place + 1]
            elif word.startswith(f"{name}="):
                value = word[len(name) + 1 :]
            if value is not None and re.fullmatch(r"[0-9]{1,9}", value):
                return int(value)
    return None
