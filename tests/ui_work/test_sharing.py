"""Handing a finding on: links, Markdown, what was exported, notes found again."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from bench_driving import SAMPLES, Bench
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QPlainTextEdit, QPushButton

from opdiff.cli.window_command import ORDERS, _launch, _parser
from opdiff.compare import Kind, Side
from opdiff.session import group_key
from opdiff.session.source_map import SourceMap
from opdiff.session.value_choice import ValueChoice
from opdiff.ui import sharing
from opdiff.ui.differences.outline import Order
from opdiff.ui.guide.samples import RECORDED_AT
from opdiff.ui.launching import _dress
from opdiff.ui.work.noting import NotesDialog


def copied() -> str:
    return QGuiApplication.clipboard().text()


def test_a_link_leads_to_the_very_difference(compared: Bench, tmp_path: Path) -> None:
    index = compared.go_to(Kind.OP_TYPE)
    compared.do("copyCommand")
    words = shlex.split(copied())
    found = compared.comparison.divergences[index]
    lines = [compared.trace(side).line_of(found.rows(side)[0]) for side in Side]
    assert words[words.index("--goto") + 1] == f"{lines[0]}:{lines[1]}"
    launch = _launch(_parser().parse_args(words[1:]))
    assert launch.opening is not None
    other = Bench(compared.qtbot, tmp_path)
    with other.qtbot.waitSignal(other.window.comparisonReady, timeout=20_000):
        other.window.open(launch.opening)
    assert other.window.store.current == index
    other.window.close()


def test_a_link_keeps_the_filters_and_the_order_of_the_list(
    compared: Bench, tmp_path: Path
) -> None:
    store = compared.window.store
    hidden = frozenset({Kind.OP_TYPE, Kind.CONTIGUOUS})
    store.setWork(replace(store.work, hidden_kinds=hidden, known_hidden=True))
    store.setOrder(Order.COUNT)
    compared.do("copyCommand")
    launch = _launch(_parser().parse_args(shlex.split(copied())[1:]))
    assert launch.opening is not None
    other = Bench(compared.qtbot, tmp_path)
    liked = other.window.settings.text("order", "")
    _dress(other.window, launch)
    with other.qtbot.waitSignal(other.window.comparisonReady, timeout=20_000):
        other.window.open(launch.opening)
    assert other.window.store.work.hidden_kinds == hidden
    assert other.window.store.work.known_hidden
    assert other.window.store.outline.order is Order.COUNT
    assert other.window.settings.text("order", "") in (liked, Order.CAUSE.value)
    other.window.close()


def test_a_session_keeps_how_values_are_compared(compared: Bench, tmp_path: Path) -> None:
    choice = ValueChoice.of(floors=["bf16=0.5"], jump="7")
    compared.window.tasks.values.choice = choice
    assert compared.window.sessions.save_to(tmp_path / "work.opdiff")
    other = Bench(compared.qtbot, tmp_path)
    with other.qtbot.waitSignal(other.window.comparisonReady, timeout=20_000):
        other.window.openSession(tmp_path / "work.opdiff")
    assert other.window.tasks.values.choice == choice
    other.window.close()


def test_the_orders_of_the_command_line_are_those_of_the_list() -> None:
    assert tuple(order.value for order in Order) == ORDERS


def test_a_link_to_a_one_sided_difference(compared: Bench) -> None:
    index = compared.go_to(Kind.CONTIGUOUS)
    line = compared.trace(Side.RIGHT).line_of(compared.comparison.divergences[index].right_rows[0])
    compared.do("copyCommand")
    assert f"--goto :{line}" in copied()
    compared.window.store.setCurrent(0)
    compared.window.sharing.go_when_ready((None, int(line)))
    compared.window.comparisonReady.emit(compared.comparison)
    assert compared.window.store.current == index


def test_a_link_to_no_op_is_told(compared: Bench) -> None:
    compared.window.sharing.go_when_ready((999_999, None))
    compared.window.comparisonReady.emit(compared.comparison)
    assert "999999" in compared.window.frame.banner.text.replace(",", "")


def test_a_difference_is_copied_as_markdown_with_both_sources(compared: Bench) -> None:
    compared.window.sources.setMap(SourceMap(((RECORDED_AT, str(SAMPLES / "tinylm")),)))
    compared.go_to(Kind.OP_TYPE)
    compared.do("copyDifference")
    text = copied()
    assert text.startswith("### ≠ ")
    assert "(`op-type`)" in text
    assert "rotary.py:20 rotate\\_half" in text
    assert ">  20      first, second = mint.split" in text or "> 20  " in text
    assert "--goto" in text
    assert text.count("```") % 2 == 0
    assert compared.window.toast.text == "Copied: this difference as Markdown, with its sources"


def test_what_a_source_holds_stays_inside_its_fence(compared: Bench, tmp_path: Path) -> None:
    folder = tmp_path / "tinylm/tinylm"
    folder.mkdir(parents=True)
    (folder / "rotary.py").write_text("```\n# <script>\n" * 40)
    compared.window.sources.setMap(SourceMap(((RECORDED_AT, str(tmp_path / "tinylm")),)))
    compared.go_to(Kind.OP_TYPE)
    compared.do("copyDifference")
    assert copied().count("\n````python\n") >= 1


def test_an_export_says_where_it_is_and_offers_to_open_it(
    compared: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: opened.append(QUrl(url).toLocalFile())
    )
    for name, offers in (("report.html", ["Open", "Reveal"]), ("report.sh", ["Reveal"])):
        compared.do("export")
        compared.child(QLineEdit, "exportPath").setText(str(tmp_path / name))
        compared.child(QDialog, "exportDialog").export()  # type: ignore[attr-defined]
        assert compared.window.toast.text == f"Written: {tmp_path.name}/{name}"
        for offer in ("Open", "Reveal"):
            found = compared.window.toast.findChildren(QPushButton, f"toast{offer}Button")
            shown = [button for button in found if button.isVisible()]
            assert bool(shown) == (offer in offers)
        compared.qtbot.wait(0)
    compared.window.sharing.tell_written(tmp_path / "report.html")
    compared.qtbot.mouseClick(
        compared.child(QPushButton, "toastOpenButton"), Qt.MouseButton.LeftButton
    )
    assert opened == [str(tmp_path / "report.html")]
    assert compared.window.toast.isHidden()


def test_exports_go_where_the_last_one_went_and_not_beside_the_traces(
    compared: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "started"
    here.mkdir()
    monkeypatch.chdir(here)
    compared.do("export")
    path = compared.child(QLineEdit, "exportPath")
    assert Path(path.text()).parent == here
    kind = compared.child(QComboBox, "exportKind")
    kind.setCurrentIndex(kind.findData("csv"))
    there = tmp_path / "there"
    there.mkdir()
    path.setText(str(there / "mine.csv"))
    compared.child(QDialog, "exportDialog").export()  # type: ignore[attr-defined]
    compared.do("export")
    assert Path(compared.child(QLineEdit, "exportPath").text()).parent == there


def test_a_toast_goes_away_unless_it_is_used(compared: Bench) -> None:
    toast = compared.window.toast
    toast.tell("done")
    toast._leave_unless_used()
    assert toast.isHidden()
    toast.tell("done", [sharing.Offer("Open", "Open", lambda: None)])
    compared.child(QPushButton, "toastOpenButton").setFocus()
    toast._leave_unless_used()
    focused = compared.window.focusWidget()
    assert toast.isVisible() == (focused is not None and toast.isAncestorOf(focused))


def test_a_note_is_written_by_key_and_found_again(compared: Bench) -> None:
    index = compared.go_to(Kind.CONTIGUOUS)
    compared.do("noteDifference")
    edit = compared.child(QPlainTextEdit, "noteEdit")
    compared.qtbot.keyClicks(edit, "harmless copy")
    compared.qtbot.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert [note.text for note in compared.window.store.work.notes] == ["harmless copy"]
    row = compared.comparison.divergences[index].right_rows[0]
    assert compared.window.frame.view._scene.side(Side.RIGHT).noted == {row}
    model = compared.window.frame.differences.model
    assert model.member_index(index).data().startswith("✎ ")
    compared.window.store.setCurrent(0)
    compared.do("notes")
    dialog = compared.child(NotesDialog, "notesDialog")
    assert dialog.list.topLevelItemCount() == 1
    dialog.show_selected()
    assert compared.window.store.current == index
    dialog.remove_selected()
    assert compared.window.store.work.notes == ()
    assert not dialog.list.isVisible()
    compared.do("undo")
    assert len(compared.window.store.work.notes) == 1
    dialog.close()


def test_enter_in_the_list_of_notes_shows_and_removes_nothing(compared: Bench) -> None:
    """The first button was the one that Enter presses: the note was gone."""
    index = compared.go_to(Kind.OP_TYPE)
    work = compared.window.store.work
    group = compared.comparison.groups[compared.comparison.divergences[index].group]
    compared.window.store.setWork(work.with_note(group_key(group), "seen before"), "note")
    compared.window.store.setCurrent(None)
    compared.do("notes")
    dialog = compared.child(NotesDialog, "notesDialog")
    compared.qtbot.waitExposed(dialog)
    dialog.list.setFocus()
    compared.qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    assert len(compared.window.store.work.notes) == 1
    assert compared.window.store.current is not None
    dialog.close()


def test_the_mark_of_a_note_is_painted(compared: Bench) -> None:
    index = compared.go_to(Kind.CONTIGUOUS)
    pane = compared.window.frame.view.rightPane
    before = pane.grab().toImage()
    compared.window.frame.view.setNoted([index])
    assert pane.grab().toImage() != before


def test_the_title_names_the_session_and_its_star(compared: Bench, tmp_path: Path) -> None:
    window = compared.window
    assert "[*] — opdiff" in window.windowTitle()
    assert not window.isWindowModified()
    compared.go_to(Kind.CONTIGUOUS)
    compared.do("knownGroup")
    assert window.isWindowModified()
    assert window.sessions.save_to(tmp_path / "mine.opdiff")
    assert window.windowTitle().startswith("mine[*] — ")
    assert not window.isWindowModified()
    assert window.toast.text == "Session saved: mine.opdiff"
    compared.do("undo")
    assert window.isWindowModified()


@pytest.mark.parametrize("text", ["", ":", "x:1", "1", "1:2:3", "1" * 30 + ":1"])
def test_a_place_that_is_none_is_refused(text: str) -> None:
    from opdiff.cli import main

    assert main(["a", "b", "--goto", text]) == 2


def test_the_title_has_a_place_for_the_star_before_the_star_is_set(
    compared: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = compared.window
    monkeypatch.setattr(type(window.sessions), "unsaved", True)
    window.setWindowModified(False)
    window.setWindowTitle("opdiff")  # as before anything is open
    window.sessions.renamed.emit()
    assert window.isWindowModified()  # what Qt would complain about fails the test
