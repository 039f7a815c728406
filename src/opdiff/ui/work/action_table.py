"""The actions of an investigation, and where they stand among the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from opdiff.ui import action_table, feature_actions
from opdiff.ui.action_spec import COMPARE, EDIT, FILE, QT_TRANSLATE_NOOP, VIEW, ActionSpec
from opdiff.ui.situation import Situation
from opdiff.ui.structure import action_table as structure


def _can(name: str) -> Callable[[Situation], bool]:
    """Whether the bench says that it is possible."""
    return lambda now: name in now.possible


MARK_GROUP_ROWS = ("ignoreOp", "ignoreType", "ignoreScope", "", "equivalentHere", "equivalentRule")
ROW_MENU = ("", "pinAdd", "pinMatch", "pinMove", "pinRemove", "pinAlone", "", *MARK_GROUP_ROWS)
"""What the menu of a row offers besides; an empty name is a line between."""
DIFFERENCE_MENU = (
    "noteDifference",
    "noteGroup",
    "",
    "knownGroup",
    "knownKind",
    "",
    *MARK_GROUP_ROWS,
)

_FILE_ACTIONS = (
    ActionSpec(
        "openSession",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Open sess&ion…"),
        QT_TRANSLATE_NOOP("Actions", "Open a saved investigation"),
        ("Ctrl+Alt+O",),
        separated=True,
    ),
    ActionSpec(
        "saveSession",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Save session"),
        QT_TRANSLATE_NOOP("Actions", "Save anchors, pins, rules, filters and notes"),
        ("Ctrl+S",),
        _can("save"),
    ),
    ActionSpec(
        "saveSessionAs",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Save session &as…"),
        QT_TRANSLATE_NOOP("Actions", "Save the investigation under another name"),
        ("Ctrl+Shift+S",),
        _can("save"),
    ),
    ActionSpec(
        "export",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "&Export…"),
        QT_TRANSLATE_NOOP("Actions", "Write a report or a picture of what is shown"),
        ("Ctrl+Shift+E",),
        _can("export"),
        separated=True,
    ),
    ActionSpec(
        "reload",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Re&load"),
        QT_TRANSLATE_NOOP("Actions", "Read the traces again; anchors are found by content"),
        ("Ctrl+F5",),
        _can("save"),
    ),
    ActionSpec(
        "msprobeResult",
        FILE,
        QT_TRANSLATE_NOOP("Actions", "Open &msprobe's result…"),
        QT_TRANSLATE_NOOP("Actions", "Mark the rows that msprobe's own compare flagged"),
        ("Ctrl+Alt+M",),
        _can("save"),
    ),
)

_EDIT_ACTIONS = (
    ActionSpec(
        "undo",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Undo"),
        QT_TRANSLATE_NOOP("Actions", "Take the last decision back"),
        ("Ctrl+Z",),
        _can("undo"),
    ),
    ActionSpec(
        "redo",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Redo"),
        QT_TRANSLATE_NOOP("Actions", "Bring back what was undone"),
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        _can("redo"),
    ),
)

_NOTE_ACTIONS = (
    ActionSpec(
        "noteDifference",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "&Note on this difference…"),
        QT_TRANSLATE_NOOP("Actions", "Write down what you know of this difference"),
        ("T",),
        _can("judge"),
        separated=True,
    ),
    ActionSpec(
        "noteGroup",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Note on this &group…"),
        QT_TRANSLATE_NOOP("Actions", "Write down what you know of all differences of this group"),
        ("Shift+T",),
        _can("judge"),
    ),
)

_COMPARE_ACTIONS = (
    ActionSpec(
        "pinAdd",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "&Pin this op…"),
        QT_TRANSLATE_NOOP("Actions", "Begin a pin: this op is the same as one on the other side"),
        ("M",),
        _can("row"),
        separated=True,
    ),
    ActionSpec(
        "pinMatch",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "…&with this op"),
        QT_TRANSLATE_NOOP("Actions", "End the pin, or its move, at the selected row"),
        ("Shift+M",),
        _can("pinMatch"),
    ),
    ActionSpec(
        "pinMove",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "&Move this pin…"),
        QT_TRANSLATE_NOOP("Actions", "Put this end of the pin on another op"),
        ("Alt+M",),
        _can("pinned"),
    ),
    ActionSpec(
        "pinRemove",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "&Remove this pin"),
        QT_TRANSLATE_NOOP("Actions", "Take the pin of the selected op out"),
        ("Ctrl+Shift+M",),
        _can("pinned"),
    ),
    ActionSpec(
        "pinAlone",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "This op has no &counterpart"),
        QT_TRANSLATE_NOOP(
            "Actions", "Say that nothing on the other side matches it, or take it back"
        ),
        ("Ctrl+M",),
        _can("row"),
    ),
    ActionSpec(
        "ignoreOp",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "&Ignore these very ops"),
        QT_TRANSLATE_NOOP("Actions", "The selected ops are no difference"),
        ("I",),
        _can("row"),
        separated=True,
    ),
    ActionSpec(
        "ignoreType",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "Ignore this op &type"),
        QT_TRANSLATE_NOOP("Actions", "A rule: ops of this type are no difference anywhere"),
        ("Shift+I",),
        _can("row"),
    ),
    ActionSpec(
        "ignoreScope",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "Ignore this &scope"),
        QT_TRANSLATE_NOOP("Actions", "A rule: ops of this scope are no difference"),
        ("Ctrl+I",),
        _can("scope"),
    ),
    ActionSpec(
        "equivalentHere",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "E&quivalent here"),
        QT_TRANSLATE_NOOP("Actions", "The ops selected on both sides do the same work, here"),
        ("E",),
        _can("both"),
    ),
    ActionSpec(
        "equivalentRule",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "Equivalent &everywhere"),
        QT_TRANSLATE_NOOP("Actions", "A rule: such ops do the same work wherever they occur"),
        ("Shift+E",),
        _can("both"),
    ),
    ActionSpec(
        "knownGroup",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "This group is &known"),
        QT_TRANSLATE_NOOP("Actions", "Grey this group out, or bring it back"),
        ("K",),
        _can("judge"),
        checkable=True,
        separated=True,
    ),
    ActionSpec(
        "knownKind",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "This kind is k&nown"),
        QT_TRANSLATE_NOOP("Actions", "Grey all differences of this kind out, or bring them back"),
        ("Shift+K",),
        _can("judge"),
        checkable=True,
    ),
    ActionSpec(
        "marks",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "Pins and &ignored ops…"),
        QT_TRANSLATE_NOOP("Actions", "List and remove pins, ignored and equivalent ops"),
        ("Ctrl+Shift+P",),
        _can("save"),
        separated=True,
    ),
    ActionSpec(
        "rules",
        COMPARE,
        QT_TRANSLATE_NOOP("Actions", "R&ules…"),
        QT_TRANSLATE_NOOP("Actions", "Edit, load and save the rules"),
        ("Ctrl+U",),
    ),
)

_VIEW_ACTIONS = (
    ActionSpec(
        "showSwallowed",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Show what r&ules took away"),
        QT_TRANSLATE_NOOP("Actions", "Show again what rules and requests made vanish"),
        ("Ctrl+J",),
        checkable=True,
    ),
)

_BEFORE = {
    "quit": _FILE_ACTIONS,
    "copyRow": _EDIT_ACTIONS,
    "compareUp": _NOTE_ACTIONS,
    "nextDifference": _COMPARE_ACTIONS,
    "foldEqual": (*structure.GO_ACTIONS, *structure.VIEW_ACTIONS),
    "zoomIn": _VIEW_ACTIONS,
}
"""Which actions stand before which other one in the menus."""


def _merged(others: Iterable[ActionSpec]) -> Iterator[ActionSpec]:
    for spec in others:
        yield from _BEFORE.get(spec.name, ())
        yield from feature_actions.BEFORE.get(spec.name, ())
        yield spec


ALL_ACTIONS: tuple[ActionSpec, ...] = tuple(_merged(action_table.ACTIONS))
