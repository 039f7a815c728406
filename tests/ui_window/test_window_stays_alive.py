"""What takes long is done elsewhere or in pieces, and what is closed is gone."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import SIGNAL, QEvent, QObject, QPoint, QSettings, Qt, QTimer, QTranslator
from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot
from window_driving import SAMPLES, Driver

from opdiff.compare import Direction, Kind, Request, Side, compare
from opdiff.errors import OpdiffError
from opdiff.report.writing import write_atomically
from opdiff.session import files, group_key
from opdiff.trace import Trace
from opdiff.ui import main_thread
from opdiff.ui.files.opening import Opening
from opdiff.ui.look import theme
from opdiff.ui.look.stylesheet import stylesheet
from opdiff.ui.main_thread import aside, next_turn
from opdiff.ui.panes import scene as scene_module
from opdiff.ui.panes.alignment import RowPairs, ShownRows, SideLines, side_by_side
from opdiff.ui.panes.columns import ColumnWishes
from opdiff.ui.settings import Settings
from opdiff.ui.work import export_dialog
from opdiff.ui.work.export_dialog import export
from opdiff.wording import Sentence

MAIN = threading.main_thread()


def test_the_window_lives_on_while_work_is_done_aside(qtbot: QtBot) -> None:
    beaten = threading.Event()
    beat = QTimer(singleShot=True, interval=0)
    beat.timeout.connect(beaten.set)
    beat.start()
    # The work cannot end before the main thread has had its turn.
    assert aside(lambda: beaten.wait(60)) is True


def test_what_is_raised_aside_is_raised_here(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OpdiffError(Sentence.of("session.no-ops"))

    for moment in (60, 0):  # with and without a loop in between
        monkeypatch.setattr(main_thread, "_MOMENT", moment)
        with pytest.raises(OpdiffError):
            aside(fail)


def test_the_next_turn_is_behind_what_waits_in_this_one(qtbot: QtBot) -> None:
    owner, order = QObject(), list[str]()

    def first() -> None:
        order.append("first")
        next_turn(owner, lambda: order.append("rest"))
        QTimer.singleShot(0, owner, lambda: order.append("posted"))

    QTimer.singleShot(0, owner, first)
    qtbot.waitUntil(lambda: len(order) == 3)
    assert order == ["first", "posted", "rest"]


class Asked(QObject):
    """Remembers who was asked to lay itself out."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.LayoutRequest:
            self.names.append(watched.objectName() or type(watched).__name__)
        return False


def rests(driver: Driver, qapp: QApplication) -> bool:
    """Whether the window comes to an end of laying itself out."""
    asked = Asked()
    qapp.installEventFilter(asked)

    def quiet() -> bool:
        asked.names.clear()
        for _ in range(9):
            qapp.processEvents()
        return not asked.names

    driver.qtbot.waitUntil(quiet)
    qapp.removeEventFilter(asked)
    return True


def test_a_window_that_is_left_alone_does_nothing(driver: Driver, qapp: QApplication) -> None:
    assert rests(driver, qapp)
    driver.window.settings.put("hintsDone", "")
    driver.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    assert rests(driver, qapp)
    driver.window.frame.notice.tell("short", lambda: "Beside a hint.")
    assert rests(driver, qapp)
    driver.window.frame.notice.tell("long", lambda: "In place of a hint. " * 12)
    assert rests(driver, qapp)


