"""Memory of a Dask worker: by default it gives every block back at once, and asks for it again.

The nanny starts workers with ``MALLOC_TRIM_THRESHOLD_``, which makes the allocator of glibc map and
unmap each large array; comparing traces takes twice the time then. While a job runs it keeps what
it has; afterwards everything is given back, and the worker is as it was.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator

_VARIABLE = "MALLOC_TRIM_THRESHOLD_"
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""The names of glibc's ``mallopt``."""
_USUAL_MMAP_THRESHOLD = 128 << 10
_KEPT = 256 << 20
_LARGEST_BLOCK = 32 << 20

_lock = threading.Lock()
_running = [0]


@contextlib.contextmanager
def kept_memory() -> Iterator[None]:
    """Let memory be kept within; where the worker does not give it back anyway, nothing is done."""
    threshold = os.environ.get(_VARIABLE, "")
    library = _glibc() if threshold.isdecimal() else None
    if library is None:
        yield
        return
    with _lock:
        _running[0] += 1
        library.mallopt(_TRIM_THRESHOLD, _KEPT)
        library.mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK)
    try:
        yield
    finally:
        with _lock:
            _running[0] -= 1
            if not _running[0]:  # the last of those that run in this process
                library.mallopt(_TRIM_THRESHOLD, min(int(threshold), _KEPT))
                library.mallopt(_MMAP_THRESHOLD, _USUAL_MMAP_THRESHOLD)
                library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    """The C library, if it has what is needed."""
    try:
        library = ctypes.CDLL(None)
        return library if library.mallopt and library.malloc_trim else None
    except (AttributeError, OSError, TypeError):
        return None
