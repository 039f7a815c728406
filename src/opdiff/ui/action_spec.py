"""What is said of an action: its place, its words, its keys and when it is possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from opdiff.ui.situation import Situation


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark a text for the translators, by the name their tool looks for; translated when shown."""
    return text


FILE, EDIT, COMPARE, GO, VIEW, HELP = "file", "edit", "compare", "go", "view", "help"
MENUS: tuple[tuple[str, str], ...] = (
    (FILE, QT_TRANSLATE_NOOP("Actions", "&File")),
    (EDIT, QT_TRANSLATE_NOOP("Actions", "&Edit")),
    (COMPARE, QT_TRANSLATE_NOOP("Actions", "&Compare")),
    (GO, QT_TRANSLATE_NOOP("Actions", "&Go")),
    (VIEW, QT_TRANSLATE_NOOP("Actions", "&View")),
    (HELP, QT_TRANSLATE_NOOP("Actions", "&Help")),
)


def always(_: Situation) -> bool:
    """Possible at any time."""
    return True


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action; text and tip are English and translated in the context ``Actions``."""

    name: str
    menu: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    enabled: Callable[[Situation], bool] = always
    checkable: bool = False
    group: str = ""
    """Actions of one group exclude each other; they share a sub-menu of that name."""
    separated: bool = False
    """Whether a line sets it apart from the one before it in the menu."""
