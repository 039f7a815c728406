"""What is said of an action: its words, its keys and when it is possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from opdiff.ui.situation import Situation

Predicate = Callable[[Situation], bool]


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark a text for the translators, by the name their tool looks for; translated when shown."""
    return text


def always(_: Situation) -> bool:
    """Possible at any time."""
    return True


def any_trace(now: Situation) -> bool:
    """Something is open."""
    return now.left or now.right


def ready(now: Situation) -> bool:
    """Two traces are open and nothing is under way."""
    return now.both


def row_selected(now: Situation) -> bool:
    """A row of a pane is selected."""
    return now.row_selected


def any_listed(now: Situation) -> bool:
    """There is a difference to go to."""
    return now.has_first


def can(name: str) -> Predicate:
    """The part of the window that does it says that it is possible."""
    return lambda now: name in now.possible


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action; text and tip are English and translated in the context ``Actions``."""

    name: str
    text: str
    tip: str
    keys: tuple[str, ...]
    enabled: Predicate = always
    checkable: bool = False
    group: str = ""
    """Actions of one group exclude each other; they share a sub-menu of that name."""
    separated: bool = False
    """Whether a line sets it apart from the one before it in the menu."""


@dataclass(frozen=True, slots=True)
class MenuSpec:
    """A menu of the bar: its actions in their order."""

    name: str
    title: str
    actions: tuple[ActionSpec, ...]
