"""Very many groups: what the list does grows with them, and is done once."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
from benchmarks.patterns import chain
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QStyleOptionViewItem, QTreeView
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot
from window_driving import Driver

from opdiff.compare import Comparison, Request, Side, compare
from opdiff.ui.commands import command_palette
from opdiff.ui.commands.command_palette import CommandPalette
from opdiff.ui.differences.cards import card_of
from opdiff.ui.differences.delegate import DifferenceDelegate
from opdiff.ui.differences.model import DifferenceModel
from opdiff.ui.differences.outline import Outline
from opdiff.ui.differences.rows import GROUPS_SHOWN, MOST_GROUPS_SHOWN, Item


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


MANY = 4 * GROUPS_SHOWN


def lay_down(driver: Driver, comparison: Comparison) -> None:
    store = driver.window.store
    for side, part in ((Side.LEFT, comparison.left), (Side.RIGHT, comparison.right)):
        store.setTrace(side, part.trace)
    store.setComparison(comparison)


def groups_listed(model: DifferenceModel) -> list[int]:
    rows = (model.index(row, 0) for row in range(model.rowCount()))
    return [card_of(row).group.id for row in rows if card_of(row).item == Item.GROUP]


def test_of_very_many_cards_few_are_laid_out_and_measured(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = set()
    real = DifferenceDelegate.sizeHint

    def hint(self: DifferenceDelegate, option: QStyleOptionViewItem, index: QModelIndex) -> object:
        group = card_of(index).group
        measured.add(None if group is None else group.id)
        return real(self, option, index)

    monkeypatch.setattr(DifferenceDelegate, "sizeHint", hint)
    lay_down(driver, renamed(MANY))
    store = driver.window.store
    store.setCurrent(0)
    store.setCurrent(5)
    driver.window.resize(1300, 800)
    driver.window.commands["zoomIn"].trigger()
    driver.qtbot.wait(100)
    assert 0 < len(measured) <= GROUPS_SHOWN + 1
    shown = driver.named("differenceList", QTreeView)
    row = shown.visualRect(shown.currentIndex())
    assert shown.viewport().rect().contains(row.center())
    driver.window.commands["zoomReset"].trigger()


def test_the_rest_of_very_many_groups_is_counted_and_comes_when_asked_for(driver: Driver) -> None:
    lay_down(driver, renamed(MANY))
    panel = driver.window.frame.differences
    model, view = panel.model, panel.list
    last = model.index(model.rowCount() - 1, 0)
    assert last.data() == f"… {MANY - GROUPS_SHOWN:,} more groups"
    assert groups_listed(model) == list(range(GROUPS_SHOWN))
    for asked in (2, 3, 4):
        view.activated.emit(model.index(model.rowCount() - 1, 0))
        listed = groups_listed(model)
        assert listed[-1] == asked * GROUPS_SHOWN - 1
        assert len(listed) <= MOST_GROUPS_SHOWN
        # Where one was is still in sight, with what is new below it, and the keys go on from it.
        before = model.group_index((asked - 1) * GROUPS_SHOWN - 1)
        assert view.currentIndex() == before
        assert driver.window.store.current is None
        assert view.viewport().rect().intersects(view.visualRect(before))
    assert model.index(0, 0).data() == f"… {MANY - MOST_GROUPS_SHOWN:,} groups before"
    view.activated.emit(model.index(0, 0))
    assert groups_listed(model)[0] == MANY - MOST_GROUPS_SHOWN - GROUPS_SHOWN
    assert len(groups_listed(model)) == MOST_GROUPS_SHOWN


def test_one_can_go_to_any_of_very_many_groups(driver: Driver) -> None:
    comparison = renamed(MANY)
    lay_down(driver, comparison)
    store, model = driver.window.store, driver.window.frame.differences.model
    view = driver.named("differenceList", QTreeView)
    for group in (MANY - 1, MANY // 2, 0, GROUPS_SHOWN - 1):
        [member] = comparison.groups[group].members
        store.setCurrent(member)
        assert card_of(view.currentIndex()).divergence == member
        assert group in groups_listed(model)
        assert len(groups_listed(model)) <= MOST_GROUPS_SHOWN
        driver.window.commands["nextGroup"].trigger()
        if group + 1 < MANY:
            assert store.current_divergence is not None
            assert store.current_divergence.group == group + 1


def under_one_cause(comparison: Comparison, cause: int) -> Comparison:
    """The same comparison, in which one group explains all that come after it."""
    groups = [
        replace(group, root=group.id <= cause, parent=cause if group.id > cause else None)
        for group in comparison.groups
    ]
    return replace(comparison, groups=tuple(groups))


@pytest.mark.parametrize("cause", [0, GROUPS_SHOWN - 1, MANY - 3])
def test_very_much_is_folded_away_and_brought_out(qtmodeltester: ModelTester, cause: int) -> None:
    comparison = under_one_cause(renamed(MANY), cause)
    model = DifferenceModel()
    model.show(Outline(comparison))
    qtmodeltester.check(model)
    at = model.uncover(cause)
    assert card_of(at).is_open is True
    model.set_effects_shown(at, False)
    assert card_of(model.group_index(cause)).is_open is False
    assert groups_listed(model)[-1] == cause
    model.set_effects_shown(model.group_index(cause), True)
    assert groups_listed(model)[-1] > cause
    model.set_effects_shown(model.group_index(cause), False)
    far = comparison.groups[MANY - 1].members[0]
    assert card_of(model.member_index(far)).divergence == far
    above = model.group_above(model.member_index(far).parent())
    assert card_of(above).group.id == cause


def test_the_palette_looks_through_the_first_of_very_many_groups(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_palette, "MOST_GROUPS", 50)
    lay_down(driver, renamed(120))
    driver.window.commands["palette"].trigger()
    [palette] = driver.window.findChildren(CommandPalette)
    assert palette.list.topLevelItemCount() <= command_palette.MOST_LISTED
    palette.edit.setText("Op99 → Other99")  # the 50th of them
    assert palette.list.topLevelItem(0).text(0) == "≠ Op99 → Other99"
    palette.edit.setText("Op101 → Other101")
    found = [palette.list.topLevelItem(row) for row in range(palette.list.topLevelItemCount())]
    assert "≠ Op101 → Other101" not in [item.text(0) for item in found]
    palette.close()


def test_garbage_is_not_looked_for_in_an_answer(driver: Driver) -> None:
    lay_down(driver, renamed(50))
    assert gc.get_freeze_count() > 0
    driver.window.store.setComparison(None)
    assert gc.get_freeze_count() == 0


def test_what_asks_all_groups_is_made_once_for_all_of_them() -> None:
    calls = [calls_of(lambda c=c: c.group_of) for c in (renamed(100), renamed(400))]
    assert calls[1] - calls[0] <= 2 * 300 + 10, calls  # a turn a group of two sweeps, and no more
