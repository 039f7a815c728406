"""Very many groups: what the list does grows with them, and is done once."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from benchmarks.patterns import chain
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QStyleOptionViewItem, QTreeView
from pytestqt.qtbot import QtBot
from window_driving import Driver

from opdiff.compare import Comparison, Request, Side, compare
from opdiff.ui.differences.delegate import DifferenceDelegate
from opdiff.ui.differences.model import DifferenceModel
from opdiff.ui.differences.outline import Outline
from opdiff.ui.differences.panel import MOST_MEASURED


def renamed(groups: int) -> Comparison:
    """Two traces in which every other op has another name: each is a group of its own."""
    names = [f"Op{at}" for at in range(2 * groups)]
    others = [f"Other{at}" if at % 2 else name for at, name in enumerate(names)]
    found = compare(chain(names, "left"), chain(others, "right"), Request())
    assert len(found.groups) == groups
    return found


def calls_of(work: Callable[[], object]) -> int:
    """How many functions of Python's some work calls."""
    found = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal found
        found += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


def test_the_work_of_listing_groups_grows_with_them() -> None:
    few, many = (renamed(size) for size in (100, 400))
    model = DifferenceModel()
    calls = [calls_of(lambda c=c: model.show(Outline(c))) for c in (few, many)]
    assert calls[1] < 6 * calls[0], calls


def test_remarks_on_many_groups_are_told_at_once(qtbot: QtBot) -> None:
    model = DifferenceModel()
    view = QTreeView()
    view.setModel(model)
    model.show(Outline(renamed(250)))
    told: list[QModelIndex] = []
    model.dataChanged.connect(lambda first, *_: told.append(first))
    with qtbot.waitSignal(model.layoutChanged):
        model.setRemarks({}, {0: "seen"}, frozenset())
    assert not told


def test_of_very_many_cards_those_in_sight_are_measured(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison = renamed(MOST_MEASURED + 1)
    measured = 0
    real = DifferenceDelegate.sizeHint

    def hint(self: DifferenceDelegate, option: QStyleOptionViewItem, index: QModelIndex) -> object:
        nonlocal measured
        measured += 1
        return real(self, option, index)

    monkeypatch.setattr(DifferenceDelegate, "sizeHint", hint)
    desk = driver.window.desk
    for side, part in ((Side.LEFT, comparison.left), (Side.RIGHT, comparison.right)):
        desk.setTrace(side, part.trace)
    desk.setComparison(comparison)
    desk.setCurrent(0)
    desk.setCurrent(5)
    driver.window.resize(1300, 800)
    driver.qtbot.wait(50)
    assert 0 < measured < MOST_MEASURED // 2
    shown = driver.named("differenceList", QTreeView)
    assert shown.viewport().rect().contains(shown.visualRect(shown.currentIndex()))
