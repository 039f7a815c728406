from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit
from window_driving import SAMPLES, Driver

from opdiff.errors import OpdiffError
from opdiff.ui import tasks
from opdiff.ui.anchors import suggesting
from opdiff.ui.frame.crash import CrashCatcher
from opdiff.wording import Sentence


def message(driver: Driver, side: str) -> QLabel:
    return driver.named(f"{side}AnchorEditMessage", QLabel)


def test_a_missing_file_is_told_in_the_window_and_loses_nothing(rope: Driver) -> None:
    before = rope.window.store.both()
    missing = SAMPLES / "nowhere.ir"
    with rope.qtbot.waitSignal(rope.window.failed, timeout=20_000):
        rope.window.openTraces(missing, SAMPLES / "rope/jit.ir")
    assert rope.named("errorBanner").isVisible()
    assert str(missing) in rope.named("errorText", QLabel).text()
    assert rope.window.store.both() == before
    rope.click("errorCopyButton")
    assert QGuiApplication.clipboard().text() == rope.named("errorText", QLabel).text()
    rope.click("errorCloseButton")
    assert not rope.named("errorBanner").isVisible()


def test_a_file_that_is_no_trace_names_what_was_expected(driver: Driver, tmp_path: Path) -> None:
    poem = tmp_path / "poem.txt"
    poem.write_text("so much depends\nupon\n")
    with driver.qtbot.waitSignal(driver.window.failed, timeout=20_000):
        driver.window.openTraces(poem, poem)
    assert "tracker_graph.ir" in driver.named("errorText", QLabel).text()


def test_an_anchor_that_names_no_op_is_told_at_its_field(rope: Driver) -> None:
    edit = rope.named("leftAnchorEdit", QLineEdit)
    edit.setText("999999")
    rope.qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert message(rope, "left").isVisible()
    assert "No op has line 999999" in message(rope, "left").text()
    assert edit.property("error") is True
    nearest = rope.window.store.both()
    assert nearest is not None
    last = nearest[0].line_of(len(nearest[0]) - 1)
    assert str(last) in message(rope, "left").text()
    message(rope, "left").linkActivated.emit(str(last))
    assert edit.text() == str(last)
    assert edit.property("error") is False
    assert not message(rope, "left").isVisible()


@pytest.mark.parametrize("typed", ["abc", "-3", "1.5", "²"])
def test_an_anchor_must_be_a_line(rope: Driver, typed: str) -> None:
    edit = rope.named("rightAnchorEdit", QLineEdit)
    edit.setText(typed)
    rope.qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert message(rope, "right").isVisible()
    assert rope.window.store.work.request.right_anchor is None


def test_comparing_upward_asks_for_the_anchor_that_is_missing(
    rope: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggesting, "counterparts", lambda *_: [])
    rope.named("leftAnchorEdit", QLineEdit).setText("550")
    rope.click("compareUpButton")
    rope.qtbot.waitUntil(lambda: message(rope, "right").isVisible())
    assert not rope.window.tasks.running
    assert message(rope, "right").isVisible()
    assert rope.named("rightAnchorEdit").hasFocus()


def test_a_refused_comparison_keeps_the_one_before(
    compared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = compared.window.store.comparison

    def refuse(*_: object) -> None:
        raise OpdiffError(Sentence.of("session.no-ops"), path="left.ir", line=7)

    monkeypatch.setattr(tasks, "compare", refuse)
    with compared.qtbot.waitSignal(compared.window.failed, timeout=20_000):
        compared.click("compareWholeButton")
    assert compared.named("errorText", QLabel).text() == "left.ir:7: there is no op in this trace"
    assert compared.window.store.comparison is before


def test_a_crash_in_a_thread_is_shown_with_a_way_to_copy_it(
    compared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_down(*_: object) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(tasks, "compare", break_down)
    with compared.qtbot.waitSignal(compared.window.crashed, timeout=20_000):
        compared.click("compareDownButton")
    dialog = compared.named("crashDialog")
    assert "of all things" in dialog.findChild(QPlainTextEdit).toPlainText()
    compared.click("crashCopyButton")
    assert "ZeroDivisionError" in QGuiApplication.clipboard().text()
    assert compared.window.store.comparison is not None
    dialog.close()


def test_an_uncaught_exception_is_caught(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.__excepthook__)
    CrashCatcher(driver.window)
    error = RuntimeError("unforeseen")
    sys.excepthook(RuntimeError, error, None)
    assert "unforeseen" in driver.named("crashDialog").findChild(QPlainTextEdit).toPlainText()
    assert "unforeseen" in capsys.readouterr().err
    driver.named("crashDialog").close()
