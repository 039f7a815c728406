"""The curve of errors, their column, both statistics, and the way to the first of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel
from tests.ui_window.window_driving import Driver
from tests.values.recorded_runs import network

from opdiff.compare import Comparison, Direction, Kind, Side
from opdiff.session.value_choice import ValueChoice
from opdiff.ui.differences.outline import Order
from opdiff.ui.files.opening import Opening
from opdiff.ui.look import theme
from opdiff.ui.panes import ComparisonView
from opdiff.ui.values import ErrorCurve
from opdiff.ui.values.log_colour import colour_of, error_label, log_share

Compared = tuple[Driver, Comparison]
CAUSE = 2 * 6 + 5
"""The row of the wrong kernel: the last of the six ops of the third layer."""


def curve_of(driver: Driver) -> ErrorCurve:
    return driver.named("errorCurve", ErrorCurve)


def test_the_curve_shows_where_values_part(compared: Compared) -> None:
    curve = curve_of(compared[0])
    assert curve.isVisible()
    assert curve.roots() == [CAUSE]
    heights = dict(curve.points())
    before = [y for x, y in heights.items() if x < curve.x_of(CAUSE)]
    after = [y for x, y in heights.items() if x > curve.x_of(CAUSE + 1)]
    assert min(before) == pytest.approx(curve.y_of(0.0))
    assert min(after) < curve.y_of(1e-3) < min(before)


def test_a_click_goes_to_the_op(compared: Compared) -> None:
    driver, comparison = compared
    curve, view = curve_of(driver), driver.window.frame.view
    place = QPoint(round(curve.x_of(CAUSE + 0.5)), curve.height() // 2)
    driver.qtbot.mouseClick(curve, Qt.MouseButton.LeftButton, pos=place)
    assert view.leftPane.currentLine() == comparison.left.trace.line_of(CAUSE)
    # And the op that is looked at is marked in the curve.
    view.selectRow(0, 3)
    assert curve._here == 3
    view.selectRow(1, 5)
    assert curve._here == 5


def wheel(curve: ErrorCurve, x: float, steps: int) -> None:
    place = QPointF(x, curve.height() / 2)
    QApplication.sendEvent(
        curve,
        QWheelEvent(
            place,
            QPointF(curve.mapToGlobal(place.toPoint())),
            QPoint(),
            QPoint(0, 120 * steps),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )


def test_the_wheel_zooms_around_the_mouse(compared: Compared) -> None:
    curve = curve_of(compared[0])
    whole = curve.span
    x = curve.x_of(20.0)
    wheel(curve, x, 2)
    assert curve.span[1] - curve.span[0] < whole[1] - whole[0]
    assert curve.x_of(20.0) == pytest.approx(x)
    wheel(curve, x, 50)
    first, last = curve.span
    assert last - first == pytest.approx(20.0)
    wheel(curve, x, -80)
    assert curve.span == whole
    wheel(curve, x, 4)
    place = curve.rect().center()
    compared[0].qtbot.mouseDClick(curve, Qt.MouseButton.LeftButton, pos=place)
    assert curve.span == whole


def test_dragging_moves_along_and_chooses_nothing(compared: Compared) -> None:
    driver, _ = compared
    curve = curve_of(driver)
    wheel(curve, curve.x_of(24.0), 3)
    before, line = curve.span, driver.lines()
    start = curve.rect().center()
    driver.qtbot.mousePress(curve, Qt.MouseButton.LeftButton, pos=start)
    end = start + QPoint(60, 0)
    QApplication.sendEvent(curve, _moved(curve, end))
    driver.qtbot.mouseRelease(curve, Qt.MouseButton.LeftButton, pos=end)
    assert curve.span[0] < before[0]
    assert driver.lines() == line


def _moved(curve: ErrorCurve, place: QPoint) -> QMouseEvent:
    return QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place),
        QPointF(curve.mapToGlobal(place)),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )


def test_keys_walk_the_causes(compared: Compared) -> None:
    driver, comparison = compared
    curve = curve_of(driver)
    driver.window.frame.view.selectRow(0, 0)
    driver.qtbot.keyClick(curve, Qt.Key.Key_Right)
    assert driver.lines()[0] == comparison.left.trace.line_of(CAUSE)
    whole = curve.span
    driver.qtbot.keyClick(curve, Qt.Key.Key_Plus)
    assert curve.span != whole
    driver.qtbot.keyClick(curve, Qt.Key.Key_Home)
    assert curve.span == whole


def test_what_the_tooltip_says(compared: Compared) -> None:
    driver, comparison = compared
    curve = curve_of(driver)
    text = curve.text_at(curve.x_of(CAUSE + 0.5))
    assert text.startswith(f"{comparison.left.trace.line_of(CAUSE)} aten::add: ")
    assert text.endswith(" %")


def test_the_first_op_that_differs_in_value(compared: Compared) -> None:
    driver, comparison = compared
    assert driver.lines()[0] == comparison.left.trace.line_of(CAUSE)  # where it starts
    driver.window.frame.view.selectRow(0, 40)
    driver.window.store.setCurrent(None)
    action = driver.window.commands["firstValueDifference"]
    assert action.isEnabled()
    driver.press(Qt.Key.Key_V)
    assert driver.lines()[0] == comparison.left.trace.line_of(CAUSE)


def test_walking_passes_over_what_follows(compared: Compared) -> None:
    driver, comparison = compared
    store = driver.window.store
    assert len(store.visible) == len(comparison.divergences) > 10
    assert store.neighbour(1) is None
    assert store.neighbour(-1) is None
    follows = next(group for group in comparison.groups if group.quiet)
    store.setCurrent(follows.members[3])
    assert comparison.divergences[store.neighbour(-1) or 0].value_pair is not None


def test_groups_that_only_follow_are_no_stop_either(compared: Compared) -> None:
    driver, comparison = compared
    store = driver.window.store
    follows = next(group for group in comparison.groups if group.quiet)
    assert follows.id in store.outline.row_of, "it is listed all the same"
    before = store.current
    driver.press(Qt.Key.Key_G)
    assert store.current == before
    store.setCurrent(follows.members[3])
    driver.press(Qt.Key.Key_G, Qt.KeyboardModifier.ShiftModifier)
    assert store.current == before


def test_by_distance_too_the_first_look_is_at_the_cause(driver: Driver, tmp_path: Path) -> None:
    driver.window.store.setOrder(Order.NEAREST)
    left = network(layers=8).write(tmp_path, "left")
    right = network(layers=8, wrong="kernel").write(tmp_path, "right")
    driver.open(left, right)
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000) as ready:
        driver.click("compareWholeButton")
    assert driver.lines()[0] == ready.args[0].left.trace.line_of(CAUSE)


def test_what_changed_no_value_is_in_the_last_section(driver: Driver, tmp_path: Path) -> None:
    left = network().write(tmp_path, "left")
    right = network(wrong="view").write(tmp_path, "right")
    driver.open(left, right)
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000) as ready:
        driver.click("compareWholeButton")
    assert all(group.neutral for group in ready.args[0].groups)
    heading = driver.window.frame.differences.model.index(0, 0)
    assert heading.data().startswith("Change no values: 1 group, ")


def colours(image: QImage, x: int) -> set[str]:
    return {image.pixelColor(x, y).name() for y in range(image.height())}


@pytest.mark.parametrize("worn", [theme.LIGHT, theme.DARK])
def test_the_column_of_errors(compared: Compared, worn: theme.Theme, qapp: QApplication) -> None:
    driver, comparison = compared
    view = driver.window.frame.view
    theme.apply_theme(qapp, worn)
    told = comparison.values
    assert told is not None
    pane = view.leftPane
    span = pane.spans().error
    assert span[1] > 0
    assert span[0] + span[1] == pane.viewport().width()
    image = pane.viewport().grab().toImage()
    seen = colours(image, int(span[0] + span[1] / 4))
    error = float(told.error_of_rows(0)[CAUSE])
    assert any(_near(name, colour_of(worn, error).name()) for name in seen)


def _near(name: str, other: str) -> bool:
    """Whether two colours are alike but for what is laid over a selected row."""
    one, two = (np.array([int(c[i : i + 2], 16) for i in (1, 3, 5)]) for c in (name, other))
    return bool(np.abs(one - two).max() <= 24)


def test_errors_as_colours_and_words() -> None:
    assert log_share(1.0) == 1.0
    assert log_share(1e-9) == pytest.approx(0.0)
    assert log_share(0.0) == pytest.approx(0.0)
    assert [error_label(number) for number in (0.0, 3.2e-4, 1.0)] == ["0", "3e-4", "1e0"]
    shades = [colour_of(theme.LIGHT, 10.0**power).lightness() for power in range(-7, 1)]
    assert shades == sorted(shades, reverse=True)
    assert len(set(shades)) == len(shades)


def test_details_show_what_both_sides_held(compared: Compared) -> None:
    driver, _ = compared
    driver.window.frame.view.selectRow(0, CAUSE)
    fields = {field.label: field for field in driver.window.frame.details.fields}
    output = fields["value of output 0"]
    assert output.kind is Kind.VALUE
    assert "norm" in output.left[0].text
    assert output.left[0].text != output.right[0].text
    assert "error" in output.right[1].text
    assert fields["value of input 0"].kind is None


def test_without_values_nothing_of_them_is_there(driver: Driver, tmp_path: Path) -> None:
    left = network().write(tmp_path, "left")
    right = network(wrong="kernel").write(tmp_path, "right", values=False)
    driver.open(left, right)
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000) as ready:
        driver.click("compareWholeButton")
    assert not curve_of(driver).isVisible()
    assert driver.window.frame.view.leftPane.spans().error[1] == 0
    assert not driver.window.commands["firstValueDifference"].isEnabled()
    comparison = ready.args[0]
    assert "values-on-one-side" in {note.code for note in comparison.notes}
    # One side's values are shown all the same.
    driver.window.frame.view.selectRow(0, 3)
    labels = {field.label for field in driver.window.frame.details.fields}
    assert "value of output 0" in labels


def test_values_of_another_trace_are_done_without(driver: Driver, tmp_path: Path) -> None:
    left = network().write(tmp_path, "left")
    right = network(layers=5).write(tmp_path, "right")
    choice = ValueChoice(left=str(tmp_path / "right.values.csv"))
    paths = {Side.LEFT: left, Side.RIGHT: right}
    opening = Opening(paths, compare=Direction.WHOLE, values=choice)
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000) as ready:
        driver.window.open(opening)
    comparison = ready.args[0]
    assert comparison.values is None
    assert any("Compared without values" in str(note.sentence) for note in comparison.notes)


def test_the_curve_speaks_both_languages(compared: Compared) -> None:
    driver, _ = compared
    curve = curve_of(driver)
    assert curve.accessibleName() == "Error along the execution order"
    driver.window.appearance.choose_language("zh")
    QApplication.processEvents()
    assert curve.accessibleName() == "误差沿执行序的变化"
    driver.window.appearance.choose_language("en")


def test_folds_do_not_call_equal_what_differs_in_value(compared: Compared) -> None:
    driver, comparison = compared
    view = driver.window.frame.view
    below = _fold_texts(view)[-1]
    assert "differ in value only" in below
    follow = [group for group in comparison.groups if group.kind is Kind.VALUE and group.quiet]
    assert follow, "values part further down"
    driver.window.commands["languageChinese"].trigger()
    QApplication.processEvents()
    assert "仅数值不同" in _fold_texts(view)[-1]
    driver.window.commands["languageEnglish"].trigger()
    QApplication.processEvents()
    hidden = replace(driver.window.store.work, hidden_kinds=frozenset({Kind.VALUE}))
    driver.window.store.setWork(hidden, "filter")
    text = " ".join(_fold_texts(view))
    assert "differ in value only" not in text
    assert "hidden by filters" in text


def _fold_texts(view: ComparisonView) -> list[str]:
    pane = view.leftPane
    return [pane._fold_text(index) for index in range(len(pane.column.folds))]


def test_the_list_begins_with_where_the_numbers_part(compared: Compared) -> None:
    line = compared[0].named("verdictLine", QLabel)
    assert line.isVisible()
    assert line.text().startswith("The numbers part at left ")
