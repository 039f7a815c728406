"""Runs of several steps: which step is the first that differs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_STEP = re.compile(r"step[_-]?([0-9]{1,12})(?:\.ir(?:\.gz)?)?")
"""A folder ``step_0``, or a file ``step_0.ir``."""
_FEWEST = 2


class StepPair(NamedTuple):
    """The same step of both runs."""

    number: int
    left: Path
    right: Path


class Steps(NamedTuple):
    """The steps that both runs have, in order, and those of one alone."""

    both: tuple[StepPair, ...]
    alone: tuple[int, ...]


def steps_of(paths: Sequence[str]) -> Steps | None:
    """The steps in two folders; None unless both have several."""
    if len(paths) != 2:
        return None
    left, right = (_steps_in(Path(path)) for path in paths)
    if min(len(left), len(right)) < _FEWEST:
        return None
    both = [StepPair(number, left[number], right[number]) for number in sorted(left.keys() & right)]
    alone = sorted(left.keys() ^ right.keys())
    return Steps(tuple(both), tuple(alone)) if both else None


def _steps_in(folder: Path) -> dict[int, Path]:
    """Steps by their number: of a folder and a file of one step the folder counts."""
    found: dict[int, Path] = {}
    try:
        children = sorted(folder.iterdir(), key=lambda child: child.is_dir())
    except OSError:  # no folder, or not to be looked into: who reads it says so
        return {}
    for child in children:
        match = _STEP.fullmatch(child.name)
        if match is not None and (child.is_dir() or ".ir" in child.name):
            found[int(match[1])] = child
    return found
