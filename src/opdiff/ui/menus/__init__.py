"""Every action of the window, a table a menu: menus, keys, the list of keys and the palette."""

from __future__ import annotations

from opdiff.ui.actions import QT_TRANSLATE_NOOP, ActionSpec, MenuSpec
from opdiff.ui.menus import compare, edit, file, go, help_, view

MENUS: tuple[MenuSpec, ...] = (
    MenuSpec("file", QT_TRANSLATE_NOOP("Actions", "&File"), file.actions()),
    MenuSpec("edit", QT_TRANSLATE_NOOP("Actions", "&Edit"), edit.actions()),
    MenuSpec("compare", QT_TRANSLATE_NOOP("Actions", "&Compare"), compare.actions()),
    MenuSpec("go", QT_TRANSLATE_NOOP("Actions", "&Go"), go.actions()),
    MenuSpec("view", QT_TRANSLATE_NOOP("Actions", "&View"), view.actions()),
    MenuSpec("help", QT_TRANSLATE_NOOP("Actions", "&Help"), help_.actions()),
)
ALL_ACTIONS: tuple[ActionSpec, ...] = tuple(spec for menu in MENUS for spec in menu.actions)
