from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QTreeView, QWidget
from window_driving import SAMPLES, Driver

from opdiff.compare import Direction, Kind, Side
from opdiff.ui.differences.cards import card_of

STABLE_NAMES = """leftPane rightPane linkStrip overview leftAnchorEdit rightAnchorEdit
compareUpButton compareDownButton compareWholeButton previousDifferenceButton nextDifferenceButton
differenceList detailView dataflowView searchEdit kindFilter progressBar cancelButton""".split()


def test_the_stable_names_are_there_once(driver: Driver) -> None:
    found = {name: len(driver.window.findChildren(QWidget, name)) for name in STABLE_NAMES}
    assert found == dict.fromkeys(STABLE_NAMES, 1)


def test_the_empty_window_says_how_to_start(driver: Driver) -> None:
    assert driver.named("welcome").isVisible()
    assert not driver.named("compareUpButton").isEnabled()
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.click("sample-rope")
    assert not driver.named("welcome").isVisible()


def test_opening_shows_both_traces(rope: Driver) -> None:
    facts = rope.named("statusFacts", QLabel).text()
    assert "206 ↔ 240" in facts
    assert rope.window.windowTitle() == "rope/eager.ir ↔ rope/jit.ir[*] — opdiff"


@pytest.mark.parametrize("offset", [0, 1, 2])
def test_any_line_of_the_op_names_its_anchor(rope: Driver, offset: int) -> None:
    rope.anchor(550 + offset, 649 + offset)
    assert rope.named("leftAnchorEdit", QLineEdit).text() == "550"
    assert rope.lines()[0] == 550
    comparison = rope.compare_up()
    assert comparison.request.direction is Direction.UP
    assert comparison.left.trace.line_of(comparison.left.anchor or 0) == 550


def test_what_is_typed_but_not_entered_counts(rope: Driver) -> None:
    rope.named("leftAnchorEdit", QLineEdit).setText("550")
    rope.named("rightAnchorEdit", QLineEdit).setText("649")
    comparison = rope.compare_up()
    assert (comparison.left.anchor, comparison.right.anchor) != (None, None)


def test_after_comparing_one_stands_at_the_anchors(compared: Driver) -> None:
    comparison = compared.window.store.comparison
    assert comparison is not None
    assert compared.lines() == (550, 649)
    total = len(comparison.divergences)
    assert compared.named("differencePosition", QLabel).text() == f"{total} differences"
    compared.click("nextDifferenceButton")
    first = comparison.divergences[int(compared.window.store.outline.walk[0])]
    left, right = compared.lines()
    assert left in [comparison.left.trace.line_of(row) for row in first.left_rows] or not (
        first.left_rows
    )
    assert right in [comparison.right.trace.line_of(row) for row in first.right_rows] or not (
        first.right_rows
    )
    assert compared.named("differencePosition", QLabel).text().startswith("difference 1 of ")


def test_walking_moves_panes_and_list_together(compared: Driver) -> None:
    store = compared.window.store
    comparison = store.comparison
    assert comparison is not None
    differences = compared.named("differenceList", QTreeView)
    compared.click("nextDifferenceButton")
    assert store.current == store.outline.walk[0]
    for expected in store.outline.walk[1:12].tolist():
        compared.click("nextDifferenceButton")
        assert store.current == expected
        assert card_of(differences.currentIndex()).divergence == expected
        found = comparison.divergences[expected]
        for rows, trace, line in zip(
            (found.left_rows, found.right_rows),
            (comparison.left.trace, comparison.right.trace),
            compared.lines(),
            strict=True,
        ):
            if rows:
                assert line in [trace.line_of(row) for row in rows]
    compared.click("previousDifferenceButton")
    assert store.current == store.outline.walk[10]


def test_selecting_a_row_selects_its_counterpart_and_its_difference(compared: Driver) -> None:
    store = compared.window.store
    comparison = store.comparison
    assert comparison is not None
    target = next(i for i, found in enumerate(comparison.divergences) if found.kind is Kind.OP_TYPE)
    found = comparison.divergences[target]
    compared.window.frame.view.selectRow(0, found.left_rows[0])
    assert compared.lines()[1] == comparison.right.trace.line_of(found.right_rows[0])
    assert store.current in comparison.left.records_at(found.left_rows[0])
    assert compared.window.frame.details.shown.rows == (found.left_rows[0], found.right_rows[0])


def test_of_the_differences_of_a_row_that_which_may_change_a_value_is_meant(driver: Driver) -> None:
    """A row in the colour of a fallback to the host led to the harmless name of its op."""
    driver.open(SAMPLES / "vocab/eager.ir", SAMPLES / "vocab/jit.ir")
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.window.compare(Direction.WHOLE)
    trace = driver.window.store.trace(Side.LEFT)
    assert trace is not None
    row = trace.row_at(10)
    assert row is not None
    driver.window.frame.view.selectRow(Side.LEFT, row)
    found = driver.window.store.current_divergence
    assert found is not None
    assert found.kind is Kind.CPU_FALLBACK


