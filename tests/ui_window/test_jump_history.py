from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget
from window_driving import Driver

from opdiff.compare import Side
from opdiff.ui.moving.jump_history import MOST_PLACES, HistoryEntry, Trail

ALT = Qt.KeyboardModifier.AltModifier


def back(driver: Driver) -> None:
    driver.press(Qt.Key.Key_Left, ALT)


def forward(driver: Driver) -> None:
    driver.press(Qt.Key.Key_Right, ALT)


def focus_pane(driver: Driver) -> None:
    driver.window.frame.view.leftPane.setFocus()


def test_walking_the_differences_can_be_taken_back_and_done_again(compared: Driver) -> None:
    focus_pane(compared)
    store = compared.window.store
    visited = [(store.current, *compared.lines())]
    for _ in range(5):
        compared.press(Qt.Key.Key_N)
        visited.append((store.current, *compared.lines()))
    assert len(set(visited)) == 6
    for place in reversed(visited[:-1]):
        back(compared)
        assert (store.current, *compared.lines()) == place
    for place in visited[1:]:
        forward(compared)
        assert (store.current, *compared.lines()) == place
    assert not compared.named("forwardButton", QAbstractButton).isEnabled()


def test_going_back_to_where_nothing_was_selected_leaves_counter_and_details_at_one(
    rope: Driver,
) -> None:
    with rope.qtbot.waitSignal(rope.window.comparisonReady, timeout=20_000):
        rope.click("compareWholeButton")
    focus_pane(rope)
    while not rope.window.frame.details.fields:
        rope.press(Qt.Key.Key_N)
    while rope.named("backButton", QAbstractButton).isEnabled():
        back(rope)
    shown, store = rope.window.shown, rope.window.store
    assert shown.place is not None, "the details are about it"
    assert shown.difference() == store.current
    assert store.current is not None


def test_the_list_follows_back_and_forward(compared: Driver) -> None:
    focus_pane(compared)
    compared.press(Qt.Key.Key_Home, ALT)
    first = compared.window.store.current
    compared.press(Qt.Key.Key_B)
    cause = compared.window.store.current
    assert cause != first
    compared.click("backButton")
    assert compared.window.store.current == first
    compared.click("forwardButton")
    assert compared.window.store.current == cause


def test_links_search_anchors_and_rows_are_jumps(compared: Driver) -> None:
    focus_pane(compared)
    start = compared.lines()
    left = compared.window.store.trace(Side.LEFT)
    assert left is not None
    compared.window.frame.details.goTo.emit(int(Side.LEFT), left.row_at(34))
    link = compared.lines()
    edit = compared.named("searchEdit", QLineEdit)
    edit.setText("Softmax")
    compared.window.search.search("Softmax")
    compared.window.search.step(1)
    found = compared.lines()
    compared.anchor(529, 625)
    anchored = compared.lines()
    assert len({start, link, found, anchored}) == 4
    focus_pane(compared)
    for lines in (found, link, start):
        back(compared)
        while compared.lines() == anchored:  # each field that takes an anchor goes there
            back(compared)
        assert compared.lines() == lines


def test_steps_of_the_cursor_are_no_jumps(compared: Driver) -> None:
    focus_pane(compared)
    compared.press(Qt.Key.Key_Home, ALT)
    start = compared.lines()
    for _ in range(3):
        compared.press(Qt.Key.Key_Up)
    walked = compared.lines()
    assert walked != start
    compared.press(Qt.Key.Key_N)
    back(compared)
    assert compared.lines() == walked


def test_the_overview_can_be_left_again(compared: Driver) -> None:
    view = compared.window.frame.view
    focus_pane(compared)
    compared.window.commands["foldEqual"].trigger()
    bar = view.leftPane.verticalScrollBar()
    timers = compared.window.jumps.findChildren(QTimer)
    # What is in view is noted when scrolling has come to rest.
    compared.qtbot.waitUntil(lambda: not any(timer.isActive() for timer in timers))
    before = bar.value()
    assert before > 0
    overview = compared.named("overview", QWidget)
    compared.qtbot.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(8, 3))
    assert bar.value() < before
    back(compared)
    assert bar.value() == before
    forward(compared)
    assert bar.value() < before


def test_the_side_buttons_of_a_mouse_travel_too(compared: Driver) -> None:
    focus_pane(compared)
    first = compared.lines()
    compared.press(Qt.Key.Key_N)
    second = compared.lines()
    handle = compared.window.windowHandle()
    QTest.mouseClick(handle, Qt.MouseButton.BackButton, pos=QPoint(300, 300))
    assert compared.lines() == first
    QTest.mouseClick(handle, Qt.MouseButton.ForwardButton, pos=QPoint(900, 500))
    assert compared.lines() == second


def test_another_trace_begins_another_history(compared: Driver) -> None:
    focus_pane(compared)
    compared.press(Qt.Key.Key_N)
    assert compared.named("backButton", QAbstractButton).isEnabled()
    folder = compared.window.store.trace(Side.LEFT).source.path  # type: ignore[union-attr]
    with compared.qtbot.waitSignal(compared.window.tracesLoaded, timeout=20_000):
        compared.window.openTraces(folder, folder)
    assert not compared.named("backButton", QAbstractButton).isEnabled()


def test_alt_and_an_arrow_leave_the_boxes_of_the_dataflow_alone(compared: Driver) -> None:
    canvas = compared.window.frame.dataflow.canvas
    canvas.setFocus()
    flow = canvas.flow
    assert flow is not None
    before = flow.focusItem()
    compared.qtbot.keyClick(canvas, Qt.Key.Key_Down, ALT)
    assert flow.focusItem() is before


def test_a_trail_is_bounded_and_forgets_the_future_of_a_turn() -> None:
    trail = Trail()
    for row in range(MOST_PLACES + 10):
        trail.visit(HistoryEntry(Side.LEFT, row))
    steps = 0
    while trail.has_past:
        trail.travel(-1)
        steps += 1
    assert steps == MOST_PLACES - 1
    trail.visit(HistoryEntry(Side.LEFT, 3))
    assert not trail.has_future
    assert trail.here.row == 3
