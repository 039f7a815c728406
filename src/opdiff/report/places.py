"""Where differences are, by layer and function: ``layer 7 › attention › rope, backward``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from opdiff.compare import Comparison, Divergence, Side
from opdiff.structure.part_names import PartNames
from opdiff.trace.columns import Ints
from opdiff.trace.sorting import distinct
from opdiff.wording import Sentence


class PlaceNames:
    """Names the places of a comparison's differences, of each part of a trace once."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._parts: dict[Side, PartNames] = {}

    def of_row(self, side: Side, row: int) -> Sentence | None:
        """Where an op is; None where its trace shows no parts."""
        return self.of_node(side, int(self._comparison.side(side).structure.of_row[row]))

    def of_node(self, side: Side, node: int) -> Sentence | None:
        """Where a part is."""
        return self._names(side).of_part(node)

    def of(self, divergence: Divergence, side: Side) -> Sentence | None:
        """Where a difference is on one side; None where it is not on that side."""
        rows = divergence.rows(side)
        return self.of_row(side, rows[0]) if rows else None

    @cached_property
    def nodes(self) -> tuple[Ints, Ints]:
        """Of each difference, its part on the left and on the right; -1 where it has none."""
        left, right = (self._nodes(side) for side in Side)
        return left, right

    def _nodes(self, side: Side) -> Ints:
        result = self._comparison.side(side)
        first = result.first_rows(len(self._comparison.divergences))
        if not len(result.structure.of_row):
            return first
        return np.where(first >= 0, result.structure.of_row[np.maximum(first, 0)], -1)

    def of_members(self, members: Sequence[int]) -> Sentence | None:
        """Where the members of a group are, in few words; None where nothing can be said."""
        if len(members) == 1:
            return self._of_one(members[0])
        for side in Side:
            nodes = self.nodes[side][np.asarray(members)]
            if (nodes >= 0).all():
                return self._names(side).of_parts(distinct(nodes))
        return None

    def _of_one(self, member: int) -> Sentence | None:
        for side in Side:
            node = int(self.nodes[side][member])
            if node >= 0:
                return self.of_node(side, node)
        return None

    def _names(self, side: Side) -> PartNames:
        if side not in self._parts:
            other = self._parts.get(side.other)
            self._parts[side] = PartNames(self._comparison.side(side).structure, other)
        return self._parts[side]