def test_hiding_a_kind_takes_it_out_of_the_walk(compared: Driver) -> None:
    store = compared.window.store
    comparison = store.comparison
    assert comparison is not None
    compared.click("kind-op-type")
    shown = {comparison.divergences[int(index)].kind for index in store.visible}
    assert Kind.OP_TYPE not in shown
    assert len(store.visible) == len(comparison.divergences) - comparison.by_kind[Kind.OP_TYPE]
    compared.click("kind-op-type")
    assert len(store.visible) == len(comparison.divergences)


def test_known_renames_can_be_hidden(compared: Driver) -> None:
    store = compared.window.store
    comparison = store.comparison
    assert comparison is not None
    compared.window.commands["hideKnown"].trigger()
    left = [comparison.divergences[int(index)] for index in store.visible]
    assert left
    assert not any(found.known for found in left)
    assert len(left) < len(comparison.divergences)


def test_comparing_the_whole_needs_no_anchor(rope: Driver) -> None:
    with rope.qtbot.waitSignal(rope.window.comparisonReady, timeout=20_000) as ready:
        rope.click("compareWholeButton")
    assert ready.args[0].request.direction is Direction.WHOLE


def test_asking_the_same_again_is_answered_at_once(compared: Driver) -> None:
    before = compared.window.store.comparison
    with compared.qtbot.waitSignal(compared.window.comparisonReady) as ready:
        compared.click("compareUpButton")
    assert ready.args[0] is before
    assert not compared.window.tasks.running


def test_keyboard_alone_does_everything(rope: Driver) -> None:
    control = Qt.KeyboardModifier.ControlModifier
    for key, name, line in (
        (Qt.Key.Key_L, "leftAnchorEdit", "550"),
        (Qt.Key.Key_R, "rightAnchorEdit", "649"),
    ):
        rope.press(key, control)
        edit = rope.named(name, QLineEdit)
        assert edit.hasFocus()
        rope.qtbot.keyClicks(edit, line)
        rope.press(Qt.Key.Key_Return)
    with rope.qtbot.waitSignal(rope.window.comparisonReady, timeout=20_000):
        rope.press(Qt.Key.Key_F5)
    rope.press(Qt.Key.Key_1, control)
    assert rope.window.frame.view.leftPane.hasFocus()
    for key in (Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_N, Qt.Key.Key_P):
        rope.press(key)
    assert rope.window.store.current == rope.window.store.outline.walk[1]
    rope.press(Qt.Key.Key_3, control)
    assert rope.named("differenceList").hasFocus()
    rope.press(Qt.Key.Key_Home)  # the heading of what cannot change values
    rope.press(Qt.Key.Key_Down)
    current = rope.named("differenceList", QTreeView).currentIndex()
    assert rope.window.store.current == card_of(current).divergence


def test_a_selected_row_becomes_the_anchor_by_key(rope: Driver) -> None:
    trace = rope.window.store.both()
    assert trace is not None
    rope.window.frame.view.selectRow(0, 20)
    rope.window.frame.view.leftPane.setFocus()
    rope.press(Qt.Key.Key_A)
    line = str(trace[0].line_of(20))
    assert rope.named("leftAnchorEdit", QLineEdit).text() == line


def test_dropping_opens(driver: Driver) -> None:
    with driver.qtbot.waitSignal(driver.window.opener.opened, timeout=20_000):
        driver.window.openDropped([str(SAMPLES / "rope/eager.ir")])
    with driver.qtbot.waitSignal(driver.window.tracesLoaded, timeout=20_000):
        driver.window.openDropped([str(SAMPLES / "rope/jit.ir")])
    both = driver.window.store.both()
    assert both is not None
    assert [trace.source.path.rpartition("/")[2] for trace in both] == ["eager.ir", "jit.ir"]


def test_every_button_says_what_it_does(driver: Driver) -> None:
    for button in driver.window.findChildren(QAbstractButton):
        if button.objectName() and button.isVisible():
            assert button.accessibleName() or button.text(), button.objectName()


def test_an_answer_that_was_kept_is_announced_once(compared: Driver) -> None:
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        compared.click("compareWholeButton")
    announced: list[object] = []
    compared.window.comparisonReady.connect(announced.append)
    compared.click("compareUpButton")
    compared.qtbot.waitUntil(lambda: bool(announced))
    compared.qtbot.wait(0)
    assert announced == [compared.window.store.comparison]
