"""The menu of what is shown, and how it looks."""

from __future__ import annotations

from opdiff.ui.menus.spec import QT_TRANSLATE_NOOP, ActionSpec

THEME_GROUP = QT_TRANSLATE_NOOP("Actions", "&Theme")
LANGUAGE_GROUP = QT_TRANSLATE_NOOP("Actions", "&Language")

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "showStructure",
        QT_TRANSLATE_NOOP("Actions", "S&tructure beside the panes"),
        QT_TRANSLATE_NOOP("Actions", "Show what the traces are made of, and which layers differ"),
        ("Ctrl+Alt+6",),
        checkable=True,
    ),
    ActionSpec(
        "foldEqual",
        QT_TRANSLATE_NOOP("Actions", "&Fold equal"),
        QT_TRANSLATE_NOOP("Actions", "Fold long stretches of equal ops to one row"),
        ("Ctrl+E",),
        checkable=True,
    ),
    ActionSpec(
        "hideNoise",
        QT_TRANSLATE_NOOP("Actions", "&Hide noise"),
        QT_TRANSLATE_NOOP("Actions", "Hide workspace, parameters, constants and bookkeeping"),
        ("Ctrl+H",),
        checkable=True,
    ),
    ActionSpec(
        "alignRows",
        QT_TRANSLATE_NOOP("Actions", "&Aligned"),
        QT_TRANSLATE_NOOP("Actions", "Keep counterparts at the same height while scrolling"),
        ("Ctrl+G",),
        checkable=True,
    ),
    ActionSpec(
        "followScrolling",
        QT_TRANSLATE_NOOP("Actions", "Brin&g the other side along"),
        QT_TRANSLATE_NOOP("Actions", "Where not aligned: scroll to the counterparts as well"),
        ("Ctrl+Shift+G",),
        checkable=True,
    ),
    ActionSpec(
        "hideKnown",
        QT_TRANSLATE_NOOP("Actions", "Hide &known renames"),
        QT_TRANSLATE_NOOP("Actions", "Leave out names that are known to do the same job"),
        ("Ctrl+K",),
        checkable=True,
    ),
    ActionSpec(
        "nearestFirst",
        QT_TRANSLATE_NOOP("Actions", "Nearest the anch&or first"),
        QT_TRANSLATE_NOOP(
            "Actions", "List and walk by distance from the anchor, or again by cause"
        ),
        ("O",),
        checkable=True,
    ),
    ActionSpec(
        "showSwallowed",
        QT_TRANSLATE_NOOP("Actions", "Show what r&ules took away"),
        QT_TRANSLATE_NOOP("Actions", "Show again what rules and requests made vanish"),
        ("Ctrl+J",),
        checkable=True,
    ),
    ActionSpec(
        "showDifferences",
        QT_TRANSLATE_NOOP("Actions", "L&ist of differences"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the list of differences"),
        ("Ctrl+Alt+3",),
        checkable=True,
        separated=True,
    ),
    ActionSpec(
        "showDetails",
        QT_TRANSLATE_NOOP("Actions", "&Details and source"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the details and the source"),
        ("Ctrl+Alt+4",),
        checkable=True,
    ),
    ActionSpec(
        "showDataflow",
        QT_TRANSLATE_NOOP("Actions", "Dataflo&w"),
        QT_TRANSLATE_NOOP("Actions", "Show or hide the dataflow"),
        ("Ctrl+Alt+5",),
        checkable=True,
    ),
    ActionSpec(
        "panesOnly",
        QT_TRANSLATE_NOOP("Actions", "&Panes only"),
        QT_TRANSLATE_NOOP("Actions", "Hide all panels, or bring them back"),
        ("F11",),
    ),
    ActionSpec(
        "resetLayout",
        QT_TRANSLATE_NOOP("Actions", "&Reset layout"),
        QT_TRANSLATE_NOOP("Actions", "Show all panels, as large as at first"),
        ("Ctrl+Alt+0",),
    ),
    ActionSpec(
        "zoomIn",
        QT_TRANSLATE_NOOP("Actions", "&Larger text"),
        QT_TRANSLATE_NOOP("Actions", "Make the text larger"),
        ("Ctrl++", "Ctrl+="),
        separated=True,
    ),
    ActionSpec(
        "zoomOut",
        QT_TRANSLATE_NOOP("Actions", "&Smaller text"),
        QT_TRANSLATE_NOOP("Actions", "Make the text smaller"),
        ("Ctrl+-",),
    ),
    ActionSpec(
        "zoomReset",
        QT_TRANSLATE_NOOP("Actions", "&Normal text"),
        QT_TRANSLATE_NOOP("Actions", "Give the text its normal size again"),
        ("Ctrl+0",),
    ),
    ActionSpec(
        "themeSystem",
        QT_TRANSLATE_NOOP("Actions", "As the &system"),
        QT_TRANSLATE_NOOP("Actions", "Light or dark, as the system is"),
        ("Ctrl+F8",),
        checkable=True,
        group=THEME_GROUP,
        separated=True,
    ),
    ActionSpec(
        "themeLight",
        QT_TRANSLATE_NOOP("Actions", "&Light"),
        QT_TRANSLATE_NOOP("Actions", "Dark text on a light ground"),
        ("Ctrl+F9",),
        checkable=True,
        group=THEME_GROUP,
    ),
    ActionSpec(
        "themeDark",
        QT_TRANSLATE_NOOP("Actions", "&Dark"),
        QT_TRANSLATE_NOOP("Actions", "Light text on a dark ground"),
        ("Ctrl+F10",),
        checkable=True,
        group=THEME_GROUP,
    ),
    ActionSpec(
        "languageEnglish",
        QT_TRANSLATE_NOOP("Actions", "&English"),
        QT_TRANSLATE_NOOP("Actions", "Show the window in English"),
        ("Ctrl+F11",),
        checkable=True,
        group=LANGUAGE_GROUP,
    ),
    ActionSpec(
        "languageChinese",
        QT_TRANSLATE_NOOP("Actions", "&Chinese (中文)"),
        QT_TRANSLATE_NOOP("Actions", "Show the window in Chinese"),
        ("Ctrl+F12",),
        checkable=True,
        group=LANGUAGE_GROUP,
    ),
)
