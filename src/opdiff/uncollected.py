"""Work that makes very many objects and no cycles among them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_under_way: list[None] = []
"""One for each piece of such work, on whatever thread."""


def is_under_way() -> bool:
    """Whether any of it is being done: who collects by himself waits until it is not."""
    return bool(_under_way)


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles meanwhile: that would go through hundreds of thousands of new objects."""
    on = gc.isenabled()
    gc.disable()
    _under_way.append(None)
    try:
        yield
    finally:
        _under_way.pop()
        if on:
            # All that is new counts as old: the next young collection would look through it.
            gc.freeze()
            gc.unfreeze()
            gc.enable()