@pytest.fixture
def digesting(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether digests were made on the main thread, one entry each."""
    made: list[bool] = []

    def digest(path: str, size: int, modified: int) -> str:
        made.append(threading.current_thread() is threading.main_thread())
        return f"digest of {Path(path).name}"

    monkeypatch.setattr(files, "_digest", digest)
    return made


def test_digests_are_never_made_on_the_main_thread(
    compared: Driver, tmp_path: Path, digesting: list[bool]
) -> None:
    window = compared.window
    assert window.sessions.save_to(tmp_path / "work.opdiff")
    assert digesting == [False, False]
    with compared.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.openSession(tmp_path / "work.opdiff")
    assert digesting == [False] * 4


def test_what_is_decided_while_a_session_is_saved_is_not_called_saved(
    compared: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = compared.window
    decided = threading.Event()

    def decide() -> None:
        comparison = window.store.comparison
        assert comparison is not None
        group = comparison.groups[0]
        work = window.store.work.with_note(group_key(group), "meanwhile")
        window.store.setWork(work, "note")
        decided.set()

    monkeypatch.setattr(files, "_digest", lambda *_: str(decided.wait(60)))
    QTimer.singleShot(0, window, decide)
    assert window.sessions.save_to(tmp_path / "work.opdiff")
    assert window.sessions.unsaved


@pytest.mark.parametrize("kind", ["html", "json", "csv", "markdown", "text", "png", "svg"])
def test_reports_are_written_on_another_thread(
    compared: Driver, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[bool] = []

    def write(path: Path, content: bytes) -> None:
        written.append(threading.current_thread() is threading.main_thread())
        write_atomically(path, content)

    monkeypatch.setattr(export_dialog, "write_atomically", write)
    window = compared.window
    export(window.store, window.frame.view, kind, tmp_path / "x", only_shown=False)
    assert written == [False]
    assert (tmp_path / "x").stat().st_size > 0


DIALOGS = ["findLeft", "rules", "marks", "export", "noteDifference", "noteGroup", "keys", "about"]


@pytest.mark.parametrize("action", DIALOGS)
def test_a_dialog_that_is_closed_is_gone(compared: Driver, action: str) -> None:
    window = compared.window
    window.commands["nextDifference"].trigger()
    QApplication.processEvents()
    before = len(window.findChildren(QWidget))
    for _ in range(3):
        window.commands[action].trigger()
        (dialog,) = [d for d in window.findChildren(QDialog) if d.isVisible()]
        dialog.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert len(window.findChildren(QWidget)) == before


def test_a_menu_that_is_closed_is_gone(compared: Driver) -> None:
    window = compared.window
    before = len(window.findChildren(QMenu))
    for _ in range(3):
        window.handlers._open_row_menu(int(Side.LEFT), 0, QPoint(1, 1))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        menu.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert len(window.findChildren(QMenu)) == before


ODD_NUMBERS = ["9" * 5000, "-1", "--5", "%" + "9" * 30, "٣", "1_0", " 12 ", "0x1f", "1e3", "²"]


@pytest.mark.parametrize("text", ODD_NUMBERS)
def test_whatever_is_typed_for_a_number_is_answered(rope: Driver, text: str) -> None:
    rope.window.search.search(text)
    edit = rope.named("leftAnchorEdit", QLineEdit)
    edit.setText(text)
    rope.window.frame.top.anchors[Side.LEFT].commit()
    anchor = rope.window.store.work.request.left_anchor
    assert anchor == (3 if text == " 12 " else None)


@pytest.mark.parametrize("text", ODD_NUMBERS)
def test_settings_that_somebody_has_edited_do_no_harm(tmp_path: Path, text: str) -> None:
    store = QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)
    store.setValue("zoom", text)
    assert Settings(store).number("zoom", 7) == (-1 if text == "-1" else 7)


def test_a_language_that_is_no_longer_spoken_is_forgotten(rope: Driver) -> None:
    app = QApplication.instance()
    assert app is not None
    for choice in ("zh", "en", "zh", "en", "zh"):
        rope.window.appearance.choose_language(choice)
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert len(app.findChildren(QTranslator)) <= 2  # ours, and that of Qt itself


def test_rows_are_lined_up_where_they_are_compared_and_not_again_for_a_filter(
    compared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, threads = compared.window, []

    def noted(left: ShownRows, right: ShownRows, pairs: RowPairs) -> SideLines:
        if window.store.comparison is not None or threading.current_thread() is not MAIN:
            threads.append(threading.current_thread())
        return side_by_side(left, right, pairs)

    monkeypatch.setattr(scene_module, "side_by_side", noted)
    request = replace(window.store.work.request, ancestors=True)
    window.store.setWork(replace(window.store.work, request=request))
    with compared.qtbot.waitSignal(window.comparisonReady):
        window.compare(Direction.UP)
    window.store.setWork(replace(window.store.work, hidden_kinds=frozenset({Kind.OP_TYPE})))
    window.store.setWork(replace(window.store.work, hidden_kinds=frozenset()))
    assert len(threads) == 1
    assert MAIN not in threads


def test_rows_lined_up_for_another_answer_are_not_shown(compared: Driver) -> None:
    window = compared.window
    first = window.store.comparison
    assert first is not None
    view = window.frame.view
    cells = [view.pane(side).column.cells.tolist() for side in Side]
    left, right = first.left.trace, first.right.trace
    view.prepare(compare(left, right, Request(direction=Direction.WHOLE)))  # came too late
    view.setOptions(folded=True)
    assert [view.pane(side).column.cells.tolist() for side in Side] == cells


def test_how_wide_columns_are_is_worked_out_where_traces_are_read(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads, of = [], ColumnWishes.of

    def noted(trace: Trace) -> ColumnWishes:
        threads.append(threading.current_thread())
        return of(trace)

    monkeypatch.setattr(ColumnWishes, "of", noted)
    driver.open(SAMPLES / "rope" / "eager.ir", SAMPLES / "rope" / "jit.ir")
    assert len(threads) == 2
    assert MAIN not in threads


def test_nobody_sees_a_window_between_two_themes(compared: Driver) -> None:
    window, app = compared.window, QApplication.instance()
    assert isinstance(app, QApplication)
    other = "light" if theme.current().name == "dark" else "dark"
    window.appearance.choose_theme(other)
    assert not app.styleSheet()
    assert not window.updatesEnabled()
    compared.qtbot.waitUntil(window.updatesEnabled)
    assert app.styleSheet() == stylesheet(theme.THEMES[other])


class Paintings(QObject):
    """Counts how often a widget was painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_a_window_that_was_to_be_painted_as_a_whole_is_painted_after_a_change_of_text(
    compared: Driver,
) -> None:
    """Qt forgot it: nothing was painted any more until the window was made larger."""
    window = compared.window
    window.commands["zoomIn"].trigger()
    compared.qtbot.waitUntil(lambda: not window.updatesEnabled())
    compared.qtbot.waitUntil(window.updatesEnabled)
    pane = window.frame.view.leftPane
    for widget in (window, pane.viewport()):
        paintings = Paintings(widget)
        widget.update()
        compared.qtbot.waitUntil(lambda paintings=paintings: paintings.count > 0, timeout=5_000)


def test_a_step_of_reading_paints_nothing_of_what_is_shown(compared: Driver) -> None:
    """Each painted the whole window, several times a turn: reloading held it up for a second."""
    window, frame = compared.window, compared.window.frame
    frame.setRunning(True)
    window.loading.begin(Opening({Side.LEFT: Path("left.ir"), Side.RIGHT: Path("right.ir")}))
    compared.qtbot.wait(20)
    shown = [pane.viewport() for pane in (frame.view.leftPane, frame.view.rightPane)]
    shown.append(frame.differences.list.viewport())
    paintings = [Paintings(each) for each in shown]
    bar = Paintings(frame.status.progress)
    for permille in (250, 500, 750):
        frame.details.update()
        window.tasks.sideReported.emit(int(Side.LEFT), permille)
        window.tasks.reported.emit("reading", permille)
        assert bar.count == 0, "it is painted with the rest"
    compared.qtbot.waitUntil(lambda: bar.count > 0)
    assert [each.count for each in paintings] == [0, 0, 0]
    window.loading.give_up()


def test_the_style_sheet_learns_of_the_end_of_every_widget_after_a_change_of_themes(
    compared: Driver,
) -> None:
    """It goes through all that it has met when it changes: those that are gone crashed it."""
    window, app = compared.window, QApplication.instance()
    assert isinstance(app, QApplication)
    for name in ("dark", "light", "dark"):
        window.appearance.choose_theme(name)
        compared.qtbot.waitUntil(window.updatesEnabled)
        dressed = Qt.WidgetAttribute.WA_StyleSheet
        met = [widget for widget in app.allWidgets() if widget.testAttribute(dressed)]
        assert len(met) > 100
        unconnected = [w for w in met if not w.receivers(SIGNAL("destroyed(QObject*)"))]
        assert not unconnected
