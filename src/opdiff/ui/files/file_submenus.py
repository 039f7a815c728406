"""Sub-menus whose entries are files: what was open lately, and the samples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from opdiff.compare import Side
from opdiff.ui.files.opening import Opening
from opdiff.ui.files.trace_combo import short_path
from opdiff.ui.guide.samples import Sample, samples
from opdiff.ui.guide.welcome import what_is_seen
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import styled
from opdiff.ui.settings import SESSIONS, TRACES

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


class RecentMenus(QObject):
    """Traces below the Open actions and sessions below theirs, filled whenever they are opened."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        open_left, open_right = (
            lambda path, side=side: window.open(Opening({side: path})) for side in Side
        )
        open_session = window.sessions.try_open
        self._menus = (
            self._add("recentLeftMenu", "openSession", TRACES, open_left),
            self._add("recentRightMenu", "openSession", TRACES, open_right),
            self._add("recentSessionsMenu", "saveSession", SESSIONS, open_session),
        )
        self.retranslate()

    def _add(self, name: str, before: str, what: str, open_: Callable[[Path], object]) -> QMenu:
        menu = styled(QMenu(self._window), name=name)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(lambda: self._fill(menu, what, open_))
        self._window.menus["file"].insertMenu(self._window.commands[before], menu)
        return menu

    def retranslate(self) -> None:
        """Speak the window's language."""
        titles = (
            self.tr("Recent on the left"),
            self.tr("Recent on the right"),
            self.tr("Recent sessions"),
        )
        for menu, title in zip(self._menus, titles, strict=True):
            menu.setTitle(title)

    def _fill(self, menu: QMenu, what: str, open_: Callable[[Path], object]) -> None:
        menu.clear()
        for path in map(Path, self._window.settings.recent(what)):
            action = menu.addAction(path.name if what == SESSIONS else short_path(str(path)))
            action.setToolTip(tip(str(path)))
            action.triggered.connect(lambda _=False, path=path: open_(path))
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
