"""A pair of folders opens as a table of ranks; a rank opens from it, and one comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QListWidget, QTableView, QToolButton
from window_driving import SAMPLES, Driver

from opdiff.compare import Side
from opdiff.ranks import RanksResult

_LAYER = ("RmsNorm", "MatMul", "Slice", "Mul", "Add")


def _write(folder: Path, rank: int, names: list[str], *, reduce: str = "AllReduce") -> None:
    inside = folder / f"rank_{rank}"
    inside.mkdir(parents=True)
    lines: list[str] = []
    for row, name in enumerate([*names, reduce]):
        group = "group=world;comm_rank=0 1 2;" if name == reduce else ""
        lines += [
            f"(%{row + 1}) = {name}(%{row}), task_info: {row}, attrs {{{group}stream_id=0}} ",
            "    (Float32:[4]) <- (Float32:[4])",
            "    # ",
        ]
    (inside / "tracker_graph.ir").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Rank 1 has another op and another collective, rank 3 is on the left only."""
    good = [*_LAYER * 3]
    bad = [*good]
    bad[7] = "Gather"
    for rank in (0, 1, 2, 3):
        _write(tmp_path / "left", rank, good)
    for rank in (0, 1, 2):
        odd = rank == 1
        reduce = "AllGather" if odd else "AllReduce"
        _write(tmp_path / "right", rank, bad if odd else good, reduce=reduce)
    return tmp_path / "left", tmp_path / "right"


@pytest.fixture
def table(driver: Driver, runs: tuple[Path, Path]) -> QTableView:
    with driver.qtbot.waitSignal(driver.window.ranksView.compared, timeout=60_000):
        driver.window.openTraces(*runs)
    return driver.named("ranksTable", QTableView)


def _texts(table: QTableView, column: int) -> list[str]:
    model = table.model()
    return [str(model.index(row, column).data()) for row in range(model.rowCount())]


def _double_click(driver: Driver, table: QTableView, row: int) -> None:
    where: QPoint = table.visualRect(table.model().index(row, 0)).center()
    driver.qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)
    driver.qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=where)


def test_a_pair_of_folders_opens_as_a_table(table: QTableView) -> None:
    assert table.isVisible()
    assert _texts(table, 0) == ["0", "1", "2", "3"]
    assert _texts(table, 1) == ["equal", "differs", "equal", "missing on the right"]
    assert _texts(table, 2) == ["0", "3", "0", ""]
    heat = table.model().index(1, 4).data(Qt.ItemDataRole.BackgroundRole)
    assert heat is not None
    assert table.model().index(0, 4).data(Qt.ItemDataRole.BackgroundRole) is None


def test_a_double_click_opens_the_first_difference_and_back_returns(
    driver: Driver, table: QTableView
) -> None:
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        _double_click(driver, table, 1)
    assert not table.isVisible()
    result = driver.window.ranksView.result
    assert result is not None
    verdict = result.by_rank[1].verdict
    assert verdict is not None
    assert verdict.first is not None
    assert verdict.first.first.right_line == 22
    assert driver.lines() == (verdict.first.first.left_line, 22)
    back = driver.named("ranksReturnButton", QToolButton)
    assert back.isVisible()
    driver.click("ranksReturnButton")
    assert table.isVisible()
    assert not back.isVisible()
    assert table.currentIndex().row() == 1


def test_back_over_all_jumps_ends_at_the_table(driver: Driver, table: QTableView) -> None:
    action = driver.window.commands["goBack"]
    assert not action.isEnabled()
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        _double_click(driver, table, 1)
    driver.qtbot.waitUntil(lambda: driver.named("ranksReturnButton", QToolButton).isVisible())
    driver.qtbot.waitUntil(action.isEnabled)
    driver.window.frame.view.selectRow(Side.LEFT, 0)
    action.trigger()
    assert not table.isVisible()
    assert driver.lines()[1] == 22
    action.trigger()
    assert table.isVisible()
    driver.qtbot.waitUntil(lambda: not action.isEnabled())


