"""The actions that features of the window bring along, and where they stand in the menus."""

from __future__ import annotations

from collections.abc import Callable

from opdiff.ui.action_spec import EDIT, GO, HELP, QT_TRANSLATE_NOOP, VIEW, ActionSpec
from opdiff.ui.situation import Situation


def _can(name: str) -> Callable[[Situation], bool]:
    """Whether the feature says that it is possible."""
    return lambda now: name in now.possible


_TRAVEL = (
    ActionSpec(
        "goBack",
        GO,
        QT_TRANSLATE_NOOP("Actions", "&Back"),
        QT_TRANSLATE_NOOP("Actions", "Go back to where you were before the last jump"),
        ("Alt+Left",),
        _can("goBack"),
    ),
    ActionSpec(
        "goForward",
        GO,
        QT_TRANSLATE_NOOP("Actions", "For&ward"),
        QT_TRANSLATE_NOOP("Actions", "Go again to where you came back from"),
        ("Alt+Right",),
        _can("goForward"),
    ),
)

_SOURCES = (
    ActionSpec(
        "goSource",
        GO,
        QT_TRANSLATE_NOOP("Actions", "&Source"),
        QT_TRANSLATE_NOOP("Actions", "Move to the lines of your code the pair comes from"),
        ("Ctrl+8",),
        lambda now: now.left or now.right,
    ),
    ActionSpec(
        "openSource",
        GO,
        QT_TRANSLATE_NOOP("Actions", "&Open source in the editor"),
        QT_TRANSLATE_NOOP("Actions", "Open the line of your code the op comes from"),
        ("S",),
        _can("openSource"),
        separated=True,
    ),
    ActionSpec(
        "locateSource",
        GO,
        QT_TRANSLATE_NOOP("Actions", "&Where is this source?…"),
        QT_TRANSLATE_NOOP("Actions", "Say where the sources of the trace are on this machine"),
        ("Ctrl+Alt+S",),
        _can("locateSource"),
    ),
)

_NOTES = (
    ActionSpec(
        "notes",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "All n&otes…"),
        QT_TRANSLATE_NOOP("Actions", "List, show, change and remove the notes"),
        ("Ctrl+Shift+T",),
        lambda now: "save" in now.possible,
    ),
)

_SHARING = (
    ActionSpec(
        "copyDifference",
        EDIT,
        QT_TRANSLATE_NOOP("Actions", "Copy difference as &Markdown"),
        QT_TRANSLATE_NOOP("Actions", "Copy this difference with the source of both sides"),
        ("Ctrl+Alt+C",),
        _can("copyDifference"),
    ),
)

_PANELS = (
    ActionSpec(
        "showDifferences",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "L&ist of differences"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the list of differences"),
        ("Ctrl+Alt+3",),
        checkable=True,
        separated=True,
    ),
    ActionSpec(
        "showDetails",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Details and source"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the details and the source"),
        ("Ctrl+Alt+4",),
        checkable=True,
    ),
    ActionSpec(
        "showDataflow",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Dataflo&w"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the dataflow"),
        ("Ctrl+Alt+5",),
        checkable=True,
    ),
    ActionSpec(
        "panesOnly",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Panes only"),
        QT_TRANSLATE_NOOP("Actions", "Hide all panels, or bring them back"),
        ("F11",),
    ),
    ActionSpec(
        "resetLayout",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "&Reset layout"),
        QT_TRANSLATE_NOOP("Actions", "Show all panels, as large as at first"),
        ("Ctrl+Alt+0",),
    ),
)

_PALETTE = (
    ActionSpec(
        "palette",
        GO,
        QT_TRANSLATE_NOOP("Actions", "An&ywhere…"),
        QT_TRANSLATE_NOOP("Actions", "Find an action, a line, a function or a difference"),
        ("Ctrl+P",),
    ),
)

_HELP = (
    ActionSpec(
        "legend",
        HELP,
        QT_TRANSLATE_NOOP("Actions", "Signs and &colours"),
        QT_TRANSLATE_NOOP("Actions", "What every sign and colour means"),
        ("Shift+F1",),
    ),
)

BEFORE: dict[str, tuple[ActionSpec, ...]] = {
    "search": _SHARING,
    "compareUp": _NOTES,
    "goLeftAnchor": _TRAVEL,
    "foldEqual": _SOURCES,
    "zoomIn": _PANELS,
    "nextDifference": _PALETTE,
    "about": _HELP,
}
"""Which of them stand before which other action."""
