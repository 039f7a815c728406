from __future__ import annotations

from dataclasses import replace

import pytest
from made_pairs import built, dense
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QStyle, QStyleOptionComboBox
from pytestqt.qtbot import QtBot

from opdiff.compare import Comparison, Kind, Side
from opdiff.trace import ColumnsBuilder
from opdiff.ui.details import DataflowView
from opdiff.ui.details.flow_scene import NodeItem, elided, label_font
from opdiff.ui.look.fonts import set_text_scale
from opdiff.ui.look.theme import DARK, apply_theme
from opdiff.ui.translations import install_language


@pytest.fixture
def dataflow(qtbot: QtBot, rope: Comparison) -> DataflowView:
    widget = DataflowView()
    qtbot.addWidget(widget)
    widget.setComparison(rope)
    widget.resize(360, 260)
    widget.show()
    return widget


def boxes(widget: DataflowView) -> dict[tuple[Side, object], NodeItem]:
    flow = widget.canvas.flow
    assert flow is not None
    return {(item.box.side, item.box.node): item for item in flow.boxes.values()}


def names(widget: DataflowView) -> set[str]:
    return {f"{item.box.name} {item.box.line}".strip() for item in boxes(widget).values()}


def test_both_sides_around_a_pair(dataflow: DataflowView) -> None:
    dataflow.showPair(1, 3)
    assert set(boxes(dataflow)) == {
        *((Side.LEFT, row) for row in (0, 1, 2)),
        *((Side.RIGHT, row) for row in (0, 1, 3, 4)),
    }
    kinds = {place: item.box.kind for place, item in boxes(dataflow).items() if item.box.kind}
    assert kinds == {
        (Side.LEFT, 1): Kind.OP_TYPE,
        (Side.RIGHT, 1): Kind.CONTIGUOUS,
        (Side.RIGHT, 3): Kind.OP_TYPE,
    }


def test_counterparts_stand_at_the_same_height(dataflow: DataflowView) -> None:
    dataflow.showPair(1, 3)
    found = boxes(dataflow)
    for left, right in ((0, 0), (1, 3), (2, 4)):
        assert found[Side.LEFT, left].y() == found[Side.RIGHT, right].y()
    assert found[Side.LEFT, 1].x() < found[Side.RIGHT, 3].x()


def test_depth_is_adjustable(dataflow: DataflowView) -> None:
    dataflow.showPair(1, 3)
    assert "Neg 10" not in names(dataflow)
    dataflow.findChild(QComboBox, "dataflowDepth").setCurrentIndex(1)
    assert dataflow.depth() == 2
    assert {"Neg 10", "Neg 16"} <= names(dataflow)


def test_an_op_without_counterpart_stands_between_its_neighbours(dataflow: DataflowView) -> None:
    dataflow.showPair(None, 1)
    assert {(Side.LEFT, 0), (Side.LEFT, 1), (Side.RIGHT, 1)} <= set(boxes(dataflow))


def test_a_click_goes_to_the_op(dataflow: DataflowView, qtbot: QtBot) -> None:
    dataflow.showPair(1, 3)
    canvas = dataflow.canvas
    spot = canvas.mapFromScene(boxes(dataflow)[Side.RIGHT, 1].pos())
    with qtbot.waitSignal(dataflow.goTo) as went:
        qtbot.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert went.args == [Side.RIGHT, 1]


def test_dragging_moves_and_goes_nowhere(dataflow: DataflowView, qtbot: QtBot) -> None:
    dataflow.showPair(1, 3)
    canvas = dataflow.canvas
    spot = canvas.mapFromScene(boxes(dataflow)[Side.LEFT, 1].pos())
    with qtbot.assertNotEmitted(dataflow.goTo):
        qtbot.mousePress(canvas.viewport(), Qt.MouseButton.LeftButton, pos=spot)
        far = spot + QPointF(40, 0).toPoint()
        qtbot.mouseRelease(canvas.viewport(), Qt.MouseButton.LeftButton, pos=far)


def test_keys_walk_and_go(dataflow: DataflowView, qtbot: QtBot) -> None:
    dataflow.showPair(1, 3)
    canvas = dataflow.canvas
    canvas.setFocus()
    qtbot.keyClick(canvas, Qt.Key.Key_Up)
    assert canvas.accessibleDescription().startswith("left Reshape 1\n")
    assert "↔ right Reshape 1\n" in canvas.accessibleDescription()
    qtbot.keyClick(canvas, Qt.Key.Key_Right)
    with qtbot.waitSignal(dataflow.goTo) as went:
        qtbot.keyClick(canvas, Qt.Key.Key_Return)
    assert went.args == [Side.RIGHT, 0]


def test_zooming_and_fitting(dataflow: DataflowView, qtbot: QtBot) -> None:
    dataflow.showPair(1, 3)
    canvas = dataflow.canvas
    before = canvas.transform().m11()
    qtbot.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.transform().m11() > before
    for _ in range(20):
        qtbot.keyClick(canvas, Qt.Key.Key_Minus)
    assert canvas.transform().m11() == pytest.approx(0.35)
    qtbot.keyClick(canvas, Qt.Key.Key_0)
    assert canvas.transform().m11() == pytest.approx(before)


