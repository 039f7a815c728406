"""Every action of the window, a table a menu: menus, keys, the list of keys and the palette."""

from __future__ import annotations

from opdiff.ui.actions import QT_TRANSLATE_NOOP, ActionSpec, MenuSpec
from opdiff.ui.menus import compare, edit, file, go, help_, view

MENUS: tuple[MenuSpec, ...] = (
    MenuSpec("file", QT_TRANSLATE_NOOP("Actions", "&File"), file.ACTIONS),
    MenuSpec("edit", QT_TRANSLATE_NOOP("Actions", "&Edit"), edit.ACTIONS),
    MenuSpec("compare", QT_TRANSLATE_NOOP("Actions", "&Compare"), compare.ACTIONS),
    MenuSpec("go", QT_TRANSLATE_NOOP("Actions", "&Go"), go.ACTIONS),
    MenuSpec("view", QT_TRANSLATE_NOOP("Actions", "&View"), view.ACTIONS),
    MenuSpec("help", QT_TRANSLATE_NOOP("Actions", "&Help"), help_.ACTIONS),
)
ALL_ACTIONS: tuple[ActionSpec, ...] = tuple(spec for menu in MENUS for spec in menu.actions)
