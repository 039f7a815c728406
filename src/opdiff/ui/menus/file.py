"""The menu of files: traces, sessions and reports."""

from __future__ import annotations

from opdiff.compare import Side
from opdiff.ui.actions import QT_TRANSLATE_NOOP, ActionSpec


def actions() -> tuple[ActionSpec, ...]:
    """The rows, from top to bottom."""
    return (
        ActionSpec(
            "openLeft",
            QT_TRANSLATE_NOOP("Actions", "Open &left…"),
            QT_TRANSLATE_NOOP("Actions", "Open a trace on the left side"),
            ("Ctrl+O",),
            lambda w: w.handlers.ask_for(Side.LEFT),
        ),
        ActionSpec(
            "openRight",
            QT_TRANSLATE_NOOP("Actions", "Open &right…"),
            QT_TRANSLATE_NOOP("Actions", "Open a trace on the right side"),
            ("Ctrl+Shift+O",),
            lambda w: w.handlers.ask_for(Side.RIGHT),
        ),
        ActionSpec(
            "openSession",
            QT_TRANSLATE_NOOP("Actions", "Open sess&ion…"),
            QT_TRANSLATE_NOOP("Actions", "Open a saved investigation"),
            ("Ctrl+Alt+O",),
            lambda w: w.sessions.ask_and_open(),
            separated=True,
        ),
        ActionSpec(
            "saveSession",
            QT_TRANSLATE_NOOP("Actions", "&Save session"),
            QT_TRANSLATE_NOOP("Actions", "Save anchors, pins, rules, filters and notes"),
            ("Ctrl+S",),
            lambda w: w.sessions.save(),
            lambda now: now.both,
        ),
        ActionSpec(
            "saveSessionAs",
            QT_TRANSLATE_NOOP("Actions", "Save session &as…"),
            QT_TRANSLATE_NOOP("Actions", "Save the investigation under another name"),
            ("Ctrl+Shift+S",),
            lambda w: w.sessions.save_as(),
            lambda now: now.both,
        ),
        ActionSpec(
            "export",
            QT_TRANSLATE_NOOP("Actions", "&Export…"),
            QT_TRANSLATE_NOOP("Actions", "Write a report or a picture of what is shown"),
            ("Ctrl+Shift+E",),
            lambda w: w.handlers.export(),
            lambda now: now.compared,
            separated=True,
        ),
        ActionSpec(
            "reload",
            QT_TRANSLATE_NOOP("Actions", "Reloa&d"),
            QT_TRANSLATE_NOOP("Actions", "Read the traces again; anchors are found by content"),
            ("Ctrl+F5",),
            lambda w: w.reloading.reload(),
            lambda now: now.both,
        ),
        ActionSpec(
            "msprobeResult",
            QT_TRANSLATE_NOOP("Actions", "Open &msprobe's result…"),
            QT_TRANSLATE_NOOP("Actions", "Mark the rows that msprobe's own compare flagged"),
            ("Ctrl+Alt+M",),
            lambda w: w.msprobe.ask_and_open(),
            lambda now: now.both,
        ),
        ActionSpec(
            "quit",
            QT_TRANSLATE_NOOP("Actions", "&Quit"),
            QT_TRANSLATE_NOOP("Actions", "Close the window"),
            ("Ctrl+Q",),
            lambda w: w.close(),
            separated=True,
        ),
    )
