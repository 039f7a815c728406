from __future__ import annotations

from pathlib import Path

import pytest
from made_pairs import compared, left_trace, right_trace, said
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QTextDocumentFragment
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
from pytestqt.qtbot import QtBot

from opdiff.compare import Comparison, Divergence, Kind, Side
from opdiff.ui.details import DetailView
from opdiff.ui.details.field_grid import FieldCell
from opdiff.ui.details.table import Span, Unfold
from opdiff.ui.look.fonts import set_text_scale
from opdiff.ui.look.plain_text import ElidedLabel
from opdiff.ui.look.theme import DARK, LIGHT, apply_theme
from opdiff.ui.translations import install_language

MARKED = f"background-color: {LIGHT.accent.name()}"
"""How the link that Enter follows is told from the others."""


@pytest.fixture
def details(qtbot: QtBot, rope: Comparison) -> DetailView:
    widget = DetailView()
    qtbot.addWidget(widget)
    widget.setComparison(rope)
    widget.resize(900, 400)
    widget.show()
    return widget


def cells(widget: DetailView) -> list[FieldCell]:
    return [cell for cell in widget.findChildren(FieldCell) if cell.isVisibleTo(widget)]


def cell_with(widget: DetailView, text: str) -> FieldCell:
    return next(cell for cell in cells(widget) if text in cell.accessibleName())


def test_nothing_selected_says_what_to_do(details: DetailView) -> None:
    assert details.plainText() == ""
    hints = [label.text() for label in details.findChildren(QLabel) if label.isVisible()]
    assert "Select an op to see both sides field by field." in hints
    assert cells(details) == []


def test_a_pair_is_shown_with_its_records(details: DetailView) -> None:
    details.showPair(1, 3)
    text = details.plainText().splitlines()
    assert text[0] == "Slice (4)  ↔  StridedSlice (10)"
    assert text[1] == "≠ op type · ▦ strides/offset missing"
    assert text[2].strip() == "≠ op type   type differs"
    assert text[3].strip() == (
        "▦ strides/offset missing   layout differs  because of ≠ group 0 differs"
    )
    assert "type\tSlice\tStridedSlice" in text


def test_a_single_difference_is_said_in_the_header(details: DetailView) -> None:
    details.showPair(None, 1)
    text = details.plainText().splitlines()
    assert text[:2] == ["Contiguous (4)", "+ Contiguous · copy differs"]
    assert text[2].startswith("type")


def test_how_ops_stand_that_do_not_differ(details: DetailView, rope: Comparison) -> None:
    details.showPair(2, 4)
    assert "no difference" in details.plainText()
    details.showPair(None, 2)
    assert "noise, never a difference" in details.plainText()
    rope.left.state[3] = 0
    details.showPair(3, None)
    assert "outside the compared range" in details.plainText()


def test_one_row_brings_its_counterpart(details: DetailView) -> None:
    details.showPair(None, 3)
    assert details.shown.rows == (1, 3)


def test_links_go_to_ops(details: DetailView, qtbot: QtBot) -> None:
    details.showPair(1, 3)
    with qtbot.waitSignal(details.goTo) as went:
        cell_with(details, "from Contiguous").linkActivated.emit("1")
    assert went.args == [Side.RIGHT, 0]
    with qtbot.waitSignal(details.goTo) as went:
        cell_with(details, "because of").linkActivated.emit("0")
    assert went.args == [Side.LEFT, 1]


def test_a_frame_opens_its_source(qtbot: QtBot, tmp_path: Path) -> None:
    source = tmp_path / "rope.py"
    source.write_text("")
    widget = DetailView()
    qtbot.addWidget(widget)
    widget.setTrace(Side.LEFT, left_trace(str(source)))
    widget.showPair(1, None)
    with qtbot.waitSignal(widget.openSource) as opened:
        cell_with(widget, "rope.py:88").linkActivated.emit("0")
    assert opened.args == [str(source), 88]


