"""The actions that features of the window bring along, and where they stand in the menus."""

from __future__ import annotations

from collections.abc import Callable

from opdiff.ui.action_spec import GO, QT_TRANSLATE_NOOP, ActionSpec
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

BEFORE: dict[str, tuple[ActionSpec, ...]] = {
    "goLeftAnchor": _TRAVEL,
}
"""Which of them stand before which other action."""
