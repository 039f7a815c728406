"""Small things: plurals, thousands, room at the edges, what is over and what is new."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.patterns import chain
from PySide6.QtWidgets import QLabel, QPushButton
from window_driving import SAMPLES, Driver

from opdiff.compare import Kind, Request, Side, compare
from opdiff.ui.menus import MENUS
from opdiff.ui.messages import Toast


@pytest.mark.parametrize("menu", MENUS, ids=lambda menu: menu.name)
def test_no_two_entries_of_a_menu_have_the_same_letter(menu: object) -> None:
    letters: dict[tuple[str, str], str] = {}
    for spec in menu.actions:  # type: ignore[attr-defined]
        found = re.search("&(.)", spec.text)
        if found is not None:
            place = (spec.group, found[1].lower())
            assert place not in letters, (spec.text, letters[place])
            letters[place] = spec.text


def test_one_op_is_no_ops(driver: Driver) -> None:
    runs = SAMPLES / "real/training"
    driver.open(runs / "right/step_2.ir.gz", runs / "wrong/step_2.ir.gz")
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.click("compareWholeButton")
    pane = driver.window.frame.view.leftPane
    texts = [pane._fold_text(index) for index in range(len(pane.column.folds))]
    assert any("1 equal op · 5 differ in value only" in text for text in texts), texts


def test_thousands_of_groups_are_counted_readably(driver: Driver) -> None:
    names = [f"Op{at}" for at in range(2200)]
    others = [f"Other{at}" if at % 2 else name for at, name in enumerate(names)]
    left, right = chain(names, "left"), chain(others, "right")
    store = driver.window.store
    store.setTrace(Side.LEFT, left)
    store.setTrace(Side.RIGHT, right)
    store.setComparison(compare(left, right, Request()))
    store.setCurrent(0)
    place = driver.named("differencePosition", QLabel).text()
    assert place == "difference 1 of 1,100 · group 1 of 1,100"


def test_a_toast_goes_with_what_it_offers_to_undo(compared: Driver) -> None:
    window = compared.window
    window.commands["nextDifference"].trigger()
    with compared.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.commands["ignoreType"].trigger()
    toast = window.toast
    assert isinstance(toast, Toast)
    assert toast.text.startswith("Ignored everywhere")
    window.commands["undo"].trigger()
    assert toast.text == ""


def test_facts_that_do_not_fit_are_told_by_a_sign(compared: Driver) -> None:
    facts = compared.named("statusFacts", QLabel)
    compared.window.resize(1600, 800)
    assert "…" not in facts.text()
    assert facts.toolTip() == ""
    whole = facts.text()
    compared.window.frame.status.resize(500, 30)
    assert facts.text().endswith("…")
    assert facts.toolTip() == whole
    assert facts.sizeHint().width() <= facts.width()


def test_kinds_that_were_hidden_are_shown_of_other_traces(compared: Driver) -> None:
    compared.click("kind-op-type")
    assert compared.window.store.work.hidden_kinds == {Kind.OP_TYPE}
    compared.open(Path(SAMPLES, "vocab/eager.ir"), Path(SAMPLES, "vocab/jit.ir"))
    assert not compared.window.store.work.hidden_kinds
    compared.anchor(34, 49)
    compared.compare_up()
    assert compared.named("kind-op-type", QPushButton).isChecked()