def test_links_are_reached_by_key(details: DetailView, qtbot: QtBot) -> None:
    details.show()
    qtbot.waitExposed(details)
    details.activateWindow()
    details.showPair(1, 3)
    details.setFocus()
    area = details.focusProxy()
    assert area is not None
    qtbot.waitUntil(area.hasFocus)
    wanted = cell_with(details, "from Reshape")
    for _ in range(20):
        if MARKED not in wanted.text():
            qtbot.keyClick(area, Qt.Key.Key_Down)
    assert MARKED in wanted.text()
    assert "from Reshape" in area.accessibleDescription()
    with qtbot.waitSignal(details.goTo) as went:
        qtbot.keyClick(area, Qt.Key.Key_Return)
    assert went.args == [Side.LEFT, 0]


def test_arrows_go_through_all_links_and_back(details: DetailView, qtbot: QtBot) -> None:
    details.show()
    details.activateWindow()
    details.showPair(1, 3)
    details.setFocus()
    area = details.focusProxy()
    assert area is not None
    qtbot.waitUntil(area.hasFocus)
    linked = [cell for cell in details.findChildren(FieldCell) if cell.link_count]
    count = sum(cell.link_count for cell in linked)
    assert count > 3

    def marked() -> int:
        found = [number for number, cell in enumerate(linked) if MARKED in cell.text()]
        assert len(found) == 1
        return found[0]

    seen = [marked()]
    for _ in range(count - 1):
        qtbot.keyClick(area, Qt.Key.Key_Down)
        seen.append(marked())
    assert set(seen) == set(range(len(linked)))
    for _ in range(count + 2):
        qtbot.keyClick(area, Qt.Key.Key_Up)
    assert marked() == seen[0]


def test_no_link_is_marked_without_the_focus(details: DetailView) -> None:
    details.showPair(1, 3)
    assert not any(MARKED in cell.text() for cell in details.findChildren(FieldCell))


def test_copying_everything(details: DetailView) -> None:
    details.showPair(1, 3)
    details.copy()
    assert QGuiApplication.clipboard().text() == details.plainText()


def test_the_copy_key_is_not_lost_to_the_window(rope: Comparison, qtbot: QtBot) -> None:
    window, details = QMainWindow(), DetailView()
    qtbot.addWidget(window)
    window.setCentralWidget(details)
    details.setComparison(rope)
    rows = QAction(window)
    rows.setShortcut(QKeySequence.StandardKey.Copy)
    window.addAction(rows)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    details.showPair(1, 3)
    details.setFocus()
    QGuiApplication.clipboard().clear()
    with qtbot.assertNotEmitted(rows.triggered):
        qtbot.keyClick(
            QApplication.focusWidget(), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier
        )
    assert QGuiApplication.clipboard().text() == details.plainText()


def test_screen_readers_hear_field_and_side(details: DetailView) -> None:
    details.showPair(1, 3)
    names = [cell.accessibleName() for cell in cells(details)]
    assert "type, left: Slice" in names
    assert "stream, right: 1" in names
    assert "input 0, right: from Contiguous 4 → Reshape 1" in names
    assert any(name.startswith("difference: ≠ op type") for name in names)


def test_text_of_a_trace_is_never_markup(qtbot: QtBot) -> None:
    trace = left_trace("/nowhere/<b>&amp;.py")
    widget = DetailView()
    qtbot.addWidget(widget)
    widget.setTrace(Side.LEFT, trace)
    widget.showPair(1, None)
    assert "&lt;b&gt;&amp;amp;.py:88" in cell_with(widget, "amp;.py:88").text()


def test_language_changes_at_once(details: DetailView, qapp: QApplication) -> None:
    details.showPair(1, 3)
    install_language(qapp, "zh")
    QApplication.processEvents()
    assert "类型\tSlice\tStridedSlice" in details.plainText()
    assert "layout不同" in details.plainText()
    install_language(qapp, "en")
    QApplication.processEvents()
    assert "type\tSlice\tStridedSlice" in details.plainText()


