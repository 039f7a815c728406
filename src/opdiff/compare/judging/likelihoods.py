"""Gradients of likelihoods that one side computes twice and the other once.

The gradient of a negative log likelihood takes the shape of what went into the loss, and the total
weight, which the loss has from its target and the weights of the classes: two losses of one target
have one. A compiler makes it once.
"""

from __future__ import annotations

from functools import partial

from opdiff.compare.matching import Matching
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Flags, Ints
from opdiff.trace.sorting import among

_LOSS, _GRADIENT = "nllloss", "nlllossbackward"
_FEWEST = 4
"""Gradient, what went into the loss, target, total weight; some have weights of the classes too."""


def made_once(
    sides: tuple[Prepared, Prepared], matching: Matching, which: int, rows: Ints
) -> Flags:
    """Of rows without counterpart, gradients instead of which the other side reads a like one.

    All that reads such a gradient must have a counterpart that reads what is made of the other.
    """
    side, other = sides[which], sides[1 - which]
    gradients = {at for at, spelled in enumerate(side.spelling) if spelled == _GRADIENT}
    alone = rows[among(side.trace.type[rows], sorted(gradients))].tolist()
    if not alone:
        return among(rows, [])
    every = side.rows[among(side.trace.type[side.rows], sorted(gradients))].tolist()
    works = partial(matching.counterparts, which)
    made: dict[tuple[object, ...], set[int]] = {}
    for row in every:
        taken = _taken(side, row)
        if taken is not None:
            made.setdefault(taken, set()).update(works(row))
    found = []
    for row in alone:
        wanted = made.get(_taken(side, row) or (), set())
        readers = side.readers(row)
        if readers and all(
            any(not wanted.isdisjoint(other.read_by(each)) for each in works(reader))
            for reader in readers
        ):
            found.append(row)
    return among(rows, found)


def _taken(side: Prepared, row: int) -> tuple[object, ...] | None:
    """What a gradient is made from; None where that is not known."""
    trace, inputs = side.trace, side.trace.inputs
    first, last = int(inputs.start[row]), int(inputs.start[row + 1]) - 1
    loss = int(trace.links.producer[last]) if last >= first else -1
    like = last - first + 1 >= _FEWEST and loss >= 0
    made = trace.outputs.spec[trace.outputs.start[row]]
    if not like or made != inputs.spec[first + 1] or side.spelling[trace.type[loss]] != _LOSS:
        return None
    given = side.value[inputs.start[loss] + 1 : inputs.start[loss + 1]].tolist()
    wanted = side.value[first + 2 : last].tolist()
    if given != wanted:
        return None
    face = int(trace.type[row]), int(trace.columns.attrs[row]), int(side.layout[row])
    return (*face, int(trace.columns.attrs[loss]), int(side.value[first]), *wanted)