def test_enter_opens_too(driver: Driver, table: QTableView) -> None:
    table.selectRow(2)
    table.setFocus()
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.qtbot.keyClick(table, Qt.Key.Key_Return)
    both = driver.window.store.both()
    assert both is not None
    assert [Path(trace.source.path).parent.name for trace in both] == ["rank_2", "rank_2"]


def test_a_rank_without_a_trace_says_so(driver: Driver, table: QTableView) -> None:
    _double_click(driver, table, 3)
    assert driver.window.frame.banner.isVisible()
    assert table.isVisible()


def test_communication_that_parts_is_listed_and_leads_to_its_rank(
    driver: Driver, table: QTableView
) -> None:
    remarks = driver.named("ranksRemarks", QListWidget)
    assert remarks.count() == 1
    assert "rank 1 calls AllGather" in remarks.item(0).text()
    remarks.setCurrentRow(0)
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        remarks.itemActivated.emit(remarks.item(0))
    both = driver.window.store.both()
    assert both is not None
    assert Path(both[0].source.path).parent.name == "rank_1"


def test_columns_sort_as_numbers(table: QTableView) -> None:
    table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    assert _texts(table, 0)[0] == "1"


def test_other_traces_leave_the_table(driver: Driver, table: QTableView) -> None:
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        _double_click(driver, table, 1)
    driver.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    assert not driver.named("ranksReturnButton", QToolButton).isVisible()


def test_the_table_speaks_the_window_s_language(driver: Driver, table: QTableView) -> None:
    driver.window.appearance.override("zh", None)
    driver.qtbot.waitUntil(lambda: _texts(table, 1)[1] == "不同")
    driver.window.appearance.override("en", None)
    driver.qtbot.waitUntil(lambda: _texts(table, 1)[1] == "differs")


def test_comparing_ranks_can_be_cancelled(driver: Driver, runs: tuple[Path, Path]) -> None:
    found: list[RanksResult] = []
    driver.window.ranksView.compared.connect(found.append)
    driver.window.openTraces(*runs)
    with driver.qtbot.waitSignal(driver.window.tasks.cancelled, timeout=20_000):
        driver.window.tasks.cancel()
    driver.window.tasks.wait()
    assert found == []


def test_a_selected_rank_keeps_the_colours_of_its_cells(driver: Driver, table: QTableView) -> None:
    model = table.model()
    cell = next(
        index
        for column in range(model.columnCount())
        if (index := model.index(1, column)).data(Qt.ItemDataRole.BackgroundRole) is not None
    )
    table.selectRow(cell.row())
    QApplication.processEvents()
    place = table.visualRect(cell)
    shown = table.viewport().grab().toImage().pixelColor(place.left() + 3, place.center().y())
    wanted = cell.data(Qt.ItemDataRole.BackgroundRole).color()
    assert shown.name() == wanted.name()


def test_how_to_open_a_rank_and_what_stands_below_are_said(
    driver: Driver, table: QTableView
) -> None:
    page = driver.window.ranksView.page
    assert page.hint.isVisible()
    assert "opens a rank" in page.hint.text()
    assert page.parted.isVisible() == page.remarks.isVisible() == bool(page.remarks.count())


def test_folders_of_ranks_are_named_while_they_are_compared(
    driver: Driver, runs: tuple[Path, Path]
) -> None:
    window = driver.window
    fields = window.frame.top.combos
    window.openTraces(*runs)
    assert not window.frame.welcome.isVisible()
    assert [fields[side].edit.text().endswith(runs[side].name) for side in Side] == [True, True]
    window.tasks.reported.emit("ranks", 420)
    for side in Side:
        assert window.frame.view.pane(side).reading == (runs[side].name, 420)
    with driver.qtbot.waitSignal(window.tasks.cancelled, timeout=20_000):
        window.tasks.cancel()
    assert window.frame.welcome.isVisible()
    assert [fields[side].edit.text() for side in Side] == ["", ""]
