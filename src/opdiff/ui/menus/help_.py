"""The menu of help."""

from __future__ import annotations

from opdiff.ui.menus.spec import QT_TRANSLATE_NOOP, ActionSpec

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "keys",
        QT_TRANSLATE_NOOP("Actions", "&Keys"),
        QT_TRANSLATE_NOOP("Actions", "All keys at a glance"),
        ("F1",),
    ),
    ActionSpec(
        "legend",
        QT_TRANSLATE_NOOP("Actions", "Signs and &colours"),
        QT_TRANSLATE_NOOP("Actions", "What every sign and colour means"),
        ("Shift+F1",),
    ),
    ActionSpec(
        "about",
        QT_TRANSLATE_NOOP("Actions", "&About opdiff"),
        QT_TRANSLATE_NOOP("Actions", "Version and licence"),
        ("Ctrl+F1",),
    ),
)
