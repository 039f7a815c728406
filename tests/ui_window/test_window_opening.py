"""Ways to open traces beyond the command line: one side, a folder of ranks, recent files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtWidgets import QComboBox, QFileDialog, QMenu
from window_driving import SAMPLES, Driver

from opdiff.compare import Side
from opdiff.ui.files.opening import Opening


@pytest.fixture
def ranks(tmp_path: Path) -> Path:
    """A folder as a run on two devices leaves it."""
    for rank, sample in enumerate(("activation/silu.ir", "activation/gelu.ir")):
        folder = tmp_path / f"run/rank_{rank}"
        folder.mkdir(parents=True)
        shutil.copy(SAMPLES / sample, folder / "tracker_graph.ir")
    return tmp_path / "run"


def paths(driver: Driver) -> list[str]:
    both = driver.window.store.both()
    assert both is not None
    return ["/".join(Path(trace.source.path).parts[-2:]) for trace in both]


def test_a_file_dropped_on_a_pane_goes_to_its_side(rope: Driver) -> None:
    with rope.qtbot.waitSignal(rope.window.tracesLoaded, timeout=20_000):
        rope.window.frame.view.filesDropped.emit([str(SAMPLES / "activation/gelu.ir")], Side.RIGHT)
    assert paths(rope) == ["rope/eager.ir", "activation/gelu.ir"]


def test_anchors_that_come_with_the_traces_are_in_sight(driver: Driver) -> None:
    """The panes stood at the first op of one side, with the other out of sight."""
    paths = {Side.LEFT: SAMPLES / "rope/eager.ir", Side.RIGHT: SAMPLES / "rope/jit.ir"}
    with driver.qtbot.waitSignal(driver.window.opener.settled, timeout=20_000):
        driver.window.open(Opening(paths, lines={Side.RIGHT: 649, Side.LEFT: 551}))
    assert driver.lines() == (550, 649)
    view = driver.window.frame.view
    for pane, line in ((view.leftPane, 550), (view.rightPane, 649)):
        trace = driver.window.store.trace(pane.side)
        assert trace is not None
        y = pane.y_of(pane.column.height_of(trace.row_at(line)))
        assert 0 <= y <= pane.viewport().height() - pane.row_height
    with driver.qtbot.waitSignal(driver.window.opener.settled, timeout=20_000):
        driver.window.open(Opening(paths))
    assert driver.window.shown.place is None


def test_a_shorter_trace_may_replace_one_whose_last_row_is_selected(compared: Driver) -> None:
    both = compared.window.store.both()
    assert both is not None
    compared.window.frame.view.selectRow(0, len(both[0]) - 1)
    with compared.qtbot.waitSignal(compared.window.tracesLoaded, timeout=20_000):
        compared.window.openDropped([str(SAMPLES / "assign_ir/without_copies.ir")], Side.LEFT)
    assert compared.window.shown.place is None


def test_a_dropped_folder_opens_what_is_in_it(driver: Driver, ranks: Path) -> None:
    with driver.qtbot.waitSignal(driver.window.tracesLoaded, timeout=20_000):
        driver.window.openDropped([str(ranks / "rank_0"), str(SAMPLES / "rope/jit.ir")])
    assert paths(driver) == ["rank_0/tracker_graph.ir", "rope/jit.ir"]


def test_a_folder_of_several_ranks_asks_which(driver: Driver, ranks: Path) -> None:
    with driver.qtbot.waitSignal(driver.window.failed, timeout=20_000):
        driver.window.openTraces(ranks, SAMPLES / "rope/jit.ir")
    choice = driver.named("errorChoice", QComboBox)
    assert choice.isVisible()
    assert [choice.itemText(index) for index in range(choice.count())] == ["rank 0", "rank 1"]
    with driver.qtbot.waitSignal(driver.window.tracesLoaded, timeout=20_000):
        choice.activated.emit(1)
    assert paths(driver) == ["rank_1/tracker_graph.ir", "rope/jit.ir"]
    assert not driver.window.frame.banner.isVisible()


def test_of_folders_of_several_steps_the_first_that_differs_is_opened(driver: Driver) -> None:
    runs = SAMPLES / "real/training"
    reported = []
    driver.window.tasks.reported.connect(lambda stage, _: reported.append(stage))
    driver.open(runs / "right", runs / "wrong")
    assert paths(driver) == ["right/step_2.ir.gz", "wrong/step_2.ir.gz"]
    assert "reading" in reported
    assert not driver.window.frame.banner.isVisible()
    assert driver.window.frame.notice.text.startswith("Step 2 is the first of ")
    driver.click("noticeButton")
    choice = driver.named("errorChoice", QComboBox)
    assert [choice.itemText(index) for index in range(choice.count())][:2] == ["step 0", "step 1"]
    with driver.qtbot.waitSignal(driver.window.tracesLoaded, timeout=20_000):
        choice.activated.emit(3)
    assert paths(driver) == ["right/step_3.ir.gz", "wrong/step_3.ir.gz"]
    assert not driver.window.frame.banner.isVisible()
    assert not driver.window.frame.notice.isVisible()


def test_where_no_step_differs_the_last_is_opened(driver: Driver) -> None:
    run = SAMPLES / "real/training/right"
    driver.open(run, run)
    assert driver.window.frame.notice.text.startswith("None of ")
    last = sorted(run.glob("step_*.ir.gz"))[-1].name
    assert paths(driver) == [f"right/{last}", f"right/{last}"]


def test_who_stops_the_search_for_the_step_chooses_one(driver: Driver) -> None:
    runs = SAMPLES / "real/training"
    driver.window.openTraces(runs / "right", runs / "wrong")
    driver.window.commands["cancel"].trigger()
    assert driver.named("errorChoice", QComboBox).isVisible()
    driver.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    assert not driver.window.frame.banner.isVisible()


def test_an_anchor_needs_a_step_to_be_chosen(driver: Driver) -> None:
    runs = SAMPLES / "real/training"
    both = {Side.LEFT: runs / "right", Side.RIGHT: runs / "wrong"}
    with driver.qtbot.waitSignal(driver.window.failed):
        driver.window.open(Opening(both, lines={Side.LEFT: 1, Side.RIGHT: 1}))
    assert driver.named("errorChoice", QComboBox).isVisible()


def test_a_file_of_several_graphs_offers_the_others(driver: Driver) -> None:
    logs = [SAMPLES / f"formats/torch_logs/{name}.txt.gz" for name in ("base", "eps")]
    driver.open(*logs)
    choice = driver.named("errorChoice", QComboBox)
    assert choice.isVisible()
    assert [choice.itemText(index) for index in range(choice.count())] == [
        "__compiled_fn_1",
        "Forward graph 0",
        "Backward graph 0",
        "Forward graph 0+Backward graph 0",
    ]
    with driver.qtbot.waitSignal(driver.window.tracesLoaded, timeout=20_000):
        choice.activated.emit(3)
    both = driver.window.store.both()
    assert both is not None
    assert [trace.source.graph for trace in both] == ["Forward graph 0+Backward graph 0"] * 2
    assert not driver.window.frame.banner.isVisible()


def test_recent_files_are_in_the_menu(rope: Driver) -> None:
    menu = rope.window.findChild(QMenu, "recentRightMenu")
    assert menu is not None
    menu.aboutToShow.emit()
    assert {action.text() for action in menu.actions()} == {"rope/eager.ir", "rope/jit.ir"}
    eager = next(action for action in menu.actions() if action.text() == "rope/eager.ir")
    with rope.qtbot.waitSignal(rope.window.tracesLoaded, timeout=20_000):
        eager.trigger()
    assert paths(rope) == ["rope/eager.ir", "rope/eager.ir"]


@pytest.mark.parametrize("ending", ["ir", "gz", "txt", "json", "csv", "log", "py", "pbtxt"])
def test_the_dialog_shows_files_of_every_format(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    asked: list[str] = []

    def ask(*args: str) -> tuple[str, str]:
        asked.append(args[-1].split(";;")[0])
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
    driver.window.commands["openLeft"].trigger()
    assert f"*.{ending} " in asked[0].replace(")", " ")


def test_folders_of_steps_are_named_while_the_first_that_differs_is_looked_for(
    driver: Driver,
) -> None:
    runs, fields = SAMPLES / "real/training", driver.window.frame.top.combos
    with driver.qtbot.waitSignal(driver.window.tracesLoaded, timeout=60_000):
        driver.window.openTraces(runs / "right", runs / "wrong")
        assert not driver.window.frame.welcome.isVisible()
        assert fields[Side.LEFT].edit.text().endswith("right")
    assert "step_2" in fields[Side.LEFT].edit.text()


def test_a_sample_shows_values_and_the_lines_that_made_them(driver: Driver) -> None:
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=60_000):
        driver.click("sample-real loss")
    comparison = driver.window.store.comparison
    assert comparison is not None
    assert comparison.values is not None
    assert driver.lines() == (106, 106)
    trace, source = driver.window.store.trace(Side.LEFT), driver.window.sources
    assert trace is not None
    frame = trace.user_frame(trace.row_at(106) or 0)
    assert frame is not None
    assert (
        "weight -= rate"
        in Path(source.path_of(frame.file)).read_text().splitlines()[frame.line - 1]
    )
