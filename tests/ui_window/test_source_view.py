"""The source beside the ops, through the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel, QListWidget, QPlainTextEdit, QPushButton
from window_driving import SAMPLES, Driver

from opdiff.compare import Side
from opdiff.readers import open_trace
from opdiff.session.source_map import SourceMap
from opdiff.ui.commands import handlers
from opdiff.ui.guide.samples import RECORDED_AT
from opdiff.ui.look.plain_text import ElidedLabel
from opdiff.ui.look.theme import DARK, LIGHT, Theme
from opdiff.ui.source import SourceView
from opdiff.ui.source.reading import Ink, highlighted

TINYLM = SAMPLES / "tinylm"
CTRL = Qt.KeyboardModifier.ControlModifier
USER_ROLE = Qt.ItemDataRole.UserRole


@pytest.fixture
def compared(compared: Driver) -> Driver:
    """At the difference nearest the anchor, of which only the left op has a stack."""
    compared.window.store.setCurrent(0)
    return compared


def look(driver: Driver) -> SourceView:
    """Go to the source by key, and wait until it is read."""
    driver.window.frame.view.leftPane.setFocus()
    driver.press(Qt.Key.Key_8, CTRL)
    view = driver.named("sourceView", SourceView)
    driver.qtbot.waitUntil(lambda: not view.reader._waiting)
    return view


def code(driver: Driver, side: str = "left") -> QPlainTextEdit:
    return driver.named(f"{side}Source", QPlainTextEdit)


def stack(driver: Driver, side: str = "left") -> list[str]:
    shown = driver.named(f"{side}Stack", QListWidget)
    return [shown.item(row).text() for row in range(shown.count())]


def mapped(driver: Driver) -> Driver:
    driver.window.sources.setMap(SourceMap(((RECORDED_AT, str(TINYLM)),)))
    return driver


def test_the_stack_is_one_frame_a_line_with_the_user_s_own_first(compared: Driver) -> None:
    look(mapped(compared))
    frames = stack(compared)
    assert frames[0] == "rotary.py:51 apply_rotary_pos_emb"
    assert frames[-1] == "train.py:61 <module>"
    shown = compared.named("leftStack", QListWidget)
    assert shown.item(0).font().bold()
    assert not shown.item(1).font().bold()


def test_the_line_is_marked_among_five_before_and_after(compared: Driver) -> None:
    look(mapped(compared))
    lines = code(compared).toPlainText().splitlines()
    text = (TINYLM / "tinylm/rotary.py").read_text("utf-8").splitlines()
    assert lines[-1] == f"▸ 51  {text[50]}"
    assert lines[0] == f"  46  {text[45]}"
    assert len(lines) == 6, "the file ends there"
    compared.window.frame.view.selectRow(0, compared.window.store.trace(0).row_at(529))  # type: ignore[union-attr]
    look(compared)
    lines = code(compared).toPlainText().splitlines()
    assert [line[0] for line in lines].count("▸") == 1
    assert lines[5].startswith("▸ 50")


def test_both_sides_are_shown_where_both_have_a_stack(compared: Driver) -> None:
    store = compared.window.store
    compared.window.frame.view.selectRow(0, store.trace(0).row_at(550))  # type: ignore[union-attr]
    look(mapped(compared))
    for side in ("left", "right"):
        assert "▸ 68" in code(compared, side).toPlainText()
        assert code(compared, side).isVisible()


def test_an_op_without_a_stack_says_why(compared: Driver) -> None:
    look(mapped(compared))
    message = compared.named("rightSourceMessage", QLabel)
    assert message.isVisible()
    assert message.text() == "compiled graph, scope Default: no stack was recorded"


def test_another_frame_shows_its_own_lines(compared: Driver) -> None:
    look(mapped(compared))
    place = stack(compared).index("attention.py:66 construct")
    compared.named("leftStack", QListWidget).setCurrentRow(place)
    compared.qtbot.waitUntil(lambda: "apply_rotary_pos_emb(part" in code(compared).toPlainText())
    assert compared.named("sourceTitle", ElidedLabel).wholeText() == "attention.py:66 construct"


def test_where_files_are_is_asked_once(compared: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    look(compared)
    message = compared.named("leftSourceMessage", QLabel)
    assert message.text() == f"{RECORDED_AT}/tinylm/rotary.py: this machine does not have the file"
    asked: list[str] = []

    def choose(_parent: object, title: str, *_: object) -> tuple[str, str]:
        asked.append(title)
        return str(TINYLM / "tinylm/rotary.py"), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", choose)
    button = compared.named("leftSourceLocateButton", QPushButton)
    compared.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    compared.qtbot.waitUntil(lambda: "▸ 51" in code(compared).toPlainText())
    assert asked == ["Where is rotary.py?"]
    assert compared.window.sources.map == SourceMap((("/home/user", str(SAMPLES)),))
    compared.window.frame.view.selectRow(0, compared.window.store.trace(0).row_at(550))  # type: ignore[union-attr]
    look(compared)
    assert "▸ 68" in code(compared).toPlainText(), "a neighbour is found without a question"


def test_the_map_is_kept_in_the_session(compared: Driver, tmp_path: Path) -> None:
    window = mapped(compared).window
    session = tmp_path / "mine.opdiff"
    assert window.sessions.save_to(session)
    known = window.sources.map
    window.sources.setMap(SourceMap())
    with compared.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.openSession(session)
    assert window.sources.map == known


def test_the_command_line_of_this_view_names_the_map(compared: Driver) -> None:
    mapped(compared).window.commands["copyCommand"].trigger()
    text = QGuiApplication.clipboard().text()
    assert f"--source-map {RECORDED_AT}={TINYLM}" in text


def test_files_are_read_only_when_looked_at(
    compared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = mapped(compared).window.frame.source.reader
    wishes: list[str] = []
    real = reader.read

    def read(slot: object, path: str, *rest: object, **more: bool) -> None:
        wishes.append(path)
        real(slot, path, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(reader, "read", read)
    compared.window.frame.view.leftPane.setFocus()
    compared.press(Qt.Key.Key_N)
    assert wishes == []
    look(compared)
    assert wishes == [str(TINYLM / "tinylm/rotary.py")]


def test_a_frame_of_the_details_opens_the_mapped_file(
    compared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, int]] = []

    def note(file: str, line: int) -> bool:
        opened.append((file, line))
        return True

    monkeypatch.setattr(handlers, "open_in_editor", note)
    details = compared.window.frame.details
    details.openSource.emit(f"{RECORDED_AT}/tinylm/rotary.py", 51)
    assert opened == [], "it is not there"
    assert compared.named("sourceView", SourceView).isVisible(), "and the source asks where it is"
    mapped(compared)
    compared.window.frame.view.leftPane.setFocus()
    compared.press(Qt.Key.Key_S)
    assert opened == [(str(TINYLM / "tinylm/rotary.py"), 51)]


def test_the_button_opens_the_frame_that_was_chosen_on_either_side(
    compared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []
    monkeypatch.setattr(handlers, "open_in_editor", lambda _, line: opened.append(line) or True)
    store = compared.window.store
    compared.window.frame.view.selectRow(0, store.trace(0).row_at(550))  # type: ignore[union-attr]
    look(mapped(compared))
    frames = compared.named("rightStack", QListWidget)
    own = frames.item(0)
    own.setData(USER_ROLE, replace(own.data(USER_ROLE), line=7))
    for stack_of in (frames, compared.named("leftStack", QListWidget)):
        at = stack_of.visualItemRect(stack_of.item(0)).center()
        compared.qtbot.mouseClick(stack_of.viewport(), Qt.MouseButton.LeftButton, pos=at)
        compared.click("openSourceButton")
    assert opened == [7, 68]


def test_tabs_lead_from_the_details_to_the_source_and_back(compared: Driver) -> None:
    frame = compared.window.frame
    assert frame.details.isVisible()
    assert not frame.source.isVisible()
    below = frame.below
    below.show_named("sourceView")
    assert frame.source.isVisible()
    assert not frame.details.isVisible()
    compared.press(Qt.Key.Key_4, CTRL)
    assert frame.details.isVisible()


def test_with_room_for_both_details_and_source_stand_side_by_side(compared: Driver) -> None:
    compared.window.setFixedSize(2560, 1440)
    frame = compared.window.frame
    compared.qtbot.waitUntil(frame.source.isVisible)
    assert frame.details.isVisible()


def luminance(colour: QColor) -> float:
    shares = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in colour.getRgbF())
    red, green, blue, _ = shares
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_larger_text_stays_so_in_another_theme(compared: Driver) -> None:
    window = compared.window
    code = window.frame.source.sides[0].code
    usual = code.document().defaultFont().pixelSize()
    try:
        with compared.qtbot.waitSignal(window.appearance.dressed):
            window.commands["zoomIn"].trigger()
        with compared.qtbot.waitSignal(window.appearance.dressed):
            window.appearance.choose_theme("dark")
        assert code.document().defaultFont().pixelSize() > usual
    finally:
        with compared.qtbot.waitSignal(window.appearance.dressed):
            window.commands["zoomReset"].trigger()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("ink", list(Ink))
def test_code_can_be_read(ink: Ink, theme: Theme) -> None:
    one, other = luminance(ink.colour(theme)), luminance(theme.background)
    assert (max(one, other) + 0.05) / (min(one, other) + 0.05) >= 4.5


def test_texts_that_begin_above_are_known_as_such() -> None:
    lines = ('"""A text', "def not_code():", '"""', "def code():", "    return 1")
    spans = highlighted(lines, 2, 5)
    assert spans[0] == [("def not_code():", Ink.STRING)]
    assert ("def", Ink.KEYWORD) in spans[2]
    assert ("code", Ink.NAME) in spans[2]
    assert ("1", Ink.NUMBER) in spans[3]


def test_lines_are_as_many_as_asked_for_whatever_they_hold() -> None:
    for text in ("'''", "\\", "x = (", "\tif", "日本 = 1  # ☃"):
        assert len(highlighted((text,) * 7, 2, 6)) == 5


def test_the_sources_of_the_samples_have_the_lines_that_the_traces_name() -> None:
    known = SourceMap(((RECORDED_AT, str(TINYLM)),))
    seen = set()
    for name in ("rope/eager.ir", "vocab/eager.ir", "activation/silu.ir"):
        trace = open_trace(SAMPLES / name)
        for row in range(len(trace)):
            frame = trace.user_frame(row)
            path = Path(known.path_of(frame.file)) if frame is not None else None
            if frame is None or path is None or not path.is_file():
                continue
            lines = path.read_text("utf-8").splitlines()
            assert lines[frame.line - 1].strip(), frame
            seen.add(path.name)
    assert seen == {"attention.py", "mlp.py", "rotary.py", "vocab_embedding.py"}


def test_where_no_stack_was_recorded_the_keys_go_to_the_view_itself(driver: Driver) -> None:
    driver.open(SAMPLES / "real/rope/eager", SAMPLES / "real/rope/jit_trace")
    trace = driver.window.store.trace(Side.RIGHT)
    assert trace is not None
    row = trace.row_at(280)
    assert row is not None
    driver.window.frame.view.selectRow(Side.RIGHT, row)
    driver.press(Qt.Key.Key_8, Qt.KeyboardModifier.ControlModifier)
    assert driver.window.focusWidget() is driver.named("rightSourceMessage", QLabel)
