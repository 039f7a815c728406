"""Where programs keep what is neither a setting nor a document of the user's."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """For what can be made again; raises OSError where there is no such place."""
    folder = _own("XDG_CACHE_HOME", ".cache", "Library/Caches")
    return folder / "cache" if sys.platform == "win32" else folder


def state_folder() -> Path:
    """For what cannot; raises OSError where there is no such place."""
    return _own("XDG_STATE_HOME", ".local/state", "Library/Application Support")


def _own(variable: str, usual: str, mac: str) -> Path:
    try:
        if sys.platform == "win32":
            base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
        elif sys.platform == "darwin":
            base = Path.home() / mac
        else:
            asked = Path(os.environ.get(variable, ""))
            # One that begins nowhere would be another one in every folder, and counts as none.
            base = asked if asked.is_absolute() else Path.home() / usual
    except RuntimeError as error:  # in a container, a user may be a mere number
        raise FileNotFoundError(errno.ENOENT, str(error)) from error
    return base / "opdiff"
