"""What this program is, and in which version."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from opdiff import __version__
from opdiff.ui.boxes import in_column
from opdiff.ui.dialog import Dialog
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.theme import styled


class AboutDialog(Dialog):
    """Name, version and licence; the versions can be copied into a report. Esc closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("aboutDialog", parent)
        self.setWindowTitle(self.tr("About opdiff"))
        name = styled(PlainLabel(f"opdiff {__version__}"), "heading")
        purpose = PlainLabel(
            self.tr("Shows where two runs of the same model stop doing the same thing.")
        )
        self._versions = styled(PlainLabel(self.versions()), "dim")
        self._versions.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        licence = styled(
            PlainLabel(self.tr("Apache License 2.0. Everything runs on this machine.")), "dim"
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.versions()))
        buttons.rejected.connect(self.reject)
        in_column(
            self,
            name,
            purpose,
            self._versions,
            licence,
            buttons,
            margins=(24, 20, 24, 16),
            spacing=10,
        )

    @staticmethod
    def versions() -> str:
        """The versions that matter to whoever reads a report."""
        return (
            f"opdiff {__version__} · Python {platform.python_version()} · Qt {qVersion()} · "
            f"{platform.system()} {platform.machine()}"
        )
