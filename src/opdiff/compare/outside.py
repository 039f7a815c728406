"""Memory that no op of a trace wrote, parameters above all: which is which on the other side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.codes import Ints
from opdiff.compare.sides import Ready, paired_inputs, places_in

_FEWEST = 2


class Outside:
    """Blocks from outside that most pairs read at the same place are taken for the same."""

    def __init__(self, left: Ready, right: Ready, partner: Ints, doubtful: Ints) -> None:
        """Learn from all pairs but the doubtful ones: what is in question proves nothing."""
        self._left, self._right, self._partner = left, right, partner
        rows = np.flatnonzero(partner >= 0).astype(np.int32)
        rows = rows[~np.isin(rows, doubtful)]
        here, there, _ = paired_inputs(left, right, rows, partner[rows])
        outside = (left.producer[here] < 0) & (right.producer[there] < 0)
        blocks = left.trace.inputs.memory[here[outside]]
        others = right.trace.inputs.memory[there[outside]]
        self._known = _majorities(blocks, others)

    def strange(self, row: int) -> int:
        """How many blocks a pair reads that are not the same on both sides."""
        here = places_in(self._left, row)
        there = places_in(self._right, int(self._partner[row]))
        if len(here) != len(there) or not len(here):
            return 0
        outside = (self._left.producer[here] < 0) & (self._right.producer[there] < 0)
        blocks = self._left.trace.inputs.memory[here[outside]].tolist()
        others = self._right.trace.inputs.memory[there[outside]].tolist()
        return sum(
            self._known.get(block, other) != other
            for block, other in zip(blocks, others, strict=True)
        )


def _majorities(blocks: NDArray[np.int64], others: NDArray[np.int64]) -> dict[int, int]:
    """Of each block the other side's that it goes with in most of at least a few pairs."""
    names, block = np.unique(blocks, return_inverse=True)
    other_names, other = np.unique(others, return_inverse=True)
    pairs, count = np.unique(block * np.int64(len(other_names) + 1) + other, return_counts=True)
    total = np.bincount(block, minlength=len(names))
    block, other = pairs // (len(other_names) + 1), pairs % (len(other_names) + 1)
    most = (count >= _FEWEST) & (2 * count > total[block])
    return dict(zip(names[block[most]].tolist(), other_names[other[most]].tolist(), strict=True))
