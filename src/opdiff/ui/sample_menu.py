"""The samples in the Help menu: also once files are open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from opdiff.ui.plain_text import tip
from opdiff.ui.samples import Sample, samples
from opdiff.ui.welcome import what_is_seen


class SampleMenu(QObject):
    """A sub-menu with an entry a sample."""

    def __init__(self, help_menu: QMenu, before: QAction, open_: Callable[[Sample], None]) -> None:
        super().__init__(help_menu)
        self._menu = QMenu(help_menu)
        self._menu.setObjectName("samplesMenu")
        self._menu.setToolTipsVisible(True)
        self._entries: list[tuple[QAction, str]] = []
        for sample in samples():
            action = self._menu.addAction("")
            self._entries.append((action, sample.name))
            action.setObjectName(f"sampleAction-{sample.name}")
            action.setToolTip(tip(f"{sample.left}\n{sample.right}"))
            action.triggered.connect(lambda _=False, sample=sample: open_(sample))
        self._menu.setEnabled(not self._menu.isEmpty())
        help_menu.insertMenu(before, self._menu)
        self.retranslate()

    def retranslate(self) -> None:
        """Speak the window's language."""
        self._menu.setTitle(self.tr("&Samples"))
        for action, name in self._entries:
            action.setText(f"{name}: {what_is_seen(name)}")
