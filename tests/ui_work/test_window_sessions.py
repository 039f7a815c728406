from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from bench_driving import ANCHORS, Bench
from PySide6.QtCore import QDateTime, QLocale
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from opdiff.compare import Direction, Kind, Side
from opdiff.errors import OpdiffError
from opdiff.session import group_key, read_session
from opdiff.ui.settings import SESSIONS


def decide(bench: Bench) -> None:
    """Decisions of several sorts."""
    bench.select(Side.RIGHT, 607)
    bench.do_and_compare("ignoreType")
    bench.go_to(Kind.OP_TYPE)
    bench.do("knownGroup")
    bench.do("hideKnown")
    work = bench.window.store.work
    group = bench.comparison.groups[0]
    bench.window.store.setWork(work.with_note(group_key(group), "seen before"), "note")


def open_session(bench: Bench, path: Path) -> None:
    with bench.qtbot.waitSignal(bench.window.comparisonReady, timeout=20_000):
        bench.window.openSession(path)


def test_a_session_is_saved_and_opened_in_another_window(
    compared: Bench, qtbot: QtBot, tmp_path: Path
) -> None:
    decide(compared)
    compared.select(Side.LEFT, 520)
    path = tmp_path / "work.opdiff"
    sessions = compared.window.sessions
    assert sessions.unsaved
    assert sessions.save_to(path)
    assert not sessions.unsaved
    other = Bench(qtbot, tmp_path)
    open_session(other, path)
    assert other.window.store.work == compared.window.store.work
    assert len(other.comparison.divergences) == len(compared.comparison.divergences)
    assert other.window.frame.view.leftPane.currentLine() == 520
    assert other.window.sessions.path == path
    assert other.window.settings.recent(SESSIONS) == [str(path)]
    assert not other.window.sessions.unsaved
    other.window.close()


def test_a_session_can_be_dropped_on_the_window(compared: Bench, tmp_path: Path) -> None:
    path = tmp_path / "work.opdiff"
    compared.window.sessions.save_to(path)
    compared.open()
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        compared.window.openDropped([str(path)])
    assert compared.window.sessions.path == path


def test_saving_again_goes_to_the_same_file(compared: Bench, tmp_path: Path) -> None:
    path = tmp_path / "work.opdiff"
    compared.window.sessions.save_to(path)
    before = path.read_bytes()
    decide(compared)
    compared.do("saveSession")
    assert path.read_bytes() != before


def test_a_changed_trace_is_said_and_anchors_are_found_again(
    compared: Bench, qtbot: QtBot, tmp_path: Path
) -> None:
    path = tmp_path / "work.opdiff"
    compared.window.sessions.save_to(path)
    add_ops_above(compared.left)
    other = Bench(qtbot, tmp_path)
    open_session(other, path)
    row = other.window.store.work.anchor(Side.LEFT)
    assert row is not None
    assert other.trace(Side.LEFT).line_of(row) == ANCHORS[Side.LEFT] + 6
    text = other.window.frame.notice.text
    assert "has changed since the session was saved" in text
    assert "was at line 550 and is now at line 556" in text
    other.window.close()


def add_ops_above(path: Path) -> None:
    head = "(%9001) = Warmup(%9000), task_info: 1, attrs {stream_id=0} \n"
    record = head + "    (Float32:[4]) <- (Float32:[4])\n    # \n"
    path.write_text(record * 2 + path.read_text("utf-8"), "utf-8")


def test_broken_sessions_are_told_in_the_window(compared: Bench, tmp_path: Path) -> None:
    path = tmp_path / "broken.opdiff"
    path.write_text("{")
    compared.window.sessions.try_open(path)
    assert "broken.opdiff:1: is not a session" in compared.window.frame.banner.text
    with pytest.raises(OpdiffError):
        compared.window.openSession(path)


@pytest.mark.parametrize(
    ("answer", "closed"),
    [
        (QMessageBox.StandardButton.Cancel, False),
        (QMessageBox.StandardButton.Discard, True),
        (QMessageBox.StandardButton.Save, True),
    ],
)
def test_closing_asks_about_unsaved_decisions(
    compared: Bench, tmp_path: Path, answer: QMessageBox.StandardButton, closed: bool
) -> None:
    path = tmp_path / "work.opdiff"
    compared.window.sessions.save_to(path)
    saved = path.read_bytes()
    decide(compared)
    compared.answer = answer
    assert compared.window.close() is closed
    assert (path.read_bytes() != saved) is (answer == QMessageBox.StandardButton.Save)
    compared.answer = QMessageBox.StandardButton.Discard


def test_closing_does_not_ask_about_anchors_alone(compared: Bench) -> None:
    compared.answer = QMessageBox.StandardButton.Cancel
    assert compared.window.close()