def test_the_mouse_lights_up_the_counterpart(dataflow: DataflowView) -> None:
    dataflow.showPair(1, 3)
    canvas = dataflow.canvas
    found = boxes(dataflow)
    before = canvas.grab().toImage()
    place = QPointF(canvas.mapFromScene(found[Side.LEFT, 2].pos()))
    move = QMouseEvent(
        QMouseEvent.Type.MouseMove,
        place,
        canvas.viewport().mapToGlobal(place),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(canvas.viewport(), move)
    after = canvas.grab().toImage()
    ring = canvas.mapFromScene(found[Side.RIGHT, 4].sceneBoundingRect()).boundingRect()
    assert before.copy(ring) != after.copy(ring)


def test_hubs_say_how_many_more_there_are(qtbot: QtBot) -> None:
    made = ColumnsBuilder()
    made.add("Mul", [dense(1)])
    for number in range(3000):
        made.add("Add", [dense(10 + number)], [dense(1)])
    widget = DataflowView()
    qtbot.addWidget(widget)
    widget.setTrace(Side.LEFT, built(made))
    widget.show()
    widget.showPair(0, None)
    assert "+ 2994 more" in names(widget)


def test_nothing_selected_says_what_to_do(dataflow: DataflowView, qapp: QApplication) -> None:
    dataflow.showPair(None, None)
    hints = [label.text() for label in dataflow.findChildren(QLabel) if label.isVisible()]
    assert "Select an op to see where its data comes from and goes to." in hints


def test_theme_and_language_change_at_once(dataflow: DataflowView, qapp: QApplication) -> None:
    dataflow.showPair(1, 3)
    apply_theme(qapp, DARK)
    corner = dataflow.canvas.grab().toImage().pixelColor(1, 1)
    assert corner == DARK.background
    install_language(qapp, "zh")
    QApplication.processEvents()
    assert dataflow.accessibleName() == "周边数据流"


def test_the_depth_is_not_cut_in_another_language(
    dataflow: DataflowView, qapp: QApplication
) -> None:
    install_language(qapp, "zh")
    QApplication.processEvents()
    install_language(qapp, "en")
    QApplication.processEvents()
    depth = dataflow.findChild(QComboBox, "dataflowDepth")
    assert depth is not None
    assert depth.width() >= depth.sizeHint().width()
    options = QStyleOptionComboBox()
    depth.initStyleOption(options)
    field = depth.style().subControlRect(
        QStyle.ComplexControl.CC_ComboBox, options, QStyle.SubControl.SC_ComboBoxEditField, depth
    )
    assert field.width() >= depth.fontMetrics().horizontalAdvance(depth.currentText())


def test_larger_text(dataflow: DataflowView) -> None:
    dataflow.resize(900, 600)
    dataflow.showPair(1, 3)
    before = [box.boundingRect() for box in boxes(dataflow).values()]
    set_text_scale(1.5)
    dataflow.refresh()
    for old, box in zip(before, boxes(dataflow).values(), strict=True):
        assert box.boundingRect().height() > old.height() * 1.2
        assert box.boundingRect().width() > old.width() * 1.2


def around(qtbot: QtBot, made: ColumnsBuilder, row: int, width: int, scale: float) -> DataflowView:
    """What surrounds a pair of equal traces, so wide and with letters so large."""
    widget = DataflowView()
    qtbot.addWidget(widget)
    for side in Side:
        widget.setTrace(side, built(made))
    widget.resize(width, 232)
    widget.show()
    set_text_scale(scale)
    widget.showPair(row, row)
    return widget


@pytest.mark.parametrize(("width", "scale"), [(362, 1.0), (304, 1.0), (362, 1.34)])
def test_an_op_of_many_inputs_fits_at_once(qtbot: QtBot, width: int, scale: float) -> None:
    made = ColumnsBuilder()
    for number in range(39):
        made.add("Mul", [dense(10 + number)])
    made.add("Concat", [dense(1)], [dense(10 + number) for number in range(39)])
    widget = around(qtbot, made, 39, width, scale)
    canvas = widget.canvas
    shown = canvas.mapToScene(canvas.viewport().rect()).boundingRect().adjusted(-4, 0, 4, 0)
    flow = canvas.flow
    assert flow is not None
    assert shown.left() <= flow.sceneRect().left()
    assert shown.right() >= flow.sceneRect().right()


@pytest.mark.parametrize(("width", "scale"), [(362, 1.0), (304, 1.0), (362, 2.4)])
def test_boxes_in_steps_are_wide_enough_for_names(qtbot: QtBot, width: int, scale: float) -> None:
    made = ColumnsBuilder()
    made.add("Reshape", [dense(1)])
    for number in range(2):
        made.add("StridedSlice", [dense(10 + number)], [dense(1)])
    widget = around(qtbot, made, 0, width, scale)
    letters = QFontMetricsF(label_font(bold=True))
    steps = [item for (_, row), item in boxes(widget).items() if row != 0]
    assert len({item.y() for item in steps}) == 2
    for item in steps:
        words = elided(item.box, letters, item.boundingRect().width() - 16)
        assert words == f"StridedSlice {item.box.line}"


def test_what_is_longer_than_any_box_keeps_its_end_and_its_line(dataflow: DataflowView) -> None:
    dataflow.showPair(1, 3)
    box = next(iter(boxes(dataflow).values())).box
    letters = QFontMetricsF(label_font())
    words = elided(replace(box, name="StridedSliceGrad", line="1234"), letters, 90)
    assert words.endswith(" 1234")
    assert "…" in words[:-6]


def test_keys_reach_the_drawing(dataflow: DataflowView) -> None:
    assert dataflow.focusProxy() is dataflow.canvas
