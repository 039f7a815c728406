"""Where the keys go on: in the pane last used, never by accident in a field."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget
from window_driving import Driver

from opdiff.errors import OpdiffError
from opdiff.wording import Sentence

NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def right(compared: Driver) -> QWidget:
    """The pane that was used last."""
    pane = compared.window.frame.view.rightPane
    pane.setFocus()
    return pane


@pytest.mark.parametrize("button", ["toastCloseButton", "toastUndoButton"])
def test_a_toast_that_goes_leaves_the_focus_in_the_pane(
    compared: Driver, right: QWidget, button: str
) -> None:
    compared.press(Qt.Key.Key_N)
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        compared.press(Qt.Key.Key_I, SHIFT)
    right.setFocus()
    compared.click(button)
    assert compared.window.focusWidget() is right


def test_a_toast_used_by_key_gives_the_focus_back(compared: Driver, right: QWidget) -> None:
    compared.press(Qt.Key.Key_N)
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        compared.press(Qt.Key.Key_I, SHIFT)
    right.setFocus()
    button = compared.named("toastCloseButton")
    button.setFocus(Qt.FocusReason.TabFocusReason)
    compared.qtbot.keyClick(button, Qt.Key.Key_Space)
    assert compared.window.focusWidget() is right


@pytest.mark.parametrize("button", ["errorCloseButton", "noticeCloseButton"])
def test_words_that_are_put_away_leave_the_focus_in_the_pane(
    compared: Driver, right: QWidget, button: str
) -> None:
    frame = compared.window.frame
    frame.notice.tell("some", lambda: "Some words.")
    question = OpdiffError(Sentence.of("window.several-ranks"), path="folder")
    frame.banner.show_choice(question, ["rank 0", "rank 1"], print)
    assert compared.window.focusWidget() is compared.named("errorChoice")
    compared.named(button).setFocus()
    compared.click(button)
    assert compared.window.focusWidget() is right


@pytest.mark.parametrize(
    "button",
    ["nextDifferenceButton", "previousDifferenceButton", "backButton", "forwardButton"],
)
def test_the_buttons_of_the_walk_leave_the_focus_in_the_pane(
    compared: Driver, right: QWidget, button: str
) -> None:
    for _ in range(3):
        compared.press(Qt.Key.Key_N)
    compared.window.commands["goBack"].trigger()
    right.setFocus()
    compared.click(button)
    assert compared.window.focusWidget() is right


@pytest.mark.parametrize(
    ("enter", "hide"),
    [
        ("goDifferences", "panesOnly"),
        ("goDataflow", "showDataflow"),
        ("goDetails", "showDetails"),
        ("goStructure", "panesOnly"),
    ],
)
def test_a_panel_that_is_hidden_leaves_the_focus_to_the_pane(
    compared: Driver, right: QWidget, enter: str, hide: str
) -> None:
    compared.window.commands[enter].trigger()
    assert compared.window.focusWidget() is not right
    compared.window.commands[hide].trigger()
    assert compared.window.focusWidget() is right


@pytest.mark.parametrize("field", ["searchEdit", "leftAnchorEdit", "rightAnchorEdit"])
def test_escape_leaves_a_field_as_it_was(compared: Driver, right: QWidget, field: str) -> None:
    edit = compared.named(field, QLineEdit)
    before = edit.text()
    edit.setFocus()
    compared.qtbot.keyClicks(edit, "7")
    compared.qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert compared.window.focusWidget() is right
    assert edit.text() == before