def test_chinese_links_are_kept_in_one_piece(qtbot: QtBot) -> None:
    cell = FieldCell()
    qtbot.addWidget(cell)
    cell.show_cell((Span("另有 5 个", Unfold()),), None, "")
    plain = QTextDocumentFragment.fromHtml(cell.text()).toPlainText()
    assert plain.replace("\u2060", "").replace("\xa0", " ") == "另有 5 个"
    assert "另\u2060有\u2060" in plain, "no line breaks there"
    cell.setSelection(0, len(plain))
    assert cell.chosen_text() == "另有 5 个"


def test_tints_follow_the_theme(details: DetailView, qapp: QApplication) -> None:
    details.showPair(1, 3)
    cell = cell_with(details, "type, left")
    for theme in (DARK, LIGHT):
        apply_theme(qapp, theme)
        seen = cell.grab().toImage().pixelColor(cell.width() // 2, cell.height() // 2)
        assert seen == theme.tint(Kind.OP_TYPE)


def test_another_trace_forgets_the_comparison(details: DetailView) -> None:
    details.showPair(1, 3)
    details.setTrace(Side.RIGHT, right_trace())
    assert not details.shown
    details.showPair(1, 3)
    assert all(field.kind is None for field in details.fields)


def test_a_fusion_is_titled_with_its_size(qtbot: QtBot) -> None:
    record = Divergence(Kind.FUSED, (1, 2, 3), (3,), said("fusion"), 0)
    widget = DetailView()
    qtbot.addWidget(widget)
    widget.setComparison(compared(left_trace(), right_trace(), [(0, 0)], [record]))
    widget.showPair(2, 3)
    assert widget.plainText().startswith("Slice (4) + 2 more  ↔  StridedSlice (10)")


def test_long_texts_are_elided_with_a_tooltip(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(80, 20)
    label.setWholeText("a sentence that does not fit into eighty pixels")
    assert label.text().endswith("…")
    assert label.toolTip() == label.wholeText()
    label.resize(800, 20)
    label.show()
    assert label.text() == label.wholeText()
    assert label.toolTip() == ""


def test_no_names_keep_the_panel_wide(details: DetailView) -> None:
    details.showPair(1, 3)
    QApplication.processEvents()
    title = next(label for label in details.findChildren(ElidedLabel) if "↔" in label.wholeText())
    details.resize(1080, 250)
    QApplication.processEvents()
    assert title.text() == title.wholeText(), "there is room: what is said of the pair gives way"
    title.setWholeText("GraphKernel_Mul_Sigmoid_Sub_fusion (12345)  ↔  Mul (12345) + 2 more" * 3)
    assert details.minimumSizeHint().width() <= 300
    details.resize(400, 250)
    QApplication.processEvents()
    assert title.text().endswith("…")


def test_larger_text(details: DetailView) -> None:
    details.showPair(1, 3)
    details.grab()
    before = cell_with(details, "type, left").sizeHint().height()
    set_text_scale(1.5)
    details.refresh()
    assert cell_with(details, "type, left").sizeHint().height() > before * 1.3


def line_heights(widget: DetailView) -> set[int]:
    return {cell.heightForWidth(2000) for cell in cells(widget) if cell.text()}


def test_lines_are_even_in_both_languages(details: DetailView, qapp: QApplication) -> None:
    details.showPair(2, 4)
    heights = line_heights(details)
    assert len(heights) == 1
    install_language(qapp, "zh")
    QApplication.processEvents()
    assert line_heights(details) == heights


@pytest.mark.parametrize("spoken", ["en", "zh"])
def test_nothing_is_clipped(details: DetailView, qapp: QApplication, spoken: str) -> None:
    install_language(qapp, spoken)
    details.resize(1080, 250)
    details.showPair(1, 3)
    QApplication.processEvents()
    for label in details.findChildren(QLabel):
        if label.isVisible() and not isinstance(label, ElidedLabel):
            assert label.width() >= label.minimumSizeHint().width(), label.text()
            wanted = label.heightForWidth(label.width()) if label.wordWrap() else 0
            assert label.height() >= wanted, label.text()
