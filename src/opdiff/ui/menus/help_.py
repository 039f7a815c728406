"""The menu of help."""

from __future__ import annotations

from opdiff.ui.actions import QT_TRANSLATE_NOOP, ActionSpec
from opdiff.ui.help_sheets import AboutDialog, CheatSheet, Legend


def actions() -> tuple[ActionSpec, ...]:
    """The rows, from top to bottom."""
    return (
        ActionSpec(
            "keys",
            QT_TRANSLATE_NOOP("Actions", "&Keys"),
            QT_TRANSLATE_NOOP("Actions", "All keys at a glance"),
            ("F1",),
            lambda w: CheatSheet(w.commands.menus, w).show(),
        ),
        ActionSpec(
            "legend",
            QT_TRANSLATE_NOOP("Actions", "Signs and &colours"),
            QT_TRANSLATE_NOOP("Actions", "What every sign and colour means"),
            ("Shift+F1",),
            lambda w: Legend(w).show(),
        ),
        ActionSpec(
            "about",
            QT_TRANSLATE_NOOP("Actions", "&About opdiff"),
            QT_TRANSLATE_NOOP("Actions", "Version and licence"),
            ("Ctrl+F1",),
            lambda w: AboutDialog(w).show(),
        ),
    )
