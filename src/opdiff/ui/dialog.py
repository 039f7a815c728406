"""What all dialogs of the window are."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget


class Dialog(QDialog):
    """A dialog with an object name that is gone once it is closed."""

    def __init__(
        self, name: str, parent: QWidget, kind: Qt.WindowType = Qt.WindowType.Dialog
    ) -> None:
        super().__init__(parent, kind)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
