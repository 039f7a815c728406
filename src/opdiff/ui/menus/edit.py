"""The menu of what is copied, searched, undone and noted."""

from __future__ import annotations

from opdiff.ui.actions import QT_TRANSLATE_NOOP, ActionSpec, enter


def actions() -> tuple[ActionSpec, ...]:
    """The rows, from top to bottom."""
    return (
        ActionSpec(
            "undo",
            QT_TRANSLATE_NOOP("Actions", "&Undo"),
            QT_TRANSLATE_NOOP("Actions", "Take the last decision back"),
            ("Ctrl+Z",),
            lambda w: w.undoing.undo(),
            lambda now: now.can_undo,
        ),
        ActionSpec(
            "redo",
            QT_TRANSLATE_NOOP("Actions", "&Redo"),
            QT_TRANSLATE_NOOP("Actions", "Bring back what was undone"),
            ("Ctrl+Shift+Z", "Ctrl+Y"),
            lambda w: w.undoing.redo(),
            lambda now: now.can_redo,
        ),
        ActionSpec(
            "copyRow",
            QT_TRANSLATE_NOOP("Actions", "&Copy row"),
            QT_TRANSLATE_NOOP("Actions", "Copy the selected row as text"),
            ("Ctrl+C",),
            lambda w: w.handlers.copy_row(),
            lambda now: now.row_selected,
        ),
        ActionSpec(
            "copyCommand",
            QT_TRANSLATE_NOOP("Actions", "Copy as command &line"),
            QT_TRANSLATE_NOOP("Actions", "Copy a command that opens this view at the selected op"),
            ("Ctrl+Shift+C",),
            lambda w: w.sharing.copy_command(),
            lambda now: now.both,
        ),
        ActionSpec(
            "copyDifference",
            QT_TRANSLATE_NOOP("Actions", "Copy difference as &Markdown"),
            QT_TRANSLATE_NOOP("Actions", "Copy this difference with the source of both sides"),
            ("Ctrl+Alt+C",),
            lambda w: w.sharing.copy_difference(),
            lambda now: now.at_difference,
        ),
        ActionSpec(
            "search",
            QT_TRANSLATE_NOOP("Actions", "&Search"),
            QT_TRANSLATE_NOOP("Actions", "Search op, scope, function, %id or line"),
            ("Ctrl+F",),
            lambda w: enter(w.frame.top.search),
            lambda now: now.any_trace,
            separated=True,
        ),
        ActionSpec(
            "searchNext",
            QT_TRANSLATE_NOOP("Actions", "Next &hit"),
            QT_TRANSLATE_NOOP("Actions", "Go to the next row that the search finds"),
            ("F3",),
            lambda w: w.search.step(1),
            lambda now: now.search_hits,
        ),
        ActionSpec(
            "searchPrevious",
            QT_TRANSLATE_NOOP("Actions", "Previous h&it"),
            QT_TRANSLATE_NOOP("Actions", "Go to the previous row that the search finds"),
            ("Shift+F3",),
            lambda w: w.search.step(-1),
            lambda now: now.search_hits,
        ),
        ActionSpec(
            "noteDifference",
            QT_TRANSLATE_NOOP("Actions", "&Note on this difference…"),
            QT_TRANSLATE_NOOP("Actions", "Write down what you know of this difference"),
            ("T",),
            lambda w: w.noting.note_difference(),
            lambda now: now.at_difference,
            separated=True,
        ),
        ActionSpec(
            "noteGroup",
            QT_TRANSLATE_NOOP("Actions", "Note on this &group…"),
            QT_TRANSLATE_NOOP(
                "Actions", "Write down what you know of all differences of this group"
            ),
            ("Shift+T",),
            lambda w: w.noting.note_group(),
            lambda now: now.at_difference,
        ),
        ActionSpec(
            "notes",
            QT_TRANSLATE_NOOP("Actions", "All n&otes…"),
            QT_TRANSLATE_NOOP("Actions", "List, show, change and remove the notes"),
            ("Ctrl+Shift+T",),
            lambda w: w.noting.list_notes(),
            lambda now: now.both,
        ),
    )
