"""The panels, the size of the first window, and how they are remembered."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton, QScrollArea, QWidget
from pytestqt.qtbot import QtBot
from window_driving import SAMPLES, Driver

from opdiff.compare import Direction, Side
from opdiff.ui import MainWindow
from opdiff.ui.files.opening import Opening
from opdiff.ui.frame.window_frame import LEAST_ROWS, PANELS, SIDE_WIDTH
from opdiff.ui.look.appearance import LARGEST_ZOOM
from opdiff.ui.look.fonts import ui_font
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.remembered import DEFAULT_SIZE, FRAME_HEIGHT, LARGEST_SIZE, fitting_size
from opdiff.ui.structure.panel import LEAST_WIDTH

CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
NAMES = {"showDifferences": "differenceList", "showDetails": "detailView"}


@pytest.mark.parametrize(
    ("screen", "size"),
    [
        (QSize(1366, 768), QSize(1366, 768 - FRAME_HEIGHT)),
        (QSize(1366, 728), QSize(1366, 728 - FRAME_HEIGHT)),
        (QSize(960, 540), QSize(960, 540 - FRAME_HEIGHT)),
        (QSize(1920, 1080), DEFAULT_SIZE),
        (QSize(2560, 1440), QSize(1920, 1080)),
        (QSize(3840, 2160), LARGEST_SIZE),
    ],
    ids=["small", "with a panel", "full HD at scale 2", "full HD", "large", "very large"],
)
def test_the_first_window_is_wholly_on_the_screen(screen: QSize, size: QSize) -> None:
    assert fitting_size(screen) == size


def test_a_new_window_fits_the_screen_there_is(qtbot: QtBot, tmp_path: Path) -> None:
    window = MainWindow(QSettings(str(tmp_path / "new.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    assert window.width() <= window.screen().availableSize().width()
    assert window.height() <= window.screen().availableSize().height()


@pytest.mark.parametrize("size", [QSize(1366, 732), QSize(960, 504)])
def test_the_window_can_be_made_small_enough_for_a_small_screen(
    compared: Driver, size: QSize
) -> None:
    needed = compared.window.minimumSizeHint()
    assert needed.width() <= size.width()
    assert needed.height() <= size.height()


def shown(driver: Driver) -> dict[str, bool]:
    frame = driver.window.frame
    return {
        "showDifferences": frame.differences.isVisible(),
        "showDetails": frame.below.isVisible(),
        "showDataflow": frame.dataflow.isVisible(),
    }


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("showDifferences", Qt.Key.Key_3),
        ("showDetails", Qt.Key.Key_4),
        ("showDataflow", Qt.Key.Key_5),
    ],
)
def test_each_panel_is_hidden_and_shown_by_key(compared: Driver, name: str, key: Qt.Key) -> None:
    compared.window.frame.view.leftPane.setFocus()
    compared.press(key, CTRL_ALT)
    assert shown(compared) == {each: each != name for each in PANELS}
    compared.press(key, CTRL_ALT)
    assert all(shown(compared).values())


def test_panes_only_and_back(compared: Driver) -> None:
    view = compared.window.frame.view
    view.leftPane.setFocus()
    before = view.width(), view.height()
    compared.press(Qt.Key.Key_F11)
    assert not any(shown(compared).values())
    compared.qtbot.waitUntil(lambda: view.height() > before[1] and view.width() > before[0])
    compared.press(Qt.Key.Key_F11)
    assert all(shown(compared).values())


def test_going_to_a_hidden_panel_shows_it(compared: Driver) -> None:
    compared.window.frame.view.leftPane.setFocus()
    compared.press(Qt.Key.Key_F11)
    compared.press(Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert compared.window.frame.differences.isVisible()
    assert compared.named("differenceList", QWidget).hasFocus()
    compared.press(Qt.Key.Key_8, Qt.KeyboardModifier.ControlModifier)
    assert compared.window.frame.source.isVisible()


def test_the_layout_is_reset(compared: Driver) -> None:
    frame = compared.window.frame
    before = frame.differences.width(), frame.below.height()
    frame._upper.setSizes([300, 900])
    frame._body.setSizes([200, 600])
    compared.window.commands["showDataflow"].trigger()
    compared.window.commands["resetLayout"].trigger()
    assert all(shown(compared).values())
    compared.qtbot.waitUntil(lambda: abs(frame.differences.width() - before[0]) <= 12)
    assert abs(frame.below.height() - before[1]) <= 24


def test_hidden_panels_and_the_page_are_remembered(
    compared: Driver, qtbot: QtBot, settings_file: Path
) -> None:
    window = compared.window
    window.commands["showDataflow"].trigger()
    window.frame.below.show_named("sourceView")
    window.remembered.save()
    again = MainWindow(QSettings(str(settings_file), QSettings.Format.IniFormat))
    qtbot.addWidget(again)
    assert again.frame.dataflow.isHidden()
    assert not again.frame.differences.isHidden()
    assert again.frame.below.current is again.frame.source


def test_a_high_window_shows_more_of_the_details(compared: Driver) -> None:
    frame = compared.window.frame
    low = frame.below.height()
    compared.window.resize(1440, 1400)
    compared.window.commands["resetLayout"].trigger()
    compared.qtbot.waitUntil(lambda: frame.below.height() > low + 60)


def test_larger_text_is_larger_everywhere(compared: Driver) -> None:
    window = compared.window
    names = ("compareUpButton", "differencePosition", "statusFacts", "detailViewTab")
    widgets = [compared.named(name, QWidget) for name in names]
    widgets += window.frame.filters.kinds.findChildren(QPushButton)[:1]
    widgets += [window.frame.top.search, window.menuBar()]
    widgets += [each for each in window.frame.details.findChildren(QLabel) if each.text() == "type"]
    assert len(widgets) == len(names) + 4
    before = [widget.fontMetrics().height() for widget in widgets]
    for _ in range(4):
        window.commands["zoomIn"].trigger()

    def heights() -> list[int]:
        return [widget.fontMetrics().height() for widget in widgets]

    compared.qtbot.waitUntil(
        lambda: all(b > a for a, b in zip(before, heights(), strict=True)), timeout=20_000
    )
    button = compared.named("compareUpButton", QWidget)
    compared.qtbot.waitUntil(lambda: button.height() >= button.minimumSizeHint().height())
    window.commands["zoomReset"].trigger()
    compared.qtbot.waitUntil(lambda: heights() == before, timeout=20_000)


def test_text_that_is_made_larger_and_normal_at_once_is_normal(compared: Driver) -> None:
    """Also where that is asked for between the two turns that dressing anew takes."""
    window, app = compared.window, QApplication.instance()
    assert isinstance(app, QApplication)
    normal, dressed = app.font(), app.styleSheet()
    window.commands["zoomIn"].trigger()
    compared.qtbot.waitUntil(lambda: app.font() != normal)  # the first turn has been
    window.commands["zoomReset"].trigger()
    compared.qtbot.waitUntil(lambda: app.styleSheet() == dressed and app.font() == normal)
    compared.qtbot.waitUntil(window.updatesEnabled)


def test_list_and_dataflow_share_an_edge_once_there_is_room(compared: Driver) -> None:
    frame = compared.window.frame
    compared.window.resize(900, 700)
    compared.qtbot.waitUntil(lambda: frame.width() < 1000)
    compared.window.resize(1440, 900)
    compared.qtbot.waitUntil(lambda: abs(frame.differences.width() - frame.dataflow.width()) <= 2)


def widen(driver: Driver, width: int) -> None:
    driver.window.resize(width, 800)
    QApplication.processEvents()


def test_in_a_narrow_window_the_list_leaves_room_to_the_rows(compared: Driver) -> None:
    frame, strip = compared.window.frame, compared.named("linkStrip")
    strips = []
    for width in (1440, 960, 1440):
        widen(compared, width)
        strips.append(strip.width())
        assert frame.view.width() > 0.65 * width
    assert strips[0] == strips[2] > strips[1]
    assert frame.differences.width() == SIDE_WIDTH


def test_a_list_that_was_dragged_stays_as_wide_as_it_is(compared: Driver) -> None:
    frame = compared.window.frame
    widen(compared, 1440)
    frame._upper.setSizes([900, 540])
    frame._upper.splitterMoved.emit(900, 1)
    wide = frame.differences.width()
    assert wide > SIDE_WIDTH
    widen(compared, 1400)
    assert frame.differences.width() == wide
    compared.window.commands["resetLayout"].trigger()
    QApplication.processEvents()
    assert frame.differences.width() == SIDE_WIDTH


def test_a_structure_that_was_dragged_stays_as_wide_and_is_remembered(
    compared: Driver, settings_file: Path
) -> None:
    frame = compared.window.frame
    widen(compared, 1440)
    compared.window.commands["showStructure"].trigger()
    QApplication.processEvents()
    usual = frame.structure.width()
    frame._whole.setSizes([usual + 120, 1320 - usual])
    frame._whole.splitterMoved.emit(usual + 120, 1)
    compared.window.remembered.save()
    again = MainWindow(QSettings(str(settings_file), QSettings.Format.IniFormat))
    compared.qtbot.addWidget(again)
    again.resize(1440, 900)
    with compared.qtbot.waitExposed(again):
        again.show()
    assert again.frame.structure_width == usual + 120
    again.frame.setLoading(True)
    compared.qtbot.waitUntil(lambda: again.frame._whole.sizes()[0] == usual + 120)
    again.frame.structure_width = 10**12
    again.frame._divide()  # whatever stands in the file of settings
    assert again.frame._whole.sizes()[0] <= again.frame.width()
    again.commands["resetLayout"].trigger()
    assert again.frame._whole.sizes()[0] == usual


def test_in_a_wide_window_the_list_is_wider(compared: Driver, settings_file: Path) -> None:
    frame = compared.window.frame
    widen(compared, 2560)
    assert frame.differences.width() == frame.dataflow.width() == 512
    compared.window.close()
    again = MainWindow(QSettings(str(settings_file), QSettings.Format.IniFormat))
    compared.qtbot.addWidget(again)
    assert not again.frame._dragged, "as wide as it was by itself"


def test_keys_stand_below_keys(driver: Driver) -> None:
    driver.window.commands["keys"].trigger()
    dialog = driver.named("cheatSheet", QDialog)
    places = {label.text(): label.x() for label in dialog.findChildren(QLabel)}
    assert places["Open left"] == places["Next group"]
    assert places["Undo"] == places["Hide noise"]
    assert places["Compare upward"] == places["About opdiff"]


@pytest.mark.parametrize("action", ["keys", "legend"])
def test_pages_of_words_fit_the_screen_whatever_the_size_of_the_text(
    driver: Driver, action: str
) -> None:
    for _ in range(9):
        driver.window.commands["zoomIn"].trigger()
    QApplication.processEvents()
    driver.window.commands[action].trigger()
    QApplication.processEvents()
    [dialog] = [each for each in driver.window.findChildren(QDialog) if each.isVisible()]
    room = driver.window.screen().availableSize()
    assert dialog.width() <= room.width()
    assert dialog.height() <= room.height()
    area = dialog.findChild(QScrollArea)
    assert area is not None
    assert area.verticalScrollBar().maximum() > 0
    dialog.close()
    driver.window.commands["zoomReset"].trigger()


@pytest.mark.parametrize("action", ["findLeft", "rules", "marks", "notes", "export"])
def test_dialogs_are_on_the_screen_as_a_whole(compared: Driver, action: str) -> None:
    """The buttons of the finder were below the edge of a full HD screen at scale 2."""
    compared.window.commands[action].trigger()
    [dialog] = [each for each in compared.window.findChildren(QDialog) if each.isVisible()]
    room = compared.window.screen().availableSize()
    assert dialog.width() < room.width()
    assert dialog.height() < room.height()
    dialog.close()


def test_in_a_narrow_window_the_structure_leaves_the_op_types_their_room(compared: Driver) -> None:
    frame = compared.window.frame
    for width, wanted in ((960, 202), (1440, 300)):
        widen(compared, width)
        compared.window.commands["showStructure"].trigger()
        QApplication.processEvents()
        assert frame.structure.width() == wanted
        compared.qtbot.waitUntil(lambda: frame.differences.width() == frame.dataflow.width())
        compared.window.commands["showStructure"].trigger()


@pytest.mark.parametrize(("width", "zoom"), [(960, 0), (960, 4), (1366, 10)])
def test_no_op_type_is_cut_for_what_stands_beside_it(
    compared: Driver, width: int, zoom: int
) -> None:
    """Output and source give way, then the links, then the structure and the list."""
    window, view = compared.window, compared.window.frame.view
    window.commands["showStructure"].trigger()
    window.appearance.choose_zoom(zoom)
    compared.qtbot.waitUntil(lambda: window.font() == ui_font())
    widen(compared, width)
    name = QFontMetricsF(metrics().bold).horizontalAdvance("StridedSlice")
    for pane in (view.leftPane, view.rightPane):
        assert pane.spans().op[1] >= name
    assert window.frame.structure.width() >= LEAST_WIDTH


def test_a_narrow_window_that_starts_with_the_structure_has_it_narrow(
    qtbot: QtBot, tmp_path: Path
) -> None:
    settings = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    settings.setValue("showStructure", "yes")
    window = MainWindow(settings)
    qtbot.addWidget(window)
    window.resize(960, 504)
    window.show()
    with qtbot.waitSignal(window.opener.settled, timeout=20_000):
        window.openTraces(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    qtbot.waitUntil(lambda: window.frame.structure.width() <= 210)


def test_larger_text_never_makes_the_window_wider_than_a_screen(compared: Driver) -> None:
    window = compared.window
    window.resize(1366, 768)
    up = compared.named("compareUpButton", QPushButton)
    assert up.text() == "▲  Compare upward"
    for _ in range(LARGEST_ZOOM):
        window.commands["zoomIn"].trigger()
    compared.qtbot.waitUntil(lambda: up.text() == "▲", timeout=5000)
    assert (window.width(), up.accessibleName()) == (1366, "Compare upward")
    compared.qtbot.waitUntil(lambda: window.minimumSizeHint().width() <= 1366, timeout=5000)
    rest = compared.named("kindRest", QPushButton)
    assert rest.width() >= rest.sizeHint().width(), "how many chips are left out can be read"
    window.commands["zoomReset"].trigger()
    compared.qtbot.waitUntil(lambda: up.text() == "▲  Compare upward", timeout=5000)
    compared.qtbot.wait(20)
    assert (window.width(), window.height()) == (1366, 768)


def test_what_larger_text_takes_of_the_screen_it_gives_back(compared: Driver) -> None:
    window = compared.window
    window.resize(1024, 480)
    for _ in range(9):
        window.commands["zoomIn"].trigger()
    compared.qtbot.waitUntil(lambda: window.height() > 480, timeout=5000)
    window.commands["zoomReset"].trigger()
    compared.qtbot.waitUntil(lambda: window.height() == 480, timeout=5000)
    assert window.width() == 1024


def test_a_size_that_text_needs_on_the_way_is_not_what_the_user_wants(compared: Driver) -> None:
    """Another key while the window is still being dressed for the one before."""
    window = compared.window
    window.resize(1024, 480)
    for _ in range(9):
        window.commands["zoomIn"].trigger()
    window.resize(1024, 700)  # as the layout does, before all is dressed
    window.commands["zoomReset"].trigger()
    compared.qtbot.waitUntil(lambda: window.height() == 480, timeout=5000)


def notices(driver: Driver) -> tuple[bool, bool]:
    """Whether a notice can be seen, and a hint."""
    frame = driver.window.frame
    return frame.notice.isVisible(), frame.hint.isVisible()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_notice_and_a_hint_take_one_line_of_a_low_window(driver: Driver, language: str) -> None:
    window = driver.window
    window.appearance.choose_language(language)
    window.settings.put("hintsDone", "")
    window.resize(1366, 732)
    training = SAMPLES / "real/training"
    paths = {Side.LEFT: training / "right", Side.RIGHT: training / "wrong"}
    with driver.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.open(Opening(paths, compare=Direction.WHOLE))
    driver.qtbot.waitUntil(lambda: notices(driver) == (True, True))
    pane = window.frame.view.leftPane
    assert window.frame.curve.isVisible(), "with values there is a curve below the rows too"
    assert pane.viewport().height() >= 7 * pane.row_height
    driver.qtbot.waitUntil(lambda: window.frame.hint.y() == window.frame.notice.y())
    for name in ("noticeText", "hintNoticeText"):
        label = driver.named(name, QLabel)
        assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width(), "none is cut"
    assert window.minimumSizeHint().width() <= 960, "the words keep no window wide"
    window.resize(960, 732)
    frame = window.frame
    needed = frame.notice.whole_width() + frame.hint.whole_width()
    driver.qtbot.waitUntil(lambda: notices(driver) == (True, needed <= 960))


def test_a_hint_waits_until_notes_on_the_comparison_are_put_away(driver: Driver) -> None:
    window = driver.window
    window.settings.put("hintsDone", "anchor compare")
    driver.open(SAMPLES / "real/rope/eager", SAMPLES / "real/rope/jit_trace")
    with driver.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.compare(Direction.WHOLE)
    driver.qtbot.waitUntil(window.frame.notes.isVisible)
    driver.qtbot.waitUntil(lambda: notices(driver) == (False, False))
    driver.click("comparisonNotesCloseButton")
    driver.qtbot.waitUntil(lambda: notices(driver) == (False, True))


def test_a_hint_waits_where_there_is_no_room_beside_a_notice(driver: Driver) -> None:
    window = driver.window
    window.settings.put("hintsDone", "")
    driver.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    driver.qtbot.waitUntil(lambda: notices(driver) == (False, True))
    window.frame.notice.tell("long", lambda: "A long notice, word by word. " * 12)
    driver.qtbot.waitUntil(lambda: notices(driver) == (True, False))
    window.frame.notice.end("long")
    driver.qtbot.waitUntil(lambda: notices(driver) == (False, True))


def pane_rows(driver: Driver) -> float:
    pane = driver.window.frame.view.leftPane
    return pane.viewport().height() / pane.row_height


def test_in_a_low_window_the_details_leave_the_panes_room(compared: Driver) -> None:
    window, frame = compared.window, compared.window.frame
    window.resize(1440, 900)
    compared.qtbot.waitUntil(lambda: frame.below.height() > 200)
    before = frame.below.height()
    window.resize(960, 504)  # full HD at scale 2
    compared.qtbot.waitUntil(lambda: pane_rows(compared) > 6)
    assert frame.below.height() >= frame.below.minimumSizeHint().height()
    window.resize(1440, 720)
    compared.qtbot.waitUntil(lambda: frame.below.height() > 140)
    assert pane_rows(compared) >= LEAST_ROWS
    window.resize(1440, 900)
    compared.qtbot.waitUntil(lambda: frame.below.height() == before)


def test_what_the_user_gives_the_details_they_keep(compared: Driver) -> None:
    frame = compared.window.frame
    compared.window.resize(1200, 600)
    compared.qtbot.waitUntil(lambda: pane_rows(compared) > 6)
    frame._body.moveSplitter(frame._upper.minimumSizeHint().height(), 1)
    given = frame.below.height()
    assert pane_rows(compared) < LEAST_ROWS / 2
    compared.window.resize(1200, 610)
    compared.qtbot.wait(20)
    assert abs(frame.below.height() - given) <= 24


def test_the_height_of_the_details_is_remembered_as_it_was_wanted(
    compared: Driver, settings_file: Path
) -> None:
    window = compared.window
    wanted = window.frame.detail_height
    window.resize(960, 504)
    compared.qtbot.waitUntil(lambda: window.frame.below.height() < wanted)
    window.remembered.save()
    again = MainWindow(QSettings(str(settings_file), QSettings.Format.IniFormat))
    compared.qtbot.addWidget(again)
    assert again.frame.detail_height == wanted
