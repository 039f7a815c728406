"""The Qt window: everything that draws, and nothing that compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

__all__ = ["MainWindow"]


def __getattr__(name: str) -> Any:
    # Lazily, so that a part of the window can be imported (and tested) without all of it.
    if name == "MainWindow":
        from opdiff.ui.main_window import MainWindow

        return MainWindow
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
