"""Micro-batches and training steps that only one side runs: counted, not listed op by op."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from opdiff.compare.comparison import Region, What
from opdiff.compare.sides.prepared import Prepared
from opdiff.structure import NodeKind, structure_of
from opdiff.structure.tree import KINDS, Structure
from opdiff.trace.columns import Flags, Ints, marked
from opdiff.trace.sorting import without

_LEAST_ALONE = 16
_SHARE_ALONE = 0.05
_MOSTLY = 0.8
_PLURAL = {NodeKind.STEP: "steps", NodeKind.BATCH: "micro-batches"}


def uneven_parts(sides: tuple[Prepared, Prepared], alone: tuple[Ints, Ints]) -> list[Region]:
    """Steps or micro-batches of which one side has more, as one region each sort.

    Only asked where much stands alone: most comparisons need no structure for this.
    """
    much = any(
        len(rows) >= max(_LEAST_ALONE, _SHARE_ALONE * len(side.rows))
        for side, rows in zip(sides, alone, strict=True)
    )
    if not much:
        return []
    trees = (structure_of(sides[0].trace), structure_of(sides[1].trace))
    found: list[Region] = []
    for part in _PLURAL:
        for region in _uneven(part, trees, sides, alone):
            found.append(region)
            # The micro-batches of a step that is missing are missing with it.
            alone = (
                without(alone[0], region.left_rows),
                without(alone[1], region.right_rows),
            )
    return found


def _uneven(
    part: NodeKind,
    trees: tuple[Structure, Structure],
    sides: tuple[Prepared, Prepared],
    alone: tuple[Ints, Ints],
) -> Iterator[Region]:
    counts = tuple(_count(tree, part) for tree in trees)
    if counts[0] == counts[1]:
        return
    more = 0 if counts[0] > counts[1] else 1
    rows = _wholly_alone(trees[more], part, sides[more], alone[more])
    if not len(rows):
        return
    found: tuple[int, ...] = tuple(rows.tolist())
    left, right = (found, ()) if more == 0 else ((), found)
    yield Region(
        What.REPEAT, left, right, len(found), counts[more], _PLURAL[part], (counts[0], counts[1])
    )


def _count(tree: Structure, part: NodeKind) -> int:
    """How many of a part a step has (or the trace, of steps): the numbers start at 0."""
    numbers = tree.number[tree.kind == KINDS.index(part)]
    return int(numbers.max()) + 1 if len(numbers) else 1


def _wholly_alone(tree: Structure, part: NodeKind, side: Prepared, alone: Ints) -> Ints:
    """The rows alone of all parts of which hardly any op has a counterpart.

    Where an op of such a part is paired all the same, as what the optimizer reads of the last one,
    its like in another part is alone in its stead, and counts.
    """
    node = tree.enclosing(part)[tree.of_row]
    looked: Flags = marked(len(node), side.rows)
    looked &= node >= 0
    lonely = marked(len(node), alone)
    every = np.bincount(node[looked], minlength=len(tree))
    missing = np.bincount(node[looked & lonely], minlength=len(tree))
    gone = (every > 0) & (missing >= _MOSTLY * every)
    inside = looked & gone[np.maximum(node, 0)]
    found = inside & lonely
    wanted = Counter(side.type[inside & ~lonely].tolist())
    for row in np.flatnonzero(looked & lonely & ~inside).tolist():
        if wanted[int(side.type[row])] > 0:
            wanted[int(side.type[row])] -= 1
            found[row] = True
    return np.flatnonzero(found).astype(np.int32)
