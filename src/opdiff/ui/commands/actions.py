"""What a table of actions says of each, when each is possible, and menus and buttons of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QCoreApplication, QObject, QPoint
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QMenu, QMenuBar

from opdiff.compare import Side

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

CONTEXT = "Actions"
_ALT_KEY = re.compile(r"\(&\w\)|&")
_ARROWS = {"Up": "↑", "Down": "↓", "Left": "←", "Right": "→"}
_ARROW = re.compile(r"(?<=\+)(?:Up|Down|Left|Right)$")


def _facts() -> dict[str, Callable[[MainWindow], bool]]:
    return {
        "left": lambda w: w.store.trace(Side.LEFT) is not None,
        "right": lambda w: w.store.trace(Side.RIGHT) is not None,
        "any_trace": lambda w: bool(w.store.paths()),
        "both": lambda w: w.store.both() is not None,
        "ready": lambda w: w.store.both() is not None and not w.tasks.running,
        "compared": lambda w: w.store.comparison is not None,
        "differs": lambda w: (
            w.store.comparison is not None and len(w.store.comparison.divergences) > 0
        ),
        "can_cancel": lambda w: w.tasks.running or w.pinning.begun,
        "row_selected": lambda w: w.shown.place is not None,
        "op_meant": lambda w: w.shown.meant() is not None,
        "in_scope": lambda w: bool(w.judging.scope()),
        "both_selected": lambda w: all(map(w.judging.has_selected, Side)),
        "has_first": lambda w: len(w.store.visible) > 0,
        "at_difference": lambda w: w.shown.difference() is not None,
        "has_hint": lambda w: w.store.anchor_hint() is not None,
        "has_value_difference": lambda w: w.store.first_value_difference() is not None,
        "has_source": lambda w: w.showing.frame() is not None,
        "search_hits": lambda w: w.search.any,
        "pinned": lambda w: w.pinning.here() is not None,
        "pin_can_end": lambda w: w.pinning.can_match(),
        "can_undo": lambda w: w.undoing.history.undo_label() is not None,
        "can_redo": lambda w: w.undoing.history.redo_label() is not None,
        "can_go_back": lambda w: w.jumps.has_past,
        "can_go_forward": lambda w: w.jumps.has_future,
    }


FACTS = _facts()
"""What may hold of a window, by the names that rows of the table ask for."""


def translated(text: str) -> str:
    """A text of the table in the window's language."""
    return QCoreApplication.translate(CONTEXT, text)


def plain(text: str) -> str:
    """A text without the mark of its Alt key: ``&File``, or ``文件(&F)`` as Chinese writes it."""
    return _ALT_KEY.sub("", text)


def N_(context: str, text: str) -> str:
    """Mark a text for the translators, as gettext does; it is translated when it is shown."""
    return text


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action; text and tip are English and translated in the context ``Actions``."""

    name: str
    keys: tuple[str, ...]
    text: str
    tip: str
    does: Callable[[MainWindow], object] | None = None
    needs: str = ""
    """The :data:`FACTS` that must hold for it to be possible."""
    sets: Callable[[MainWindow, bool], object] | None = None
    """What a switch does, in place of the former."""
    checkable: bool = False
    group: str = ""
    """Actions of one group exclude each other; they share a sub-menu of that name."""
    separated: bool = False
    """Whether a line sets it apart from the one before it in the menu."""

    def enabled(self, now: Mapping[str, bool]) -> bool:
        """Whether it is possible now."""
        return all(now[fact] for fact in self.needs.split())

    def trigger(self, window: MainWindow, on: bool) -> None:
        """Do it."""
        if self.sets is not None:
            self.sets(window, on)
        elif self.does is not None:
            self.does(window)


@dataclass(frozen=True, slots=True)
class MenuSpec:
    """A menu of the bar: its actions in their order."""

    name: str
    title: str
    actions: tuple[ActionSpec, ...]


class Actions(QObject):
    """All actions by name (``actions["compareUp"]``); the object name adds ``Action``."""

    def __init__(self, menus: Iterable[MenuSpec], window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.menus = tuple(menus)
        self.specs = tuple(spec for menu in self.menus for spec in menu.actions)
        self._actions: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._titles: list[tuple[QMenu, str]] = []
        for spec in self.specs:
            action = QAction(window)
            action.setObjectName(f"{spec.name}Action")
            action.setShortcuts([QKeySequence(key) for key in spec.keys])
            action.setCheckable(spec.checkable or spec.sets is not None)
            action.triggered.connect(lambda on=False, spec=spec: spec.trigger(window, on))
            if spec.group:
                group = self._groups.setdefault(spec.group, QActionGroup(window))
                group.addAction(action)
            # On the window as well as in a menu: its key works wherever the focus is.
            window.addAction(action)
            self._actions[spec.name] = action
        self.retranslate()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def refresh(self) -> None:
        """Enable what is possible now."""
        now = {name: holds(self._window) for name, holds in FACTS.items()}
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

    def popup(self, names: Sequence[str], at: QPoint, menu: QMenu | None = None) -> None:
        """Open a menu of some actions, below what it holds; an empty name is a line between."""
        menu = menu or QMenu(self._window)
        for name in names:
            if name:
                menu.addAction(self._actions[name])
            else:
                menu.addSeparator()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

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


def enter(field: QLineEdit) -> None:
    """Go to a field, ready to type something else."""
    field.setFocus()
    field.selectAll()


ButtonT = TypeVar("ButtonT", bound=QAbstractButton)


def bind(button: ButtonT, action: QAction, object_name: str) -> ButtonT:
    """Let a button stand for an action; its own text, often a mere sign, is kept."""
    button.setObjectName(object_name)

    def follow() -> None:
        button.setEnabled(action.isEnabled())
        button.setToolTip(action.toolTip())
        button.setAccessibleName(plain(action.text()))
        button.setAccessibleDescription(action.statusTip())

    action.changed.connect(follow)
    button.clicked.connect(action.trigger)
    follow()
    return button
