"""While files are read: names, how far each is, first rows; and fields that take paths."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragLeaveEvent, QDragMoveEvent
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QLabel, QPushButton, QWidget
from window_driving import SAMPLES, Driver

from opdiff.compare import Direction, Side
from opdiff.errors import OpdiffError
from opdiff.progress import Cancelled, Progress
from opdiff.readers import open_trace, opening
from opdiff.readers.opening import first_rows
from opdiff.trace import Trace
from opdiff.ui import tasks
from opdiff.ui.files.opening import Opening
from opdiff.ui.files.trace_combo import short_paths, typed_path
from opdiff.wording import Sentence

FORMATS = SAMPLES.parent / "tests/formats/data"
LEFT, RIGHT = SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir"


class Gate:
    """Reading that tells how far it is, then waits until a test lets it go on."""

    def __init__(self) -> None:
        self.opened = threading.Event()

    def read(self, path: Path, *, progress: Progress, **more: Any) -> Trace:
        progress.report("reading", 240, 1000)
        assert not path.exists() or self.opened.wait(20)
        return open_trace(path, progress=progress, **more)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate()
    monkeypatch.setattr(tasks, "open_trace", gate.read)
    yield gate
    gate.opened.set()


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A trace large enough for a look at its beginning to be worth it."""
    file = tmp_path / "large.ir"
    text = LEFT.read_bytes()
    file.write_bytes(text * (3_000_000 // len(text)))
    return file


def field(driver: Driver, side: str) -> str:
    return driver.named(f"{side}TraceCombo", QComboBox).lineEdit().text()


def heading(driver: Driver, side: str) -> str:
    return driver.named(f"{side}PaneHeader", QWidget).accessibleName()


def test_names_and_progress_are_there_at_once(driver: Driver, gate: Gate) -> None:
    window = driver.window
    window.openTraces(LEFT, RIGHT)
    assert field(driver, "left") == "rope/eager.ir"
    assert field(driver, "right") == "rope/jit.ir"
    assert not window.frame.welcome.isVisible()
    assert window.frame.view.isVisible()
    driver.qtbot.waitUntil(lambda: heading(driver, "left") == "reading eager.ir 24 %")
    coming = "12 % · rope/eager.ir ↔ rope/jit.ir[*] — opdiff"  # of both
    driver.qtbot.waitUntil(lambda: window.windowTitle() == coming)
    with driver.qtbot.waitSignal(window.tracesLoaded, timeout=20_000):
        gate.opened.set()
    assert window.windowTitle() == "rope/eager.ir ↔ rope/jit.ir[*] — opdiff"
    assert heading(driver, "left").endswith("206 ops")
    assert heading(driver, "right").endswith("240 ops")


def test_the_empty_pane_paints_how_far_it_is(driver: Driver, gate: Gate) -> None:
    driver.window.openTraces(LEFT, RIGHT)
    pane = driver.window.frame.view.leftPane
    driver.qtbot.waitUntil(lambda: heading(driver, "left") == "reading eager.ir 24 %")
    before = pane.grab().toImage()
    driver.window.frame.view.setReading(Side.LEFT, "eager.ir", 700)
    assert pane.grab().toImage() != before
    gate.opened.set()  # the window waits for its readers when it is closed


def test_the_first_rows_are_seen_while_the_rest_is_read(
    driver: Driver, gate: Gate, large: Path
) -> None:
    window = driver.window
    window.openTraces(large, RIGHT)
    pane = window.frame.view.leftPane
    driver.qtbot.waitUntil(lambda: len(pane.side_scene) > 0)
    shown = len(pane.side_scene)
    assert window.store.trace(Side.LEFT) is None
    assert not pane.isEnabled(), "to be looked at only"
    driver.press(Qt.Key.Key_A)
    assert window.store.work.anchor(Side.LEFT) is None
    with driver.qtbot.waitSignal(window.tracesLoaded, timeout=30_000):
        gate.opened.set()
    assert pane.isEnabled()
    assert len(pane.side_scene) > shown


def test_while_first_rows_are_seen_no_button_has_the_focus(
    driver: Driver, gate: Gate, large: Path
) -> None:
    window = driver.window
    window.openTraces(large, large)
    panes = window.frame.view.leftPane, window.frame.view.rightPane
    panes[0].setFocus()
    driver.qtbot.waitUntil(lambda: all(len(pane.side_scene) > 0 for pane in panes))
    assert window.focusWidget() is window.frame
    with driver.qtbot.waitSignal(window.tracesLoaded, timeout=30_000):
        gate.opened.set()
    assert window.focusWidget() is panes[0]


def test_cancelling_leaves_nothing_behind(driver: Driver, gate: Gate, large: Path) -> None:
    window = driver.window
    window.openTraces(large, RIGHT)
    pane = window.frame.view.leftPane
    driver.qtbot.waitUntil(lambda: len(pane.side_scene) > 0)
    driver.click("cancelButton")
    gate.opened.set()
    assert len(pane.side_scene) == 0
    assert pane.isEnabled()
    assert window.frame.welcome.isVisible()
    assert field(driver, "left") == ""


def test_what_was_open_is_named_again_where_a_file_cannot_be_read(
    rope: Driver, tmp_path: Path
) -> None:
    with rope.qtbot.waitSignal(rope.window.failed, timeout=20_000):
        rope.window.openTraces(tmp_path / "nowhere.ir", RIGHT)
    assert field(rope, "left") == "rope/eager.ir"
    assert heading(rope, "left").endswith("206 ops")


def test_of_two_bad_files_both_are_named(driver: Driver, tmp_path: Path) -> None:
    empty = tmp_path / "empty.ir"
    empty.touch()
    with driver.qtbot.waitSignal(driver.window.failed, timeout=20_000):
        driver.window.openTraces(empty, tmp_path / "nowhere.ir")
    told = driver.named("errorText", QLabel).text()
    assert "empty.ir" in told
    assert "nowhere.ir" in told


def trouble(driver: Driver, side: str) -> str:
    told = driver.named(f"{side}PaneTrouble", QLabel)
    return told.text() if told.isVisible() else ""


@pytest.mark.parametrize("content", [b"", b"so much depends\nupon\n", bytes(range(256)) * 9, None])
def test_beside_a_bad_file_the_good_one_is_shown(
    driver: Driver, tmp_path: Path, content: bytes | None
) -> None:
    bad, window = tmp_path / "bad.ir", driver.window
    if content is not None:
        bad.write_bytes(content)
    with driver.qtbot.waitSignal(window.failed, timeout=20_000):
        window.open(Opening({Side.LEFT: bad, Side.RIGHT: RIGHT}, compare=Direction.WHOLE))
    assert window.store.trace(Side.LEFT) is None
    assert heading(driver, "right").endswith("240 ops")
    assert trouble(driver, "left").startswith(str(bad)), "in its own pane"
    assert trouble(driver, "right") == ""
    assert not driver.named("errorBanner").isVisible()
    assert field(driver, "left").endswith("bad.ir"), "to be mended"
    assert driver.named("leftPaneOpenButton").isVisible()
    english = trouble(driver, "left")
    window.commands["languageChinese"].trigger()
    QApplication.processEvents()
    assert trouble(driver, "left") not in ("", english)
    with driver.qtbot.waitSignal(window.tracesLoaded, timeout=20_000):
        window.open(Opening({Side.LEFT: LEFT}))
    assert trouble(driver, "left") == ""


def test_what_is_wrong_is_said_before_the_other_file_is_read(
    driver: Driver, gate: Gate, large: Path, tmp_path: Path
) -> None:
    driver.window.openTraces(tmp_path / "nowhere.ir", large)
    driver.qtbot.waitUntil(lambda: "nowhere.ir" in trouble(driver, "left"), timeout=20_000)
    assert driver.window.tasks.running
    with driver.qtbot.waitSignal(driver.window.failed, timeout=30_000):
        gate.opened.set()
    assert driver.window.store.trace(Side.RIGHT) is not None
    assert "nowhere.ir" in trouble(driver, "left")


def test_beside_a_bad_file_only_a_large_one_is_given_up(tmp_path: Path) -> None:
    item = tasks.ToRead(Side.RIGHT, tmp_path / "other.ir")
    told: list[tuple[str, int, int]] = []

    class Whole(Progress):
        def report(self, stage: str, done: int, total: int) -> None:
            told.append((stage, done, total))

    class Silent:
        def tell(self, *_: object) -> None:
            pass

    bad = OpdiffError(Sentence.of("editor.none"))
    progress = tasks._SideProgress(item, Silent(), Whole(), {Side.LEFT: bad})  # type: ignore[arg-type]
    progress.report("reading", 10, tasks.SOON_READ)
    assert told == [("reading", 10, tasks.SOON_READ)], "it may be bad itself: both are named"
    with pytest.raises(Cancelled):
        progress.report("reading", 10, tasks.SOON_READ + 1)


def test_the_beginning_is_whole_records(large: Path) -> None:
    beginning, whole = first_rows(large), open_trace(large)
    assert beginning is not None
    assert not beginning.problems
    assert 0 < len(beginning) < len(whole)
    for row in range(len(beginning)):
        assert beginning.op(row) == whole.op(row)


@pytest.mark.parametrize(
    "name", ["torch-npu-log/torch_npu_op_plugin_v7.1.log", "torch-debugmode/functions.debug.txt"]
)
def test_logs_have_a_beginning_too(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = FORMATS / name
    monkeypatch.setattr(opening, "_BEGINNING", file.stat().st_size // 2)
    beginning, whole = first_rows(file, worth_it=0), open_trace(file)
    assert beginning is not None
    assert 1 < len(beginning) < len(whole)
    # What belongs to the last op may come later.
    for row in range(len(beginning) - 1):
        assert beginning.op(row) == whole.op(row)


def test_only_large_files_of_lines_have_a_beginning(tmp_path: Path) -> None:
    assert first_rows(LEFT) is None
    assert first_rows(LEFT, worth_it=0) is not None
    assert first_rows(tmp_path / "nowhere.ir") is None
    assert first_rows(tmp_path) is None
    dump = SAMPLES / "formats/msprobe/base/dump.json.gz"
    assert first_rows(dump, worth_it=0) is None


def test_a_path_can_be_typed_or_pasted(driver: Driver) -> None:
    for side, path in (("left", LEFT), ("right", RIGHT)):
        edit = driver.named(f"{side}TraceCombo", QComboBox).lineEdit()
        edit.setFocus()
        edit.setText(f'  "{path}" ')
        with driver.qtbot.waitSignal(driver.window.opener.opened, timeout=20_000):
            driver.qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert driver.window.store.both() is not None


def test_what_is_typed_and_not_entered_is_taken_back(rope: Driver) -> None:
    edit = rope.named("leftTraceCombo", QComboBox).lineEdit()
    edit.setFocus()
    assert edit.text() == str(LEFT), "the whole path, to be changed or copied"
    edit.setText("/else")
    rope.window.frame.view.leftPane.setFocus()
    assert edit.text() == "rope/eager.ir"


def test_paths_as_they_are_pasted() -> None:
    assert typed_path(" 'a b.ir' ") == "a b.ir"
    assert typed_path("file:///tmp/a%20b.ir") == "/tmp/a b.ir"
    assert typed_path("~/x.ir") == str(Path.home() / "x.ir")
    assert typed_path("  ") == ""


def test_the_open_file_is_offered_once(rope: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SAMPLES)
    with rope.qtbot.waitSignal(rope.window.tracesLoaded, timeout=20_000):
        rope.window.openTraces("rope/eager.ir", "rope/jit.ir")
    combo = rope.named("leftTraceCombo", QComboBox)
    offered = [combo.itemText(index) for index in range(combo.count())]
    assert offered.count("rope/eager.ir") == 1


def test_an_empty_pane_offers_to_open_a_file(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with driver.qtbot.waitSignal(driver.window.opener.opened, timeout=20_000):
        driver.window.openDropped([str(LEFT)], Side.LEFT)
    button = driver.named("rightPaneOpenButton", QPushButton)
    assert button.isVisible()
    assert not driver.named("leftPaneOpenButton", QPushButton).isVisible()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(RIGHT), ""))
    with driver.qtbot.waitSignal(driver.window.tracesLoaded, timeout=20_000):
        driver.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not button.isVisible()


def test_the_pane_that_a_dragged_file_would_go_to_is_marked(rope: Driver) -> None:
    view = rope.window.frame.view
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(LEFT))])
    over = view.rightPane.geometry().center()
    before = [pane.grab().toImage() for pane in (view.leftPane, view.rightPane)]
    event = QDragMoveEvent(
        QPoint(over),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    assert QPointF(over) == event.position()
    view.dragMoveEvent(event)
    assert view.leftPane.grab().toImage() == before[0]
    assert view.rightPane.grab().toImage() != before[1]
    view.dragLeaveEvent(QDragLeaveEvent())
    assert view.rightPane.grab().toImage() == before[1]


def test_a_comparison_does_not_begin_with_what_was_said_of_reading(rope: Driver) -> None:
    status = rope.window.frame.status
    status.setProgress("reading", 990)
    status.setRunning(True)
    assert rope.named("progressStage", QLabel).text() == ""


def test_the_title_names_what_comes_beside_what_is_open(driver: Driver, gate: Gate) -> None:
    window = driver.window
    gate.opened.set()
    driver.open(LEFT, RIGHT)
    gate.opened.clear()
    window.open(Opening({Side.RIGHT: SAMPLES / "vocab/jit.ir"}))
    coming = "24 % · rope/eager.ir ↔ vocab/jit.ir[*] — opdiff"
    driver.qtbot.waitUntil(lambda: window.windowTitle() == coming)
    window.commands["cancel"].trigger()
    assert window.windowTitle() == "rope/eager.ir ↔ rope/jit.ir[*] — opdiff"


@pytest.mark.parametrize(
    ("left", "right", "names"),
    [
        ("a/x.ir", "b/y.ir", ("a/x.ir", "b/y.ir")),
        ("old/rank_0/t.ir", "new/rank_0/t.ir", ("old/rank_0/t.ir", "new/rank_0/t.ir")),
        ("old/dump/0/0", "new/dump/0/0", ("old/…/0/0", "new/…/0/0")),
        ("a/x.ir", "a/x.ir", ("a/x.ir", "a/x.ir")),
        ("a/x.ir", "", ("a/x.ir", "")),
    ],
)
def test_paths_are_shortened_to_what_tells_them_apart(
    left: str, right: str, names: tuple[str, str]
) -> None:
    assert short_paths(left, right) == names


def test_two_traces_of_one_name_are_told_apart(driver: Driver, tmp_path: Path) -> None:
    paths = []
    for run, file in (("before", LEFT), ("after", RIGHT)):
        paths.append(tmp_path / run / "rank_0" / "tracker_graph.ir")
        paths[-1].parent.mkdir(parents=True)
        paths[-1].write_bytes(file.read_bytes())
    driver.open(*paths)
    names = [field(driver, side) for side in ("left", "right")]
    assert names == ["before/rank_0/tracker_graph.ir", "after/rank_0/tracker_graph.ir"]
    assert driver.window.windowTitle() == f"{' ↔ '.join(names)}[*] — opdiff"
