"""The user goes on to another op: the current difference is out of sight, but not lost."""

from __future__ import annotations

from dataclasses import replace

from window_driving import SAMPLES, Driver

from opdiff.compare import Side
from opdiff.session import UserNote, divergence_key

DECISIONS = ("goToCause", "noteDifference", "noteGroup", "copyDifference", "knownGroup")


def _beside(driver: Driver) -> int:
    """Stand at an op without a difference, while another op's is the current one; its row."""
    window = driver.window
    window.commands["nextDifference"].trigger()
    comparison = window.store.comparison
    assert comparison is not None
    row = next(row for row in range(100) if not comparison.left.records_at(row))
    window.frame.view.selectRow(Side.LEFT, row)
    assert window.store.current is not None
    return row


def test_nothing_is_decided_of_a_difference_that_is_out_of_sight(compared: Driver) -> None:
    window = compared.window
    _beside(compared)
    assert window.shown.difference() is None
    enabled = [name for name in DECISIONS if window.commands[name].isEnabled()]
    assert not enabled


def test_the_difference_is_looked_at_on_either_side_of_its_pair(compared: Driver) -> None:
    window = compared.window
    window.commands["nextGroup"].trigger()
    window.commands["nextGroup"].trigger()
    found = window.store.current_divergence
    assert found is not None
    for side in Side:
        window.frame.view.selectRow(side, found.rows(side)[0])
        assert window.shown.difference() == window.store.current


def test_the_first_difference_is_gone_back_to(compared: Driver) -> None:
    window = compared.window
    window.commands["firstDifference"].trigger()
    first = compared.lines()
    current = window.store.current
    row = _beside(compared)
    window.store.setCurrent(current)
    window.frame.view.selectRow(Side.LEFT, row)
    assert compared.lines() != first
    window.commands["firstDifference"].trigger()
    assert compared.lines() == first


def test_the_only_difference_is_gone_back_to(driver: Driver) -> None:
    runs = SAMPLES / "real/training"
    driver.open(runs / "right/step_2.ir.gz", runs / "wrong/step_2.ir.gz")
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.click("compareWholeButton")
    commands, at = driver.window.commands, driver.lines()
    for name, presses in (("firstValueDifference", 1), ("nextDifference", 2), ("nextRoot", 2)):
        driver.window.frame.view.selectRow(Side.LEFT, 0)
        assert driver.lines() != at
        for _ in range(presses):
            commands[name].trigger()
        assert driver.lines() == at, name


def test_a_note_leads_back_to_its_difference(compared: Driver) -> None:
    window = compared.window
    window.commands["nextDifference"].trigger()
    at, found = compared.lines(), window.store.current_divergence
    assert found is not None
    note = UserNote(divergence_key(found), "harmless")
    window.store.setWork(replace(window.store.work, notes=(note,)), "note")
    window.frame.view.selectRow(Side.LEFT, 0)
    window.commands["notes"].trigger()
    compared.click("showNoteButton")
    assert compared.lines() == at


def test_who_judges_another_op_stays_at_it(compared: Driver) -> None:
    window = compared.window
    row = _beside(compared)
    current = window.store.current_divergence
    for name in ("ignoreOp", "undo", "redo"):
        with compared.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
            window.commands[name].trigger()
        assert window.shown.place == (Side.LEFT, row), name
        assert window.frame.view.leftPane.currentRow() == row
        found = window.store.current_divergence
        assert found is not None
        assert current is not None
        assert divergence_key(found) == divergence_key(current), "where the walk goes on"
