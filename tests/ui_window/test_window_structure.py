"""The tree of layers and functions, the table of layers against kinds, paths above the panes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPoint, QSettings, Qt
from PySide6.QtGui import QAccessible, QFontMetrics
from PySide6.QtWidgets import QLabel, QPushButton, QTableView, QTreeView
from window_driving import SAMPLES, Driver

from opdiff.compare import Direction, Kind, Side
from opdiff.ui import MainWindow
from opdiff.ui.look import theme
from opdiff.ui.look.fonts import bold
from opdiff.ui.panes.pane_header import PathBar
from opdiff.ui.structure.summary_view import SummaryView

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def shown(compared: Driver) -> Driver:
    """The rope sample compared, with its structure beside the panes."""
    compared.window.commands["showStructure"].trigger()
    settled(compared)
    return compared


def settled(driver: Driver) -> None:
    structures = driver.window.frame.structures
    driver.qtbot.waitUntil(
        lambda: (
            structures.part_counts is not None
            and not structures._waiting
            and all(structures.outline(side) is not None for side in Side)
        ),
        timeout=10_000,
    )


def tree(driver: Driver) -> QTreeView:
    return driver.named("structureView", QTreeView)


def table(driver: Driver) -> QTableView:
    return driver.named("summaryTable", QTableView)


def texts(view: QTreeView, parent: QModelIndex | None = None) -> list[str]:
    model, above = view.model(), parent if parent is not None else QModelIndex()
    return [model.index(row, 0, above).data() for row in range(model.rowCount(above))]


def child(view: QTreeView, *names: str) -> QModelIndex:
    here = QModelIndex()
    for name in names:
        here = view.model().index(texts(view, here).index(name), 0, here)
    return here


def click(driver: Driver, view: QTableView, row: int, column: int) -> None:
    at = view.visualRect(view.model().index(row, column)).center()
    driver.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def in_layers(driver: Driver) -> list[str]:
    """How many differences the tree tells of each layer."""
    view = tree(driver)
    return [child(view, f"layer {n}").siblingAtColumn(2).data() for n in range(4)]


def test_the_panel_is_there_when_it_is_wanted(compared: Driver) -> None:
    panel = compared.named("structurePanel")
    assert not panel.isVisible()
    compared.press(Qt.Key.Key_6, CONTROL)
    assert panel.isVisible()
    assert tree(compared).hasFocus()
    compared.press(Qt.Key.Key_7, CONTROL)
    assert table(compared).hasFocus()
    compared.window.commands["showStructure"].trigger()
    assert not panel.isVisible()


def test_the_cell_that_the_keys_are_at_is_framed(shown: Driver) -> None:
    cells = table(shown)
    assert not cells.currentIndex().isValid()
    shown.press(Qt.Key.Key_7, CONTROL)
    assert (cells.currentIndex().row(), cells.currentIndex().column()) == (0, 0)
    shown.press(Qt.Key.Key_Right)
    shown.press(Qt.Key.Key_Right)
    box = cells.visualRect(cells.currentIndex())
    accent = theme.current().accent.name()

    def framed() -> bool:
        seen = cells.viewport().grab().toImage()
        return seen.pixelColor(box.left() + 1, box.center().y()).name() == accent

    assert framed()
    shown.window.frame.view.leftPane.setFocus()
    assert not framed()


def test_names_in_the_tree_have_what_its_numbers_do_not_need(shown: Driver) -> None:
    view = tree(shown)
    header = view.header()
    taken = header.sectionSize(1) + header.sectionSize(2)
    words = [str(view.model().headerData(column, Qt.Orientation.Horizontal)) for column in (1, 2)]
    wide = sum(bold_metrics(view).horizontalAdvance(text) for text in words)
    assert taken <= wide + 2 * 20
    assert view.textElideMode() is Qt.TextElideMode.ElideMiddle


def bold_metrics(view: QTreeView) -> QFontMetrics:
    return QFontMetrics(bold().resolve(view.font()))


def test_layers_and_functions_stand_in_a_tree(shown: Driver) -> None:
    view = tree(shown)
    assert texts(view) == ["main", "layer 0", "layer 1", "layer 2", "layer 3"]
    layer = child(view, "layer 2")
    assert texts(view, layer) == ["attention", "mlp"]
    assert texts(view, child(view, "layer 2", "attention")) == ["apply_rotary_pos_emb"]
    assert layer.siblingAtColumn(1).data() == "47"
    assert layer.siblingAtColumn(2).data() == "20"
    assert "lines 319–457" in layer.data(Qt.ItemDataRole.ToolTipRole)


def test_choosing_a_part_goes_to_its_first_op(shown: Driver) -> None:
    view = tree(shown)
    part = child(view, "layer 1", "attention", "apply_rotary_pos_emb")
    view.setCurrentIndex(part)
    line = shown.window.frame.view.leftPane.currentLine()
    assert line == 202
    assert view.currentIndex() == part


def test_the_tree_follows_the_current_row_on_either_side(shown: Driver) -> None:
    view = tree(shown)
    shown.window.frame.view.selectRow(Side.LEFT, 60)
    assert view.currentIndex().data() == "attention"
    assert view.isExpanded(view.currentIndex().parent())
    shown.window.frame.view.selectRow(Side.RIGHT, 239)
    assert shown.named("rightStructureButton").isChecked()  # type: ignore[attr-defined]
    shown.qtbot.waitUntil(lambda: view.currentIndex().data() == "loss")


def test_counts_are_painted_over_a_tree_that_stays_laid_out(shown: Driver) -> None:
    view, laid_out = tree(shown), []
    view.tree.layoutChanged.connect(lambda: laid_out.append("layout"))
    view.tree.modelReset.connect(lambda: laid_out.append("reset"))
    shown.window.frame.structures.counted.emit()
    assert child(view, "layer 2").siblingAtColumn(2).data() == "20"
    assert not laid_out


def test_the_table_counts_layers_against_kinds(shown: Driver) -> None:
    view = table(shown)
    model = view.model()
    rows = [
        [model.index(row, column).data() for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]
    assert rows == [[f"layer {number}", "22", "6", "2", "14"] for number in range(4)]
    assert shown.named("layersSaid").text() == "the same 22 differences in all 4 layers"  # type: ignore[attr-defined]
    tips = [
        model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
        for column in range(model.columnCount())
    ]
    assert tips == [None, None, "≠  op type", "+  Contiguous", "▦−  strides/offset missing"]


def test_no_two_headings_are_alike_and_all_stands_beside_the_place(shown: Driver) -> None:
    view, found = SummaryView(), shown.window.frame.structures.part_counts
    assert found is not None
    kinds = tuple(Kind)
    counts = np.full((len(found.table.places), len(kinds)), 12)
    view.show_table(found.table._replace(kinds=kinds, counts=counts))
    shown.qtbot.addWidget(view)
    view.resize(300, 200)
    view.show()
    headings = [
        view.cells.headerData(column, Qt.Orientation.Horizontal)
        for column in range(view.cells.columnCount())
    ]
    assert len(set(headings)) == len(headings)
    assert headings[1] == "all"
    assert view.columnViewportPosition(1) + view.columnWidth(1) <= view.viewport().width()
    assert view.columnWidth(0) >= view.fontMetrics().horizontalAdvance("layer 10")


def test_names_have_what_the_numbers_leave(shown: Driver) -> None:
    view = tree(shown)
    index = child(view, "layer 3", "attention", "apply_rotary_pos_emb")
    view.setCurrentIndex(index)
    room = view.visualRect(index).width()
    assert room >= view.fontMetrics().horizontalAdvance("apply_rotary_pos_emb")
    before = [view.columnWidth(column) for column in range(3)]
    for _ in range(3):
        shown.window.commands["zoomIn"].trigger()
    shown.qtbot.waitUntil(lambda: view.columnWidth(1) > before[1])
    shown.window.commands["zoomReset"].trigger()
    shown.qtbot.waitUntil(lambda: [view.columnWidth(column) for column in range(3)] == before)


def test_no_number_of_the_table_is_cut(shown: Driver) -> None:
    view = table(shown)
    wanted = view.sizeHintForIndex
    for column in range(1, view.model().columnCount()):
        for row in range(view.model().rowCount()):
            assert wanted(view.model().index(row, column)).width() <= view.columnWidth(column)


def test_a_click_on_a_cell_leaves_only_what_it_counts(shown: Driver) -> None:
    view, store = table(shown), shown.window.store
    everything = len(store.visible)
    click(shown, view, 1, 2)
    assert len(store.visible) == 6
    assert {str(store.comparison.divergences[int(i)].kind) for i in store.visible} == {"op-type"}  # type: ignore[union-attr]
    groups = shown.window.frame.differences.model
    listed = [groups.index(row, 0).data() for row in range(groups.rowCount())]
    assert listed[1:] == ["Slice → StridedSlice", "SplitTensorView → Split"]
    assert listed[0] == "Cannot change values: 2 groups, 6 differences"
    assert sum(group.count for group in store.groups()) == 6
    assert store.position() == 0, "the first of the list"
    assert shown.named("layersSaid").text() == "only layer 1 · op type"  # type: ignore[attr-defined]
    click(shown, view, 1, 2)
    assert len(store.visible) == everything


def test_all_is_shown_again_by_its_button_and_after_comparing_anew(shown: Driver) -> None:
    store = shown.window.store
    everything = len(store.visible)
    click(shown, table(shown), 2, 0)
    assert len(store.visible) == 22
    shown.click("allPlacesButton")
    assert len(store.visible) == everything
    click(shown, table(shown), 2, 0)
    shown.anchor(547, 643)
    shown.compare_up()
    settled(shown)
    assert len(store.visible) == len(store.comparison.divergences)  # type: ignore[union-attr]


def test_a_place_stays_chosen_while_differences_in_it_are_judged(shown: Driver) -> None:
    store, window = shown.window.store, shown.window
    click(shown, table(shown), 2, 0)
    settled(shown)
    before = len(store.visible)
    for name, fewer in (("ignoreOp", True), ("undo", False), ("redo", True)):
        with shown.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
            window.commands[name].trigger()
        settled(shown)
        assert shown.named("layersSaid", QLabel).text() == "only layer 2", name
        assert (len(store.visible) < before) is fewer, name
        assert len(store.visible) < 30
    shown.click("allPlacesButton")
    settled(shown)
    assert len(store.visible) > 80
    with shown.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.commands["undo"].trigger()
    settled(shown)
    assert len(store.visible) == 88, "what was let through again stays"


def test_every_number_follows_a_place_that_was_chosen(shown: Driver) -> None:
    chip = shown.named("kind-op-type", QPushButton)
    facts = shown.named("statusFacts", QLabel)
    assert chip.accessibleName() == "op type 24"
    click(shown, table(shown), 1, 0)
    settled(shown)
    assert chip.accessibleName() == "op type 6"
    assert "22 of 88 differences in " in facts.text()
    assert in_layers(shown) == ["", "22", "", ""]
    assert table(shown).model().index(2, 1).data() == "22"
    click(shown, table(shown), 1, 0)
    settled(shown)
    assert chip.accessibleName() == "op type 24"
    assert ";88 differences in 8 groups" in facts.text()


def test_tree_and_table_count_no_kind_that_is_hidden_and_the_place_stays_chosen(
    shown: Driver,
) -> None:
    click(shown, table(shown), 1, 0)
    shown.click("kind-layout-missing")
    settled(shown)
    assert len(shown.window.store.visible) == 8
    assert shown.named("layersSaid", QLabel).text() == "only layer 1"
    assert table(shown).model().columnCount() == 4, "a hidden kind has no column"
    assert [table(shown).model().index(row, 1).data() for row in range(4)] == ["8"] * 4
    assert in_layers(shown) == ["", "8", "", ""]
    click(shown, table(shown), 1, 0)
    settled(shown)
    assert len(shown.window.store.visible) == 32


def test_the_tree_has_all_the_room_until_there_is_something_to_count(rope: Driver) -> None:
    rope.window.commands["showStructure"].trigger()
    assert not table(rope).isVisible()
    rope.anchor(550, 649)
    rope.compare_up()
    rope.qtbot.waitUntil(table(rope).isVisible)  # counted on a thread
    table(rope).setFocus()
    rope.window.store.setComparison(None)
    assert not table(rope).isVisible()
    assert rope.window.focusWidget() is tree(rope)


def test_where_nothing_differs_no_empty_table_is_shown(driver: Driver) -> None:
    driver.window.commands["showStructure"].trigger()
    driver.open(SAMPLES / "identical/first.ir", SAMPLES / "identical/second.ir")
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.window.compare(Direction.WHOLE)
    settled(driver)
    assert not table(driver).isVisible()
    assert not driver.window.commands["goSummary"].isEnabled()


TENSOR = "(Float32:[4])"


def made(folder: Path, name: str, *ops: str) -> Path:
    """A trace without scopes and stacks: nothing in it has a place."""
    path = folder / name
    path.write_text(
        "".join(
            f"(%{number}) = {op}(%{number - 1}), task_info: {number}, attrs {{stream_id=0}}\n"
            f"    {TENSOR} <- {TENSOR}\n    # \n"
            for number, op in enumerate(ops, 1)
        )
    )
    return path


def test_a_table_that_could_only_say_elsewhere_is_not_shown(driver: Driver, tmp_path: Path) -> None:
    driver.window.commands["showStructure"].trigger()
    left, right = (made(tmp_path, f"{op}.ir", "MatMul", op, "Add") for op in ("Exp", "Sin"))
    driver.open(left, right)
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.window.compare(Direction.WHOLE)
    settled(driver)
    assert driver.window.frame.structures.part_counts is not None
    assert not table(driver).isVisible()


def test_cells_are_chosen_by_key_too(shown: Driver) -> None:
    view = table(shown)
    view.setFocus()
    view.setCurrentIndex(view.model().index(3, 3))
    shown.press(Qt.Key.Key_Return)
    assert len(shown.window.store.visible) == 2


def test_the_path_of_the_top_row_stays_above_the_pane(shown: Driver) -> None:
    view = shown.window.frame.view
    view.setOptions(folded=False)
    view.selectRow(Side.LEFT, 0)
    view.leftPane.verticalScrollBar().setValue(0)
    bar = shown.named("leftPath", PathBar)
    assert bar.isVisible()
    assert bar.text() == "main › vocab_embedding › mask_foreign_ids"
    view.leftPane.verticalScrollBar().setValue(view.leftPane.verticalScrollBar().maximum() // 2)
    middle = bar.text()
    assert middle.startswith("layer ")
    shown.qtbot.mouseClick(bar, Qt.MouseButton.LeftButton, pos=QPoint(10, 5))
    assert bar.text() == middle
    names = shown.window.frame.structures.outline(Side.LEFT)
    assert names is not None
    row = view.leftPane.currentRow()
    assert row is not None
    assert row == int(names.structure.first[names.structure.of_row[row]])


def test_folds_are_called_by_layers_and_functions(shown: Driver) -> None:
    pane = shown.window.frame.view.leftPane
    folds = [pane._fold_text(index) for index in range(len(pane.column.folds))]
    assert any("equal ops · layer" in text for text in folds), folds


def test_the_panel_speaks_chinese(shown: Driver) -> None:
    shown.window.commands["languageChinese"].trigger()
    shown.qtbot.waitUntil(lambda: shown.named("leftPath", PathBar).text().startswith("层 "))
    view = tree(shown)
    assert texts(view)[1] == "层 0"
    assert shown.named("layersSaid").text() == "全部 4 层都有相同的 22 处差异"  # type: ignore[attr-defined]
    assert view.model().headerData(0, Qt.Orientation.Horizontal) == "部分"


def test_a_trace_that_is_replaced_takes_its_structure_along(shown: Driver) -> None:
    shown.open(SAMPLES / "activation/gelu.ir", SAMPLES / "activation/silu.ir")
    shown.qtbot.waitUntil(
        lambda: all(
            (outline := shown.window.frame.structures.outline(side)) is not None
            and len(outline.structure.of_row) == len(shown.window.store.trace(side) or ())
            for side in Side
        ),
        timeout=10_000,
    )
    assert shown.window.frame.structures.part_counts is None
    assert table(shown).model().rowCount() == 0


def test_whether_it_is_shown_is_remembered(shown: Driver, settings_file: Path) -> None:
    shown.window.close()
    again = MainWindow(QSettings(str(settings_file), QSettings.Format.IniFormat))
    shown.qtbot.addWidget(again)
    assert again.commands["showStructure"].isChecked()
    assert not again.frame.structure.isHidden()
    again.close()


def test_screen_readers_know_the_parts(shown: Driver) -> None:
    for name, said in (
        ("structureView", "Structure of the trace"),
        ("summaryTable", "Differences by layer and kind"),
    ):
        face = QAccessible.queryAccessibleInterface(shown.named(name))
        assert face.text(QAccessible.Text.Name) == said
    cell = table(shown).model().index(0, 2).data(Qt.ItemDataRole.AccessibleTextRole)
    assert cell == "layer 0: 6 differences · op type"
