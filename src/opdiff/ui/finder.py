"""Finding an op to anchor at."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QWidget

from opdiff.compare import Side
from opdiff.ui.desk import Desk


class Finder(QDialog):
    """By type, scope or function."""

    def __init__(self, desk: Desk, side: Side, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("finder")
