"""QActions made from the table, and the menus made from the actions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from opdiff.ui.menus.spec import ActionSpec, MenuSpec
from opdiff.ui.situation import Situation

CONTEXT = "Actions"
_ALT_KEY = re.compile(r"\(&\w\)|&")
_ARROWS = {"Up": "↑", "Down": "↓", "Left": "←", "Right": "→"}
_ARROW = re.compile(r"(?<=\+)(?:Up|Down|Left|Right)$")


def translated(text: str) -> str:
    """A text of the table in the window's language."""
    return QCoreApplication.translate(CONTEXT, text)


def plain(text: str) -> str:
    """A text without the mark of its Alt key: ``&File``, or ``文件(&F)`` as Chinese writes it."""
    return _ALT_KEY.sub("", text)


class Actions(QObject):
    """All actions by name (``actions["compareUp"]``); the object name adds ``Action``."""

    def __init__(self, menus: Iterable[MenuSpec], window: QWidget) -> None:
        super().__init__(window)
        self.menus = tuple(menus)
        self.specs = tuple(spec for menu in self.menus for spec in menu.actions)
        self._actions: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._titles: list[tuple[QMenu, str]] = []
        for spec in self.specs:
            action = QAction(window)
            action.setObjectName(f"{spec.name}Action")
            action.setShortcuts([QKeySequence(key) for key in spec.keys])
            action.setCheckable(spec.checkable)
            if spec.group:
                group = self._groups.setdefault(spec.group, QActionGroup(window))
                group.addAction(action)
            # On the window as well as in a menu: its key works wherever the focus is.
            window.addAction(action)
            self._actions[spec.name] = action
        self.retranslate()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def refresh(self, now: Situation) -> None:
        """Enable what is possible now."""
        for spec in self.specs:
            self._actions[spec.name].setEnabled(spec.enabled(now))

    def retranslate(self) -> None:
        """Say everything in the window's language again."""
        for spec in self.specs:
            action = self._actions[spec.name]
            action.setText(translated(spec.text))
            action.setToolTip(self.tip(spec))
            action.setStatusTip(translated(spec.tip))
        for menu, title in self._titles:
            menu.setTitle(translated(title))

    def tip(self, spec: ActionSpec) -> str:
        """What an action does, and its keys."""
        keys = keys_text(spec)
        return f"{translated(spec.tip)}  {keys}" if keys else translated(spec.tip)

    def fill(self, bar: QMenuBar) -> dict[str, QMenu]:
        """Build the menus; further entries can be added to those returned."""
        menus: dict[str, QMenu] = {}
        for told in self.menus:
            menus[told.name] = self._add_menu(bar, told.title)
            self._fill(menus[told.name], told.actions)
        return menus

    def _fill(self, menu: QMenu, specs: Iterable[ActionSpec]) -> None:
        groups: dict[str, QMenu] = {}
        for spec in specs:
            if spec.separated and not menu.isEmpty():
                menu.addSeparator()
            if spec.group and spec.group not in groups:
                groups[spec.group] = self._add_menu(menu, spec.group)
            groups.get(spec.group, menu).addAction(self._actions[spec.name])

    def _add_menu(self, place: QMenuBar | QMenu, title: str) -> QMenu:
        menu = place.addMenu(translated(title))
        menu.setToolTipsVisible(True)
        self._titles.append((menu, title))
        return menu


def keys_text(spec: ActionSpec) -> str:
    """The keys of an action as this system writes them, arrows as on the key."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(
        _ARROW.sub(lambda arrow: _ARROWS[arrow[0]], key)
        if _ARROW.search(key)
        else QKeySequence(key).toString(native)
        for key in spec.keys
    )
