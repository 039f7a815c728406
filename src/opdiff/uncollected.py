"""Work that makes very many objects and no cycles among them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles meanwhile: that would go through hundreds of thousands of new objects."""
    on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if on:
            # All that is new counts as old: the next young collection would look through it.
            gc.freeze()
            gc.unfreeze()
            gc.enable()
