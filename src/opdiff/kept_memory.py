"""What large arrays gave back stays with this process: the next ones are as large.

The C library hands such memory to the system, which clears it before it gives it out again; while
arrays of a whole trace are made by the hundred, that is a tenth of the time.
"""

from __future__ import annotations

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""What ``malloc.h`` calls them."""
_LARGEST = 1 << 30


def keep_memory() -> None:
    """From now on, where the C library can be told so; for a command that ends when it is done."""
    if not sys.platform.startswith("linux"):
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, _LARGEST)
        mallopt(_TRIM_THRESHOLD, _LARGEST)
