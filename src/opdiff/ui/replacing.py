"""The question before a file is replaced."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from opdiff.ui.plain_text import tip


def may_replace(path: Path, parent: QWidget) -> bool:
    """Whether no file is there, or the user does not want to keep it."""
    if not path.is_file():  # what a folder or a device says is said when it is written to
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
