"""Copies of which only the name is printed: what they may have copied.

Compiled graphs make views dense before they read them. Some runs print such a copy without
operands, and its result is memory that no op wrote: the dense copy of an earlier view of the same
dtype and shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.trace.columns import Flags, Ints, Operands

_MOST_VIEWS = 64
"""So many views of one dtype and shape may have been copied."""


@dataclass(frozen=True, slots=True)
class HiddenCopy:
    """Memory that a copy without operands wrote."""

    reader: int
    """The first row that reads it."""
    sources: tuple[int, ...]
    """The memory that may have been copied, what was viewed last first."""


@dataclass(frozen=True, slots=True)
class Looks:
    """What the specs of a trace look like, a value a spec."""

    dense: Ints
    """A number for dtype and shape."""
    is_view: Flags


def hidden_copies(
    outputs: Operands, inputs: Operands, producer: Ints, copying: Flags, looks: Looks
) -> dict[int, HiddenCopy]:
    """The copies whose operands are not printed, by the memory they wrote.

    *copying* are their rows. A view that is made right before the copy of a reader of just one
    such copy is what was copied.
    """
    reader, writer, count = inputs.rows(), outputs.rows(), len(inputs.spec)
    asking = (producer < 0) & copying[reader - 1] & (reader > 0) & ~looks.is_view[inputs.spec]
    asked = np.flatnonzero(asking)
    if not len(asked):
        return {}
    views_in = np.flatnonzero(looks.is_view[inputs.spec])
    views_out = np.flatnonzero(looks.is_view[outputs.spec])
    # One sequence of all questions and all views, in the order in which they ran.
    row = np.concatenate((reader[asked], reader[views_in], writer[views_out]))
    sort = np.repeat([0, 1, 2], [len(asked), len(views_in), len(views_out)])
    place = np.concatenate((asked, views_in, views_out + count))
    memory = np.concatenate((inputs.memory, outputs.memory))
    look = looks.dense[np.concatenate((inputs.spec, outputs.spec))]
    _, which, times = np.unique(
        np.stack((reader[asked], look[asked])), axis=1, return_inverse=True, return_counts=True
    )
    alone = dict(zip(asked.tolist(), (times[which.reshape(-1)] == 1).tolist(), strict=True))
    seen: dict[int, dict[int, int]] = {}
    found: dict[int, HiddenCopy] = {}
    for at in np.lexsort((sort, row)).tolist():
        here, block = int(place[at]), int(memory[place[at]])
        views = seen.setdefault(int(look[here]), {})
        if sort[at]:
            views.pop(block, None)
            views[block] = here
            if len(views) > _MOST_VIEWS:
                del views[next(iter(views))]
        elif views and block not in found:
            sources = tuple(reversed(views))
            latest, asks = views[sources[0]], int(row[at])
            made = int(writer[latest - count]) if latest >= count else -1
            certain = made >= 0 and alone[here] and copying[made + 1 : asks].all()
            found[block] = HiddenCopy(asks, sources[:1] if certain else sources)
    return found
