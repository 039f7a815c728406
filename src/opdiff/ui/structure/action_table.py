"""What the window offers about structure."""

from __future__ import annotations

from opdiff.ui.action_spec import GO, QT_TRANSLATE_NOOP, VIEW, ActionSpec

GO_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "goStructure",
        GO,
        QT_TRANSLATE_NOOP("Actions", "&Structure"),
        QT_TRANSLATE_NOOP("Actions", "Move to the tree of phases, layers and functions"),
        ("Ctrl+6",),
        lambda now: now.left or now.right,
    ),
    ActionSpec(
        "goSummary",
        GO,
        QT_TRANSLATE_NOOP("Actions", "La&yers"),
        QT_TRANSLATE_NOOP("Actions", "Move to the table of layers and kinds"),
        ("Ctrl+7",),
        lambda now: now.compared,
    ),
)

VIEW_ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "showStructure",
        VIEW,
        QT_TRANSLATE_NOOP("Actions", "S&tructure beside the panes"),
        QT_TRANSLATE_NOOP("Actions", "Show what the traces are made of, and which layers differ"),
        ("Ctrl+Alt+6",),
        checkable=True,
    ),
)
