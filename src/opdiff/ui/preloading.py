"""What is needed soon, and not to show the window: imported while the user looks at it."""

from __future__ import annotations

import importlib
import threading

MODULES = ("networkx", "pygments.lexers.python", "rapidfuzz.fuzz")


def preload() -> threading.Thread:
    """Import them on a thread that nobody waits for; who needs one of them first, imports it."""
    thread = threading.Thread(target=_import_all, name="preloading", daemon=True)
    thread.start()
    return thread


def _import_all() -> None:
    for name in MODULES:
        importlib.import_module(name)
