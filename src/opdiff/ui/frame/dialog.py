"""What all dialogs of the window are, and the question before a file is replaced."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QMessageBox, QWidget

from opdiff.ui.look.plain_text import tip

_AROUND = QSize(24, 64)
"""Of a screen, what a dialog leaves: for the frame that the system gives it, and a panel."""


class Dialog(QDialog):
    """A dialog with an object name that is on the screen as a whole, and gone once it is closed."""

    def __init__(
        self, name: str, parent: QWidget, kind: Qt.WindowType = Qt.WindowType.Dialog
    ) -> None:
        super().__init__(parent, kind)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def showEvent(self, event: QShowEvent) -> None:
        """Be no larger than the screen: its buttons stand at the lower edge."""
        if not event.spontaneous():
            self.resize(self.size().boundedTo(self.screen().availableSize() - _AROUND))
        super().showEvent(event)


def may_replace(path: Path, parent: QWidget) -> bool:
    """Whether no file is there, or the user does not want to keep it."""
    # Whatever is wrong with a folder, a device or a name that is too long is said in writing to it.
    if not os.path.isfile(path):
        return True
    translate = QCoreApplication.translate
    answer = QMessageBox.question(
        parent,
        translate("Replacing", "Replace the file?"),
        tip(translate("Replacing", "{path} exists already. Replace it?").format(path=path)),
        QMessageBox.StandardButton.Yes | QMessageBox.StandardButton.No,
        QMessageBox.StandardButton.No,
    )
    return answer == QMessageBox.StandardButton.Yes
