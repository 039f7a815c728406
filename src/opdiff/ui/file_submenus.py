"""Sub-menus whose entries are files: what was open lately, and the samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from opdiff.compare import Side
from opdiff.ui.opening import Opening
from opdiff.ui.plain_text import tip
from opdiff.ui.samples import Sample, samples
from opdiff.ui.theme import styled
from opdiff.ui.trace_combo import short_path
from opdiff.ui.welcome import what_is_seen

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


class RecentMenus(QObject):
    """Two sub-menus below the Open actions, filled whenever they are opened."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._menus = {side: QMenu(window) for side in Side}
        for side, menu in self._menus.items():
            menu.setObjectName("recentLeftMenu" if side is Side.LEFT else "recentRightMenu")
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(lambda side=side: self._fill(side))
            window.menus["file"].insertMenu(window.commands["openSession"], menu)
        self.retranslate()

    def retranslate(self) -> None:
        """Speak the window's language."""
        self._menus[Side.LEFT].setTitle(self.tr("Recent on the left"))
        self._menus[Side.RIGHT].setTitle(self.tr("Recent on the right"))

    def _fill(self, side: Side) -> None:
        menu = self._menus[side]
        menu.clear()
        for path in self._window.settings.recent():
            action = menu.addAction(short_path(path))
            action.setToolTip(tip(path))
            action.triggered.connect(
                lambda _=False, path=path: self._window.open(Opening({side: Path(path)}))
            )
        if menu.isEmpty():
            menu.addAction(self.tr("None yet")).setEnabled(False)


class SampleMenu(QObject):
    """A sub-menu with an entry a sample."""

    def __init__(self, help_menu: QMenu, before: QAction, open_: Callable[[Sample], None]) -> None:
        super().__init__(help_menu)
        self._menu = styled(QMenu(help_menu), name="samplesMenu")
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
