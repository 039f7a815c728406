"""What a screen reader finds in the window, through Qt's tree of accessible objects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication, QDialog
from window_driving import Driver

from opdiff.ui.commands.menus import ALL_ACTIONS

ROLES = {
    "leftAnchorEdit": QAccessible.Role.EditableText,
    "rightAnchorEdit": QAccessible.Role.EditableText,
    "searchEdit": QAccessible.Role.EditableText,
    "leftTraceCombo": QAccessible.Role.ComboBox,
    "compareUpButton": QAccessible.Role.Button,
    "nextDifferenceButton": QAccessible.Role.Button,
    "backButton": QAccessible.Role.Button,
    "differenceList": QAccessible.Role.Tree,
    "structureView": QAccessible.Role.Tree,
    "summaryTable": QAccessible.Role.Table,
    "leftPane": QAccessible.Role.Client,
    "overview": QAccessible.Role.Client,
    "detailView": QAccessible.Role.Client,
    "dataflowView": QAccessible.Role.Client,
}
DIALOGS = ("findLeft", "export", "rules", "notes", "marks", "noteDifference", "palette", "keys")
MOST_CHILDREN = 80


def below(face: QAccessibleInterface) -> Iterator[QAccessibleInterface]:
    """An object and what it holds; of long lists the beginning."""
    yield face
    for place in range(min(face.childCount(), MOST_CHILDREN)):
        child = face.child(place)
        if child is not None:
            yield from below(child)


def nameless(face: QAccessibleInterface) -> list[str]:
    """What takes the focus or is clicked, and does not say what it is."""
    buttons = (QAccessible.Role.Button, QAccessible.Role.CheckBox, QAccessible.Role.ComboBox)
    return [
        f"{each.role().name} {owner.objectName() if owner is not None else ''}"
        for each in below(face)
        if (owner := each.object()) is not None or each.role() == QAccessible.Role.TreeItem
        if not each.state().invisible
        and (each.state().focusable or each.role() in buttons)
        and not each.text(QAccessible.Text.Name)
    ]


@pytest.fixture
def read(compared: Driver) -> Driver:
    compared.window.commands["showStructure"].trigger()
    compared.window.commands["nextDifference"].trigger()
    QApplication.processEvents()
    return compared


@pytest.mark.parametrize("language", ["en", "zh"])
def test_everything_that_takes_the_focus_says_what_it_is(read: Driver, language: str) -> None:
    read.window.appearance.choose_language(language)
    QApplication.processEvents()
    assert nameless(QAccessible.queryAccessibleInterface(read.window)) == []


@pytest.mark.parametrize("action", DIALOGS)
def test_dialogs_say_what_they_are_made_of(read: Driver, action: str) -> None:
    read.window.commands[action].trigger()
    QApplication.processEvents()
    [dialog] = [each for each in read.window.findChildren(QDialog) if each.isVisible()]
    assert nameless(QAccessible.queryAccessibleInterface(dialog)) == []
    dialog.close()


def test_the_parts_have_the_roles_that_readers_know(read: Driver) -> None:
    for name, role in ROLES.items():
        face = QAccessible.queryAccessibleInterface(read.named(name))
        assert face.role() == role, name
        assert face.text(QAccessible.Text.Name), name


def test_a_pane_tells_its_current_row_and_the_list_its_cards(read: Driver) -> None:
    pane = QAccessible.queryAccessibleInterface(read.named("rightPane"))
    said = pane.text(QAccessible.Text.Description)
    assert said.startswith("61, Contiguous, ")
    cards = QAccessible.queryAccessibleInterface(read.named("differenceList"))
    names = [cards.child(place).text(QAccessible.Text.Name) for place in range(cards.childCount())]
    assert any("Contiguous inserted on the right × 8" in name for name in names)
    assert any("explains 24" in name for name in names)


def test_every_action_has_a_key_a_tip_and_words() -> None:
    for spec in ALL_ACTIONS:
        assert spec.keys, spec.name
        assert spec.text, spec.name
        assert spec.tip, spec.name
    keys = [key for spec in ALL_ACTIONS for key in spec.keys]
    assert len(keys) == len(set(keys))
