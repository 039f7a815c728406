from __future__ import annotations

from pane_making import make_comparison, make_trace
from pane_pointing import current_pair, middle_of, picture_of
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTranslator, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from opdiff.compare import Comparison, Kind, Side
from opdiff.ui.look.theme import DARK, LIGHT, apply_theme
from opdiff.ui.panes import ComparisonView
from opdiff.ui.panes.pane_header import PaneHeader
from opdiff.ui.panes.texts import tooltip
from opdiff.ui.structure.structures import outline_index

START = 30


def show(qtbot: QtBot, comparison: Comparison) -> ComparisonView:
    view = ComparisonView()
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.setTrace(0, comparison.left.trace)
    view.setTrace(1, comparison.right.trace)
    view.setComparison(comparison)
    view.show()
    return view


def left_header(view: ComparisonView) -> PaneHeader:
    header = view.findChild(QWidget, "leftPaneHeader")
    assert isinstance(header, PaneHeader)
    return header


def test_switching_layouts_keeps_the_current_row_in_place(view: ComparisonView) -> None:
    view.resize(1000, 180)
    view.setOptions(folded=False)
    view.selectRow(0, START - 3)
    for change in (
        lambda: view.setOptions(aligned=False),
        lambda: view.setOptions(aligned=True),
        lambda: view.setOptions(noise_hidden=False),
        lambda: view.setOptions(swallowed_shown=True),
    ):
        before = middle_of(view.leftPane, START - 3)
        change()
        assert middle_of(view.leftPane, START - 3).y() == before.y()
        assert current_pair(view) == (START - 3, START - 3)


def test_aligned_panes_scroll_together_and_free_ones_do_not(view: ComparisonView) -> None:
    view.setOptions(folded=False)
    left, right = (pane.verticalScrollBar() for pane in (view.leftPane, view.rightPane))
    left.setValue(100)
    assert right.value() == 100
    right.setValue(40)
    assert left.value() == 40
    view.setOptions(aligned=False)
    left.setValue(0)
    assert right.value() == 40


def test_free_panes_bring_the_counterpart_into_view(view: ComparisonView) -> None:
    view.resize(1000, 200)
    view.setOptions(folded=False)
    view.setOptions(aligned=False)
    view.leftPane.verticalScrollBar().setValue(0)
    view.rightPane.verticalScrollBar().setValue(0)
    view.selectRow(0, START + 2)
    for pane, row in ((view.leftPane, START + 2), (view.rightPane, START + 3)):
        first, last = pane.visible_heights()
        assert first <= pane.column.height_of(row) <= last


def test_noise_is_hidden_until_asked_for_or_gone_to(qtbot: QtBot) -> None:
    left = make_trace(["Mul", "AclWorkspace", "Add", "AclWorkspace", "Sub"])
    right = make_trace(["Mul", "Add", "Sub"])
    view = show(
        qtbot,
        make_comparison(left, right, [(0, 0), (2, 1), (4, 2)], noise=((1, 3), ())),
    )
    assert len(view.leftPane.column) == 3
    view.selectRow(0, 3)
    assert view.leftPane.currentRow() == 3
    assert len(view.leftPane.column) == 4
    view.setOptions(noise_hidden=False)
    assert len(view.leftPane.column) == 5
    view.setComparison(None)
    view.setOptions(noise_hidden=True)
    assert len(view.leftPane.column) == 3


def test_what_a_rule_swallowed_can_be_shown_again(qtbot: QtBot) -> None:
    left, right = make_trace(["Mul", "Debug", "Add"]), make_trace(["Mul", "Add"])
    view = show(qtbot, make_comparison(left, right, [(0, 0), (2, 1)], swallowed=((1,), ())))
    assert len(view.leftPane.column) == 2
    view.setOptions(swallowed_shown=True)
    assert len(view.leftPane.column) == 3


def test_the_head_of_a_fold_says_how_many_and_where(qtbot: QtBot) -> None:
    names = [f"Default/layers.{row // 5}/Mul" for row in range(20)]
    trace = make_trace([*names, "Add"])
    view = show(
        qtbot,
        make_comparison(
            trace, trace, [(row, row) for row in range(21)], [(Kind.DTYPE, (20,), (20,))]
        ),
    )
    qtbot.keyClick(view.leftPane, Qt.Key.Key_Home)
    assert view.leftPane.accessibleDescription() == "┈  18 equal ops  ┈  ▸"
    # Once the structure of the other side is known, for lack of this one's own.
    view.setPartNames(Side.RIGHT, outline_index(trace).names)
    qtbot.keyClick(view.leftPane, Qt.Key.Key_Down)
    qtbot.keyClick(view.leftPane, Qt.Key.Key_Home)
    assert view.leftPane.accessibleDescription().startswith("┈  18 equal ops · all 4 layers")


def test_a_stretch_that_was_left_out_amid_compared_rows_folds_too(qtbot: QtBot) -> None:
    trace = make_trace(["Mul"] * 12)
    view = show(
        qtbot,
        make_comparison(
            trace,
            trace,
            [(0, 0), (11, 11)],
            [(Kind.DTYPE, (0,), (0,)), (Kind.DTYPE, (11,), (11,))],
            outside=(range(1, 11), range(1, 11)),
        ),
    )
    assert len(view.leftPane.column) == 7
    view.selectRow(0, 2)
    qtbot.keyClick(view.leftPane, Qt.Key.Key_Down)
    assert "6 ops not compared" in view.leftPane.accessibleDescription()


