"""The Qt window: everything that draws, and nothing that compares.

``main_window`` puts the parts together, ``window_frame`` says where they stand. All of them listen
to the ``store``: the traces, what is asked of them, the answer and the place in it. ``menus``
lists what a user can do, ``actions`` what makes menus, keys and buttons of it; what an action does
is in the part it is about, or in ``handlers`` where it is about several. ``tasks`` reads and
compares on other threads. ``panes``, ``differences``, ``details``, ``source``, ``structure``,
``values`` and ``ranks`` are what is looked at; ``work`` is what lasts: decisions, notes, rules,
sessions, reports.
"""

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
