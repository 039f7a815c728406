"""Long work on the main thread in several turns of its loop."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


def next_turn(owner: QObject, work: Callable[[], object]) -> None:
    """Do the rest when painting, keys and the mouse have had their turn; not if the owner is gone.

    After no time at all Qt would do it among the events of this very turn.
    """
    QTimer.singleShot(1, owner, work)
