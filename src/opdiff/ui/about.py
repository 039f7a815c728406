"""What this program is, and in which version."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from opdiff import __version__
from opdiff.ui.plain_text import PlainLabel


class AboutDialog(QDialog):
    """Name, version and licence; the versions can be copied into a report. Esc closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("aboutDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("About opdiff"))
        name = PlainLabel(f"opdiff {__version__}")
        name.setProperty("heading", True)
        purpose = PlainLabel(
            self.tr("Shows where two runs of the same model stop doing the same thing.")
        )
        self._versions = PlainLabel(self.versions())
        self._versions.setProperty("dim", True)
        self._versions.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        licence = PlainLabel(self.tr("Apache License 2.0. Everything runs on this machine."))
        licence.setProperty("dim", True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(10)
        for widget in (name, purpose, self._versions, licence, buttons):
            column.addWidget(widget)

    @staticmethod
    def versions() -> str:
        """The versions that matter to whoever reads a report."""
        return (
            f"opdiff {__version__} · Python {platform.python_version()} · Qt {qVersion()} · "
            f"{platform.system()} {platform.machine()}"
        )

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.versions())
