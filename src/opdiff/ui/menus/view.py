"""The menu of what is shown, and how it looks."""

from __future__ import annotations

from opdiff.ui.actions import QT_TRANSLATE_NOOP, ActionSpec

THEME_GROUP = QT_TRANSLATE_NOOP("Actions", "&Theme")
LANGUAGE_GROUP = QT_TRANSLATE_NOOP("Actions", "&Language")
ROW_SWITCHES = ("foldEqual", "hideNoise", "alignRows")
"""How rows are shown: also boxes beside the chips, and kept in sessions."""


def actions() -> tuple[ActionSpec, ...]:
    """The rows, from top to bottom."""
    return (
        ActionSpec(
            "showStructure",
            QT_TRANSLATE_NOOP("Actions", "S&tructure beside the panes"),
            QT_TRANSLATE_NOOP(
                "Actions", "Show what the traces are made of, and which layers differ"
            ),
            ("Ctrl+Alt+6",),
            sets=lambda w, on: w.handlers.show_structure(on),
        ),
        ActionSpec(
            "foldEqual",
            QT_TRANSLATE_NOOP("Actions", "&Fold equal"),
            QT_TRANSLATE_NOOP("Actions", "Fold long stretches of equal ops to one row"),
            ("Ctrl+E",),
            sets=lambda w, on: w.frame.view.setFolded(on),
        ),
        ActionSpec(
            "hideNoise",
            QT_TRANSLATE_NOOP("Actions", "&Hide noise"),
            QT_TRANSLATE_NOOP("Actions", "Hide workspace, parameters, constants and bookkeeping"),
            ("Ctrl+H",),
            sets=lambda w, on: w.frame.view.setNoiseHidden(on),
        ),
        ActionSpec(
            "alignRows",
            QT_TRANSLATE_NOOP("Actions", "&Aligned"),
            QT_TRANSLATE_NOOP("Actions", "Keep counterparts at the same height while scrolling"),
            ("Ctrl+G",),
            sets=lambda w, on: w.frame.view.setAligned(on),
        ),
        ActionSpec(
            "followScrolling",
            QT_TRANSLATE_NOOP("Actions", "Brin&g the other side along"),
            QT_TRANSLATE_NOOP("Actions", "Where not aligned: scroll to the counterparts as well"),
            ("Ctrl+Shift+G",),
            sets=lambda w, on: w.frame.view.setFollowing(on),
        ),
        ActionSpec(
            "hideKnown",
            QT_TRANSLATE_NOOP("Actions", "Hide &known renames"),
            QT_TRANSLATE_NOOP("Actions", "Leave out names that are known to do the same job"),
            ("Ctrl+K",),
            sets=lambda w, on: w.handlers.hide_known(on),
        ),
        ActionSpec(
            "nearestFirst",
            QT_TRANSLATE_NOOP("Actions", "Nearest the anch&or first"),
            QT_TRANSLATE_NOOP(
                "Actions", "List and walk by distance from the anchor, or again by cause"
            ),
            ("O",),
            sets=lambda w, on: w.walking.by_distance(on),
        ),
        ActionSpec(
            "showSwallowed",
            QT_TRANSLATE_NOOP("Actions", "Show what r&ules took away"),
            QT_TRANSLATE_NOOP("Actions", "Show again what rules and requests made vanish"),
            ("Ctrl+J",),
            sets=lambda w, on: w.frame.view.setSwallowedShown(on),
        ),
        ActionSpec(
            "showDifferences",
            QT_TRANSLATE_NOOP("Actions", "L&ist of differences"),
            QT_TRANSLATE_NOOP("Actions", "Show or hide the list of differences"),
            ("Ctrl+Alt+3",),
            sets=lambda w, on: w.panels.set_shown("showDifferences", on),
            separated=True,
        ),
        ActionSpec(
            "showDetails",
            QT_TRANSLATE_NOOP("Actions", "&Details and source"),
            QT_TRANSLATE_NOOP("Actions", "Show or hide the details and the source"),
            ("Ctrl+Alt+4",),
            sets=lambda w, on: w.panels.set_shown("showDetails", on),
        ),
        ActionSpec(
            "showDataflow",
            QT_TRANSLATE_NOOP("Actions", "Dataflo&w"),
            QT_TRANSLATE_NOOP("Actions", "Show or hide the dataflow"),
            ("Ctrl+Alt+5",),
            sets=lambda w, on: w.panels.set_shown("showDataflow", on),
        ),
        ActionSpec(
            "panesOnly",
            QT_TRANSLATE_NOOP("Actions", "&Panes only"),
            QT_TRANSLATE_NOOP("Actions", "Hide all panels, or bring them back"),
            ("F11",),
            lambda w: w.panels.panes_only(),
        ),
        ActionSpec(
            "resetLayout",
            QT_TRANSLATE_NOOP("Actions", "&Reset layout"),
            QT_TRANSLATE_NOOP("Actions", "Show all panels, as large as at first"),
            ("Ctrl+Alt+0",),
            lambda w: w.panels.reset(),
        ),
        ActionSpec(
            "zoomIn",
            QT_TRANSLATE_NOOP("Actions", "&Larger text"),
            QT_TRANSLATE_NOOP("Actions", "Make the text larger"),
            ("Ctrl++", "Ctrl+="),
            lambda w: w.handlers.zoom(1),
            separated=True,
        ),
        ActionSpec(
            "zoomOut",
            QT_TRANSLATE_NOOP("Actions", "&Smaller text"),
            QT_TRANSLATE_NOOP("Actions", "Make the text smaller"),
            ("Ctrl+-",),
            lambda w: w.handlers.zoom(-1),
        ),
        ActionSpec(
            "zoomReset",
            QT_TRANSLATE_NOOP("Actions", "&Normal text"),
            QT_TRANSLATE_NOOP("Actions", "Give the text its normal size again"),
            ("Ctrl+0",),
            lambda w: w.handlers.zoom(0),
        ),
        ActionSpec(
            "themeSystem",
            QT_TRANSLATE_NOOP("Actions", "As the &system"),
            QT_TRANSLATE_NOOP("Actions", "Light or dark, as the system is"),
            ("Ctrl+F8",),
            lambda w: w.appearance.choose_theme("system"),
            checkable=True,
            group=THEME_GROUP,
            separated=True,
        ),
        ActionSpec(
            "themeLight",
            QT_TRANSLATE_NOOP("Actions", "&Light"),
            QT_TRANSLATE_NOOP("Actions", "Dark text on a light ground"),
            ("Ctrl+F9",),
            lambda w: w.appearance.choose_theme("light"),
            checkable=True,
            group=THEME_GROUP,
        ),
        ActionSpec(
            "themeDark",
            QT_TRANSLATE_NOOP("Actions", "&Dark"),
            QT_TRANSLATE_NOOP("Actions", "Light text on a dark ground"),
            ("Ctrl+F10",),
            lambda w: w.appearance.choose_theme("dark"),
            checkable=True,
            group=THEME_GROUP,
        ),
        ActionSpec(
            "languageEnglish",
            QT_TRANSLATE_NOOP("Actions", "&English"),
            QT_TRANSLATE_NOOP("Actions", "Show the window in English"),
            ("Ctrl+F11",),
            lambda w: w.appearance.choose_language("en"),
            checkable=True,
            group=LANGUAGE_GROUP,
        ),
        ActionSpec(
            "languageChinese",
            QT_TRANSLATE_NOOP("Actions", "&Chinese (中文)"),
            QT_TRANSLATE_NOOP("Actions", "Show the window in Chinese"),
            ("Ctrl+F12",),
            lambda w: w.appearance.choose_language("zh"),
            checkable=True,
            group=LANGUAGE_GROUP,
        ),
    )