def test_headers_say_what_the_traces_are(view: ComparisonView) -> None:
    assert left_header(view).title == "eager · 36 ops"


def test_columns_are_dragged_on_both_sides_and_remembered(
    view: ComparisonView, qtbot: QtBot
) -> None:
    header = left_header(view)
    before = view.leftPane.spans()
    start = QPoint(round(before.output[0]), header.height() // 2)
    qtbot.mousePress(header, Qt.MouseButton.LeftButton, pos=start)
    header.dragged.emit(0, before.output[0] + 40)
    qtbot.mouseRelease(header, Qt.MouseButton.LeftButton)
    for pane in (view.leftPane, view.rightPane):
        assert round(pane.spans().output[0] - before.output[0]) == 40
    state = view.saveState()
    other = ComparisonView()
    qtbot.addWidget(other)
    other.restoreState(state)
    assert other.saveState() == state


def test_nonsense_is_not_restored(view: ComparisonView) -> None:
    usual = view.saveState()
    for nonsense in ({}, {"op": "wide", "output": 1}, {"op": 2, "output": 1}):
        view.restoreState(nonsense)
        assert view.saveState() == usual


def test_tooltips_tell_the_difference_and_the_whole_op(view: ComparisonView) -> None:
    text = tooltip(view._scene, view.leftPane.side, START)
    assert text.startswith("≠ difference 1\n")
    assert "Slice" in text
    assert "/home/user/model.py" in text
    assert view.leftPane.rowText(START).split("\t")[1] == "Slice"


class _Quoting(QTranslator):
    """A language in which everything is said in quotation marks."""

    def translate(self, _context: str, source: str, *_rest: object) -> str:
        return f"«{source}»"

    def isEmpty(self) -> bool:  # noqa: N802  Qt's name
        return False


def test_the_language_changes_while_running(view: ComparisonView, qapp: QApplication) -> None:
    quoting = _Quoting()
    qapp.installTranslator(quoting)
    try:
        qapp.processEvents()
        assert left_header(view).title == "«eager» · «36 ops»"
        assert view.leftPane.accessibleName() == "«Left trace»"
    finally:
        qapp.removeTranslator(quoting)
    qapp.processEvents()
    assert view.leftPane.accessibleName() == "Left trace"


def test_the_theme_of_the_application_is_followed(view: ComparisonView, qapp: QApplication) -> None:
    for theme in (DARK, LIGHT):
        apply_theme(qapp, theme)
        image = picture_of(view.leftPane.viewport())
        assert image.pixelColor(image.width() // 2, image.height() - 2) == theme.background


def test_dropped_files_are_handed_over_with_their_side(view: ComparisonView, qtbot: QtBot) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/tmp/a.ir"), QUrl.fromLocalFile("/tmp/b.ir")])
    copy, left, none = (
        Qt.DropAction.CopyAction,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    strip = (view.leftPane.geometry().right() + view.rightPane.x()) // 2
    for x, side in ((5, Side.LEFT), (strip, None), (view.rightPane.x() + 5, Side.RIGHT)):
        enter = QDragEnterEvent(QPoint(x, 5), copy, data, left, none)
        QApplication.sendEvent(view, enter)
        assert enter.isAccepted()
        with qtbot.waitSignal(view.filesDropped) as caught:
            QApplication.sendEvent(view, QDropEvent(QPointF(x, 5), copy, data, left, none))
        assert caught.args == [["/tmp/a.ir", "/tmp/b.ir"], side]


def turn_wheel(widget: QWidget, notches: int, modifier: Qt.KeyboardModifier) -> None:
    spot = QPointF(widget.rect().center())
    QApplication.sendEvent(
        widget,
        QWheelEvent(
            spot,
            widget.mapToGlobal(spot),
            QPoint(),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            modifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )


def test_the_wheel_scrolls_wherever_it_is_turned_and_asks_for_zoom_with_ctrl(
    view: ComparisonView,
) -> None:
    view.setOptions(folded=False)
    view.resize(1000, 200)
    none, ctrl = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
    bar = view.leftPane.verticalScrollBar()
    strip, overview = (view.findChild(QWidget, name) for name in ("linkStrip", "overview"))
    for widget in (view.leftPane.viewport(), strip, overview):
        bar.setValue(0)
        turn_wheel(widget, -1, none)
        assert bar.value() > 0
        assert bar.value() % view.leftPane.row_height == 0
    wanted: list[int] = []
    view.rightPane.zoomed.connect(wanted.append)
    turn_wheel(view.rightPane.viewport(), 2, ctrl)
    assert wanted == [1]


def test_a_current_row_that_gets_hidden_is_no_longer_pointed_at(qtbot: QtBot) -> None:
    trace = make_trace(["Mul", "AclWorkspace", "Add"])
    view = show(qtbot, make_comparison(trace, trace, [(0, 0), (2, 2)], noise=((1,), (1,))))
    view.setOptions(noise_hidden=False)
    view.selectRow(0, 1)
    view.setOptions(noise_hidden=True)
    assert view.leftPane.accessibleDescription() == ""
    qtbot.keyClick(view.leftPane, Qt.Key.Key_Down)
    assert view.leftPane.currentRow() == 2
