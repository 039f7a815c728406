from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QSpinBox,
)
from window_driving import SAMPLES, Driver

from opdiff.compare import Side
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.trace.search import find_rows
from opdiff.ui.moving.search import hits, rows_found


@pytest.fixture(scope="module")
def trace() -> Trace:
    return open_trace(Path(SAMPLES, "rope/eager.ir"))


def types(trace: Trace, rows: np.ndarray) -> set[str]:
    return {trace.type_name(int(row)) for row in rows}


def test_an_op_is_found_by_part_of_its_name_whatever_the_case(trace: Trace) -> None:
    assert types(trace, rows_found(trace, "batchmat")) == {"BatchMatMul"}


def test_a_glob_is_the_whole_name(trace: Trace) -> None:
    assert types(trace, rows_found(trace, "Mul*")) == {"Mul", "Muls"}
    assert types(trace, rows_found(trace, "Mu?")) == {"Mul"}


def test_a_function_is_found_in_the_stacks(trace: Trace) -> None:
    rows = rows_found(trace, "rotate_half")
    assert len(rows)
    for row in rows:
        stack = trace.op(int(row)).stack
        assert any("rotate_half" in frame.function for frame in stack)


def test_a_line_names_its_op(trace: Trace) -> None:
    assert rows_found(trace, "551").tolist() == [trace.row_at(550)]
    assert rows_found(trace, "999999").tolist() == []


def test_a_block_is_found_where_it_is_written_and_read(trace: Trace) -> None:
    memory = int(trace.outputs.memory[0])
    rows = rows_found(trace, f"%{memory}").tolist()
    assert rows
    for row in rows:
        op = trace.op(row)
        assert memory in [operand.memory for operand in (*op.inputs, *op.outputs)]


def test_nothing_is_found_for_nothing(trace: Trace) -> None:
    assert len(rows_found(trace, "  ")) == 0


def test_a_pair_is_one_hit(compared: Driver) -> None:
    comparison = compared.window.store.comparison
    assert comparison is not None
    partner = comparison.left.partner
    row = int(np.flatnonzero(partner >= 0)[3])
    found = hits(np.array([row]), np.array([int(partner[row])]), comparison)
    assert list(found) == [(Side.LEFT, row)]


def test_searching_counts_and_walks_round(compared: Driver) -> None:
    edit = compared.named("searchEdit", QLineEdit)
    with compared.qtbot.waitSignal(compared.window.search.found):
        compared.qtbot.keyClicks(edit, "rotate_half")
    count = compared.named("searchCount", QLabel)
    total = int(count.text())
    assert total > 1
    compared.qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert count.text() == f"1 / {total}"
    first = compared.lines()
    assert compared.window.commands["searchNext"].isEnabled()
    compared.press(Qt.Key.Key_F3)
    assert count.text() == f"2 / {total}"
    compared.press(Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert compared.lines() == first
    compared.press(Qt.Key.Key_F3, Qt.KeyboardModifier.ShiftModifier)
    assert count.text() == f"{total} / {total}"


def test_a_search_without_hits_says_so(compared: Driver) -> None:
    edit = compared.named("searchEdit", QLineEdit)
    edit.setText("no such op")
    compared.qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert compared.named("searchCount", QLabel).text() == "none"
    assert not compared.window.commands["searchNext"].isEnabled()
    compared.qtbot.keyClick(edit, Qt.Key.Key_Escape)
    assert edit.text() == ""


def test_the_finder_finds_the_last_op_of_a_function(rope: Driver) -> None:
    rope.window.commands["findLeft"].trigger()
    both = rope.window.store.both()
    assert both is not None
    function = rope.named("finderFunction", QComboBox)
    function.setEditText("rotate_half")
    spin = rope.named("finderOccurrence", QSpinBox)
    spin.setValue(spin.maximum())
    rope.click("finderAnchor")
    expected = rows_found(both[0], "rotate_half")[-1]
    assert rope.window.store.work.request.left_anchor == expected
    assert rope.lines()[0] == both[0].line_of(int(expected))


def test_the_finder_goes_on_to_the_likely_counterparts(rope: Driver) -> None:
    rope.window.commands["findLeft"].trigger()
    rope.named("finderOp", QComboBox).setEditText("BatchMatMul")
    spin = rope.named("finderOccurrence", QSpinBox)
    spin.setValue(spin.maximum())
    rope.click("finderAnchorAndGoOn")
    likely = rope.named("finderCounterparts", QListView)
    assert likely.isVisible()
    assert likely.model().rowCount() > 0
    rope.click("finderAnchor")
    request = rope.window.store.work.request
    both = rope.window.store.both()
    assert both is not None
    assert request.left_anchor is not None
    assert request.right_anchor is not None
    assert both[1].type_name(request.right_anchor) == both[0].type_name(request.left_anchor)


def test_a_finder_that_finds_nothing_says_why_and_anchors_nowhere(rope: Driver) -> None:
    rope.window.commands["findLeft"].trigger()
    op, count = rope.named("finderOp", QComboBox), rope.named("finderCount", QLabel)
    anchor = rope.named("finderAnchor", QPushButton)
    assert anchor.isEnabled()
    both = rope.window.store.both()
    assert both is not None
    op.setEditText("rotate")
    functions = len(find_rows(both[0], function="*rotate*"))
    assert functions
    assert count.text() == (
        f"No op type fits, but Python functions of that name do, with {functions} ops."
    )
    assert not anchor.isEnabled()
    assert not rope.named("finderAnchorAndCompare", QPushButton).isEnabled()
    op.setEditText("nothing of that name")
    assert count.text() == "No op type fits."
    rope.named("finderScope", QLineEdit).setText("nowhere")
    assert count.text() == "No op fits."
    rope.named("finderScope", QLineEdit).clear()
    op.setEditText("Concat")
    assert count.text() == "16 ops"
    assert anchor.isEnabled()


def test_what_was_chosen_last_becomes_the_anchor(rope: Driver) -> None:
    rope.anchor(550, 649)
    rope.window.commands["findRight"].trigger()
    both = rope.window.store.both()
    assert both is not None
    rope.named("finderOp", QComboBox).setEditText("Softmax")
    rope.click("finderAnchor")
    anchor = rope.window.store.work.request.right_anchor
    assert anchor is not None
    assert both[1].type_name(anchor) == "Softmax"
    rope.window.commands["findRight"].trigger()
    finder = rope.window.findChildren(QDialog, "finder")[-1]
    finder.findChild(QPushButton, "finderAnchor").click()
    assert rope.window.store.work.request.right_anchor == both[1].row_at(649)
