"""The menu of files: traces, sessions and reports."""

from __future__ import annotations

from opdiff.ui.menus.spec import QT_TRANSLATE_NOOP, ActionSpec, can

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "openLeft",
        QT_TRANSLATE_NOOP("Actions", "Open &left…"),
        QT_TRANSLATE_NOOP("Actions", "Open a trace on the left side"),
        ("Ctrl+O",),
    ),
    ActionSpec(
        "openRight",
        QT_TRANSLATE_NOOP("Actions", "Open &right…"),
        QT_TRANSLATE_NOOP("Actions", "Open a trace on the right side"),
        ("Ctrl+Shift+O",),
    ),
    ActionSpec(
        "openSession",
        QT_TRANSLATE_NOOP("Actions", "Open sess&ion…"),
        QT_TRANSLATE_NOOP("Actions", "Open a saved investigation"),
        ("Ctrl+Alt+O",),
        separated=True,
    ),
    ActionSpec(
        "saveSession",
        QT_TRANSLATE_NOOP("Actions", "&Save session"),
        QT_TRANSLATE_NOOP("Actions", "Save anchors, pins, rules, filters and notes"),
        ("Ctrl+S",),
        can("save"),
    ),
    ActionSpec(
        "saveSessionAs",
        QT_TRANSLATE_NOOP("Actions", "Save session &as…"),
        QT_TRANSLATE_NOOP("Actions", "Save the investigation under another name"),
        ("Ctrl+Shift+S",),
        can("save"),
    ),
    ActionSpec(
        "export",
        QT_TRANSLATE_NOOP("Actions", "&Export…"),
        QT_TRANSLATE_NOOP("Actions", "Write a report or a picture of what is shown"),
        ("Ctrl+Shift+E",),
        can("export"),
        separated=True,
    ),
    ActionSpec(
        "reload",
        QT_TRANSLATE_NOOP("Actions", "Re&load"),
        QT_TRANSLATE_NOOP("Actions", "Read the traces again; anchors are found by content"),
        ("Ctrl+F5",),
        can("save"),
    ),
    ActionSpec(
        "msprobeResult",
        QT_TRANSLATE_NOOP("Actions", "Open &msprobe's result…"),
        QT_TRANSLATE_NOOP("Actions", "Mark the rows that msprobe's own compare flagged"),
        ("Ctrl+Alt+M",),
        can("save"),
    ),
    ActionSpec(
        "quit",
        QT_TRANSLATE_NOOP("Actions", "&Quit"),
        QT_TRANSLATE_NOOP("Actions", "Close the window"),
        ("Ctrl+Q",),
        separated=True,
    ),
)
