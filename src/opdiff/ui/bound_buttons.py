"""Buttons that are the face of an action: enabled, named and explained as it is."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton

from opdiff.ui.actions import plain

ButtonT = TypeVar("ButtonT", bound=QAbstractButton)


def bind(button: ButtonT, action: QAction, object_name: str) -> ButtonT:
    """Let a button stand for an action; its own text, often a mere sign, is kept."""
    button.setObjectName(object_name)

    def follow() -> None:
        button.setEnabled(action.isEnabled())
        button.setToolTip(action.toolTip())
        button.setAccessibleName(plain(action.text()))
        button.setAccessibleDescription(action.statusTip())

    action.changed.connect(follow)
    button.clicked.connect(action.trigger)
    follow()
    return button
