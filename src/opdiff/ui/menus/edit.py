"""The menu of what is copied, searched, undone and noted."""

from __future__ import annotations

from opdiff.ui.menus.spec import QT_TRANSLATE_NOOP, ActionSpec, any_trace, can, row_selected

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "undo",
        QT_TRANSLATE_NOOP("Actions", "&Undo"),
        QT_TRANSLATE_NOOP("Actions", "Take the last decision back"),
        ("Ctrl+Z",),
        can("undo"),
    ),
    ActionSpec(
        "redo",
        QT_TRANSLATE_NOOP("Actions", "&Redo"),
        QT_TRANSLATE_NOOP("Actions", "Bring back what was undone"),
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        can("redo"),
    ),
    ActionSpec(
        "copyRow",
        QT_TRANSLATE_NOOP("Actions", "&Copy row"),
        QT_TRANSLATE_NOOP("Actions", "Copy the selected row as text"),
        ("Ctrl+C",),
        row_selected,
    ),
    ActionSpec(
        "copyCommand",
        QT_TRANSLATE_NOOP("Actions", "Copy as command &line"),
        QT_TRANSLATE_NOOP("Actions", "Copy a command that opens this view at the selected op"),
        ("Ctrl+Shift+C",),
        lambda now: now.left and now.right,
    ),
    ActionSpec(
        "copyDifference",
        QT_TRANSLATE_NOOP("Actions", "Copy difference as &Markdown"),
        QT_TRANSLATE_NOOP("Actions", "Copy this difference with the source of both sides"),
        ("Ctrl+Alt+C",),
        can("copyDifference"),
    ),
    ActionSpec(
        "search",
        QT_TRANSLATE_NOOP("Actions", "&Search"),
        QT_TRANSLATE_NOOP("Actions", "Search op, scope, function, %id or line"),
        ("Ctrl+F",),
        any_trace,
        separated=True,
    ),
    ActionSpec(
        "searchNext",
        QT_TRANSLATE_NOOP("Actions", "Next &hit"),
        QT_TRANSLATE_NOOP("Actions", "Go to the next row that the search finds"),
        ("F3",),
        lambda now: now.search_hits,
    ),
    ActionSpec(
        "searchPrevious",
        QT_TRANSLATE_NOOP("Actions", "Previous h&it"),
        QT_TRANSLATE_NOOP("Actions", "Go to the previous row that the search finds"),
        ("Shift+F3",),
        lambda now: now.search_hits,
    ),
    ActionSpec(
        "noteDifference",
        QT_TRANSLATE_NOOP("Actions", "&Note on this difference…"),
        QT_TRANSLATE_NOOP("Actions", "Write down what you know of this difference"),
        ("T",),
        can("judge"),
        separated=True,
    ),
    ActionSpec(
        "noteGroup",
        QT_TRANSLATE_NOOP("Actions", "Note on this &group…"),
        QT_TRANSLATE_NOOP("Actions", "Write down what you know of all differences of this group"),
        ("Shift+T",),
        can("judge"),
    ),
    ActionSpec(
        "notes",
        QT_TRANSLATE_NOOP("Actions", "All n&otes…"),
        QT_TRANSLATE_NOOP("Actions", "List, show, change and remove the notes"),
        ("Ctrl+Shift+T",),
        can("save"),
    ),
)
