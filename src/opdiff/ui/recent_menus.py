"""The files opened lately, in the File menu: one list a side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from opdiff.compare import Side
from opdiff.ui.opening import Opening
from opdiff.ui.plain_text import tip
from opdiff.ui.trace_combo import short_path

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
