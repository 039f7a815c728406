"""Locks that the system itself lifts when a process ends, however it ends."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import IO

if sys.platform == "win32":
    import msvcrt

    def lock(file: IO[bytes]) -> None:
        """Hold a file until it is closed; OSError where somebody else holds it."""
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def lock(file: IO[bytes]) -> None:
        """Hold a file until it is closed; OSError where somebody else holds it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_free(path: Path) -> bool:
    """Whether nobody holds a file; one that is gone is free."""
    try:
        with path.open("r+b") as file:
            lock(file)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