def test_anchors_alone_are_autosaved_too(compared: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    compared.window.sessions.start_autosave(folder)
    autosave = compared.window.sessions.autosave
    assert autosave is not None
    autosave.save_now()
    autosave.wait()
    [copy] = folder.glob("*.opdiff")
    work = read_session(copy).restore(*(compared.trace(side) for side in Side)).work
    assert work == compared.window.store.work
    compared.window.sessions.save_to(tmp_path / "work.opdiff")
    autosave.save_now()
    assert list(folder.glob("*.opdiff")) == []


def test_autosave_is_there_while_work_is_unsaved_and_gone_after_a_clean_end(
    compared: Bench, tmp_path: Path
) -> None:
    folder = tmp_path / "state"
    compared.window.sessions.start_autosave(folder)
    autosave = compared.window.sessions.autosave
    assert autosave is not None
    decide(compared)
    autosave.save_now()
    autosave.wait()
    assert len(list(folder.glob("*.opdiff"))) == 1
    compared.window.close()
    assert list(folder.iterdir()) == []


def test_comparing_the_other_way_is_nothing_to_restore(bench: Bench, tmp_path: Path) -> None:
    bench.open()
    folder = tmp_path / "state"
    bench.window.sessions.start_autosave(folder)
    autosave = bench.window.sessions.autosave
    assert autosave is not None
    with bench.qtbot.waitSignal(bench.window.comparisonReady, timeout=20_000):
        bench.window.compare(Direction.WHOLE)
    autosave.save_now()
    autosave.wait()
    assert list(folder.glob("*.opdiff")) == []


def test_a_session_that_was_not_compared_opens_where_it_was(
    bench: Bench, qtbot: QtBot, tmp_path: Path
) -> None:
    bench.open()
    bench.select(Side.RIGHT, 520)
    path = tmp_path / "work.opdiff"
    assert bench.window.sessions.save_to(path)
    other = Bench(qtbot, tmp_path)
    with qtbot.waitSignal(other.window.opener.settled, timeout=20_000):
        other.window.openSession(path)
    assert other.window.frame.view.rightPane.currentLine() == 520


CRASHES = """
import os, signal, sys
from pathlib import Path
from opdiff.compare import Request
from opdiff.readers import open_trace
from opdiff.session import Work
from opdiff.session.recovery import Recovery
from opdiff.ui.settings import SESSIONS

left, right = map(open_trace, sys.argv[1:3])
rows = left.row_at(550), right.row_at(649)
work = Work(Request(left_anchor=rows[0], right_anchor=rows[1], pins=((3, 3),)))
recovery = Recovery(Path(sys.argv[3]))
recovery.save(work, left, right, {}, None)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_when_it_was_is_told_in_the_language_of_the_window(bench: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    paths = [str(bench.left), str(bench.right), str(folder)]
    subprocess.run([sys.executable, "-c", CRASHES, *paths], check=False)
    bench.window.appearance.choose_language("zh")
    bench.window.sessions.start_autosave(folder)
    told = bench.child(QMessageBox, "restoreBox").informativeText()
    today = QDateTime.currentDateTime()
    assert QLocale("zh").toString(today.date(), QLocale.FormatType.ShortFormat) in told
    assert QLocale("zh").toString(today, QLocale.FormatType.ShortFormat) != QLocale.c().toString(
        today, QLocale.FormatType.ShortFormat
    )
    bench.window.appearance.choose_language("en")


@pytest.mark.parametrize("button", ["restoreButton", "discardButton"])
def test_work_is_restored_after_a_crash_or_given_up(
    bench: Bench, tmp_path: Path, button: str
) -> None:
    folder = tmp_path / "state"
    paths = [str(bench.left), str(bench.right), str(folder)]
    subprocess.run([sys.executable, "-c", CRASHES, *paths], check=False)
    bench.window.sessions.start_autosave(folder)
    told = bench.child(QMessageBox, "restoreBox").informativeText()
    assert str(bench.left) in told
    assert str(bench.right) in told
    assert "Last changed" in told
    if button == "restoreButton":
        with bench.qtbot.waitSignal(bench.window.comparisonReady, timeout=20_000):
            bench.child(QPushButton, button).click()
        assert bench.window.store.work.request.pins == ((3, 3),)
        assert bench.window.sessions.path is None
    else:
        bench.child(QPushButton, button).click()
        assert bench.window.store.both() is None
    autosave = bench.window.sessions.autosave
    assert autosave is not None
    assert autosave.offer() is None


def test_a_changed_file_is_offered_to_be_read_again(compared: Bench) -> None:
    notice = compared.window.frame.notice
    compared.select(Side.RIGHT, 607)
    compared.do_and_compare("ignoreOp")
    add_ops_above(compared.right)
    compared.qtbot.waitUntil(lambda: notice.topic == "changed", timeout=10_000)
    assert "right.ir has changed on disk." in notice.text
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        compared.child(QPushButton, "noticeButton").click()
    trace, work = compared.trace(Side.RIGHT), compared.window.store.work
    assert trace.type_name(0) == "Warmup"
    row = work.anchor(Side.RIGHT)
    assert row is not None
    assert trace.line_of(row) == ANCHORS[Side.RIGHT] + 6
    assert [trace.line_of(row) for row in work.request.ignored_right] == [613]
