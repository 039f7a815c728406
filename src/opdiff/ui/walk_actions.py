"""The actions that go from difference to difference."""

from __future__ import annotations

from opdiff.ui.action_spec import GO, QT_TRANSLATE_NOOP, VIEW, ActionSpec
from opdiff.ui.situation import Situation


def _any_listed(now: Situation) -> bool:
    return now.has_first


WALK_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "nextDifference",
        GO,
        QT_TRANSLATE_NOOP("Actions", "&Next difference"),
        QT_TRANSLATE_NOOP("Actions", "Go to the next difference, in the order of the list"),
        ("N", "Alt+Down"),
        _any_listed,
    ),
    ActionSpec(
        "previousDifference",
        GO,
        QT_TRANSLATE_NOOP("Actions", "&Previous difference"),
        QT_TRANSLATE_NOOP("Actions", "Go to the previous difference, in the order of the list"),
        ("P", "Alt+Up"),
        _any_listed,
    ),
    ActionSpec(
        "nextGroup",
        GO,
        QT_TRANSLATE_NOOP("Actions", "Next &group"),
        QT_TRANSLATE_NOOP("Actions", "Go to the first difference of the next group"),
        ("G",),
        _any_listed,
    ),
    ActionSpec(
        "previousGroup",
        GO,
        QT_TRANSLATE_NOOP("Actions", "Previo&us group"),
        QT_TRANSLATE_NOOP("Actions", "Go to the first difference of the previous group"),
        ("Shift+G",),
        _any_listed,
    ),
    ActionSpec(
        "nextRoot",
        GO,
        QT_TRANSLATE_NOOP("Actions", "Next r&oot"),
        QT_TRANSLATE_NOOP("Actions", "Go to the next group that nothing upstream explains"),
        ("R",),
        _any_listed,
    ),
    ActionSpec(
        "previousRoot",
        GO,
        QT_TRANSLATE_NOOP("Actions", "Previous roo&t"),
        QT_TRANSLATE_NOOP("Actions", "Go to the previous group that nothing upstream explains"),
        ("Shift+R",),
        _any_listed,
    ),
    ActionSpec(
        "firstDifference",
        GO,
        QT_TRANSLATE_NOOP("Actions", "&First difference from the anchor"),
        QT_TRANSLATE_NOOP("Actions", "Go to the difference nearest the anchor"),
        ("Alt+Home",),
        _any_listed,
    ),
    ActionSpec(
        "firstValueDifference",
        GO,
        QT_TRANSLATE_NOOP("Actions", "First difference in &value"),
        QT_TRANSLATE_NOOP("Actions", "Go to the first op that differs in value"),
        ("V",),
        lambda now: now.has_value_difference,
    ),
    ActionSpec(
        "goToCause",
        GO,
        QT_TRANSLATE_NOOP("Actions", "Go to the &cause"),
        QT_TRANSLATE_NOOP("Actions", "Go to the difference that explains this one"),
        ("B",),
        lambda now: now.at_difference,
    ),
)

ORDER_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "nearestFirst",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "Nearest the anch&or first"),
        QT_TRANSLATE_NOOP(
            "Actions", "List and walk by distance from the anchor, or again by cause"
        ),
        ("O",),
        checkable=True,
    ),
)
