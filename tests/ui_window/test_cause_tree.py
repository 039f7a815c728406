"""The list as a tree of causes: what explains what, what is folded away, and the way through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QTreeView
from pytestqt.modeltest import ModelTester
from window_driving import SAMPLES, Driver

from opdiff.compare import Comparison, Group, Kind, kind_of
from opdiff.session import divergence_key
from opdiff.ui.differences.cards import Style, card_of
from opdiff.ui.differences.model import DifferenceModel
from opdiff.ui.differences.outline import Order, Outline
from opdiff.ui.differences.rows import Item
from opdiff.ui.panes.overview import Overview

SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def suspects(driver: Driver) -> Driver:
    """A real pair with differences that may change values and others that cannot."""
    driver.open(SAMPLES / "real/rope/eager", SAMPLES / "real/rope/jit_trace")
    driver.anchor(604, 787)
    driver.compare_up()
    return driver


@pytest.fixture
def step(driver: Driver) -> Driver:
    """A real training step: a cause in the forward, its echoes in the backward."""
    driver.open(SAMPLES / "real/cnn/relu", SAMPLES / "real/cnn/gelu")
    driver.anchor(235, 235)
    driver.compare_up()
    return driver


def comparison_of(driver: Driver) -> Comparison:
    comparison = driver.window.store.comparison
    assert comparison is not None
    return comparison


def rows_of(driver: Driver) -> list[QModelIndex]:
    model = driver.window.frame.differences.model
    return [model.index(row, 0) for row in range(model.rowCount())]


def items_of(driver: Driver) -> list[Item]:
    return [Item(card_of(row).item) for row in rows_of(driver)]


def tags_of(row: QModelIndex) -> dict[Style, str]:
    return {tag.style: tag.words for tag in card_of(row).tags}


def regrouped(comparison: Comparison, groups: Sequence[Group]) -> Comparison:
    """The same comparison with groups that say something else."""
    return replace(comparison, groups=tuple(groups))


# What stands where


def test_effects_stand_under_their_cause(step: Driver) -> None:
    cause, echo, further = rows_of(step)
    assert [card_of(row).depth for row in (cause, echo, further)] == [0, 1, 2]
    assert "ReLU → GeLU" in cause.data()
    assert tags_of(cause)[Style.ROOT] == "root"
    assert tags_of(cause)[Style.EXPLAINS] == "▾ explains 8"
    assert Style.CAUSE not in tags_of(echo)  # its place says it
    assert "because of ≠ ReLU → GeLU" in echo.data(Qt.ItemDataRole.AccessibleTextRole)


def test_no_two_groups_blame_each_other_in_any_order(suspects: Driver) -> None:
    for order in Order:
        suspects.window.store.setOrder(order)
        for row in rows_of(suspects):
            if card_of(row).item != Item.GROUP:
                continue
            group = comparison_of(suspects).groups[card_of(row).group.id]
            seen = [group.id]
            while group.parent is not None:
                group = comparison_of(suspects).groups[group.parent]
                seen.append(group.id)
            assert len(seen) == len(set(seen))
            assert (card_of(row).cause is None) == (len(seen) == 1)


def test_a_group_of_causes_and_effects_says_how_many_follow(suspects: Driver) -> None:
    comparison = comparison_of(suspects)
    follower = next(i for i, d in enumerate(comparison.divergences) if d.caused_by is not None)
    root = next(i for i, d in enumerate(comparison.divergences) if d.caused_by is None)
    members = tuple(sorted((follower, root)))
    rest = [i for i in range(len(comparison.divergences)) if i not in members]
    title = comparison.groups[0].title
    made = regrouped(
        comparison,
        [
            Group(0, Kind.DTYPE, title, members, True),
            Group(1, Kind.SHAPE, title, tuple(rest), True),
        ],
    )
    model = DifferenceModel()
    model.show(Outline(made))
    plain = [tag.words for tag in card_of(model.index(0, 0)).tags if tag.style is Style.PLAIN]
    assert plain == ["1 of 2 follow from others"]


def test_a_card_is_measured_as_it_is_tagged(step: Driver) -> None:
    for order in Order:
        step.window.store.setOrder(order)
        for row in rows_of(step):
            if card_of(row).item == Item.GROUP:
                assert card_of(row).is_tagged == bool(card_of(row).tags)


def test_known_names_keep_their_colour_and_get_a_tag(compared: Driver) -> None:
    row = next(row for row in rows_of(compared) if row.data() == "Slice → StridedSlice")
    assert "known rename" in [tag.words for tag in card_of(row).tags]
    assert not card_of(row).greyed


def test_what_cannot_change_values_is_a_closed_section_with_its_count(suspects: Driver) -> None:
    comparison = comparison_of(suspects)
    harmless = [group for group in comparison.groups if group.harmless]
    listed = items_of(suspects)
    assert listed[-1] is Item.SECTION
    assert listed.count(Item.GROUP) == len(comparison.groups) - len(harmless)
    heading = rows_of(suspects)[-1]
    assert f"{len(harmless)} groups" in heading.data()
    assert f"{sum(group.count for group in harmless)} differences" in heading.data()
    assert card_of(heading).is_open is False


def test_where_all_is_harmless_the_section_is_open(compared: Driver) -> None:
    assert items_of(compared)[0] is Item.SECTION
    assert card_of(rows_of(compared)[0]).is_open is True
    roots = sum(group.root for group in comparison_of(compared).groups)
    assert len(items_of(compared)) == 1 + roots


def test_the_heading_of_the_section_takes_a_second_line_where_it_would_be_cut(
    compared: Driver,
) -> None:
    shown = compared.named("differenceList", QTreeView)
    heading = rows_of(compared)[0]
    words = shown.fontMetrics().horizontalAdvance(heading.data())
    heights = []
    for width in (2 * words, words // 2 + 80):
        shown.setFixedWidth(width)
        shown.doItemsLayout()
        heights.append(shown.visualRect(heading).height())
    assert heights[1] > heights[0] + 10


def test_what_follows_from_what_is_harmless_is_folded_until_one_goes_there(
    compared: Driver,
) -> None:
    store, groups = compared.window.store, comparison_of(compared).groups
    effect = next(group for group in groups if not group.root)
    store.setCurrent(effect.members[0])
    assert effect in [card_of(row).group for row in rows_of(compared)]


def test_the_section_opens_by_click_and_by_key(suspects: Driver) -> None:
    view = suspects.named("differenceList", QTreeView)
    heading = rows_of(suspects)[-1]
    view.scrollTo(heading)
    spot = view.visualRect(heading).center()
    suspects.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    outline = suspects.window.store.outline
    alone = [row for row in outline.harmless if outline.listed[row].above is None]
    assert len(items_of(suspects)) == 1 + outline.harmless.start + len(alone)
    view.setFocus()
    view.setCurrentIndex(next(r for r in rows_of(suspects) if card_of(r).item == Item.SECTION))
    suspects.press(Qt.Key.Key_Left)
    assert items_of(suspects)[-1] is Item.SECTION
    suspects.press(Qt.Key.Key_Return)
    assert items_of(suspects)[-1] is Item.GROUP
    suspects.press(Qt.Key.Key_Return)
    assert items_of(suspects)[-1] is Item.SECTION


def test_effects_are_folded_away_by_click_and_by_key(step: Driver) -> None:
    view = step.window.frame.differences.list
    cause = rows_of(step)[0]
    tags = view.cards.tag_boxes(view.visualRect(cause), card_of(cause))
    box = next(box for tag, box in tags if tag.style is Style.EXPLAINS)
    step.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert len(rows_of(step)) == 1
    assert tags_of(rows_of(step)[0])[Style.EXPLAINS] == "▸ explains 8"
    view.setFocus()
    view.setCurrentIndex(rows_of(step)[0])
    view.collapse(rows_of(step)[0])
    step.press(Qt.Key.Key_Right)
    assert len(rows_of(step)) == 3
    step.press(Qt.Key.Key_Left)
    assert len(rows_of(step)) == 1


def test_left_leads_from_an_effect_to_its_cause(step: Driver) -> None:
    view = step.window.frame.differences.list
    view.setFocus()
    view.setCurrentIndex(rows_of(step)[2])
    view.collapse(rows_of(step)[2])
    step.press(Qt.Key.Key_Left)
    assert view.currentIndex() == rows_of(step)[1]


def test_going_to_a_difference_brings_it_out(suspects: Driver) -> None:
    comparison = comparison_of(suspects)
    harmless = next(group for group in comparison.groups if group.harmless)
    suspects.window.store.setCurrent(harmless.members[0])
    view = suspects.named("differenceList", QTreeView)
    assert card_of(view.currentIndex()).divergence == harmless.members[0]
    assert not view.visualRect(view.currentIndex()).isEmpty()


def test_opening_and_closing_keeps_qts_rules(suspects: Driver, qtmodeltester: ModelTester) -> None:
    comparison = comparison_of(suspects)
    model = DifferenceModel()
    model.show(Outline(comparison))
    qtmodeltester.check(model)
    for wanted in (True, False, True):
        model.set_section_open(wanted)
        for row in range(model.rowCount()):
            model.set_effects_shown(model.index(row, 0), not wanted)
    for divergence in range(len(comparison.divergences)):
        assert card_of(model.member_index(divergence)).divergence == divergence


def test_an_effect_whose_cause_is_filtered_out_names_it(step: Driver) -> None:
    comparison = comparison_of(step)
    outline = Outline(comparison, [group for group in comparison.groups if group.id != 0])
    model = DifferenceModel()
    model.show(outline)
    first = model.index(0, 0)
    assert card_of(first).depth == 0
    assert tags_of(first)[Style.CAUSE] == "because of ≠ ReLU → GeLU"


def test_a_region_is_one_card(driver: Driver) -> None:
    driver.open(SAMPLES / "vocab/eager.ir", SAMPLES / "vocab/jit.ir")
    driver.anchor(34, 49)
    driver.compare_up()
    card = rows_of(driver)[0]
    assert "ran on the host" in card.data()
    assert card_of(card).group.count == 6
    assert card_of(card).sentence.startswith("left ")


def test_ops_of_several_types_on_one_side_are_told_apart_by_theirs(suspects: Driver) -> None:
    blocks = [row for row in rows_of(suspects) if "2 ops only on the left" in str(row.data())]
    model = blocks[0].model()
    members = [str(model.index(row, 0, blocks[0]).data()) for row in range(2)]
    assert [member.split()[-1] for member in members] == ["Neg", "Concat"]


def test_members_of_one_type_are_told_apart_by_their_lines(compared: Driver) -> None:
    model = compared.named("differenceList", QTreeView).model()
    cards = (model.index(row, 0) for row in range(model.rowCount()))
    card = next(card for card in cards if "Contiguous inserted" in str(card.data()))
    assert model.index(0, 0, card).data() == "right 61"


def test_a_block_of_ops_is_counted_once_for_all_of_its_ops(suspects: Driver) -> None:
    comparison = comparison_of(suspects)
    for row in rows_of(suspects):
        if card_of(row).item == Item.GROUP:
            ops = dict(comparison.groups[card_of(row).group.id].title.args).get("count", 1)
            assert card_of(row).times * ops == card_of(row).group.count
    blocks = [row for row in rows_of(suspects) if "2 ops only on the left" in str(row.data())]
    assert [card_of(row).times for row in blocks] == [3]


# The walk


def go_to_first(driver: Driver) -> None:
    """Be at the first difference of the list, with the panes too."""
    driver.window.store.setCurrent(None)
    driver.window.store.setCurrent(int(driver.window.store.outline.walk[0]))


@pytest.mark.parametrize("order", list(Order))
def test_the_walk_follows_the_list(suspects: Driver, order: Order) -> None:
    store = suspects.window.store
    store.setOrder(order)
    go_to_first(suspects)
    seen = []
    for _ in store.visible:
        assert store.current is not None
        seen.append(store.current)
        suspects.window.commands["nextDifference"].trigger()
    assert sorted(seen) == store.visible.tolist()
    if order is Order.NEAREST:
        assert seen == sorted(seen)
    else:
        groups = [comparison_of(suspects).divergences[index].group for index in seen]
        changes = [a for a, b in zip(groups, [*groups[1:], -1], strict=True) if a != b]
        assert changes == [here.group.id for here in store.outline.listed]


def test_by_cause_members_come_as_read(suspects: Driver) -> None:
    comparison, outline = comparison_of(suspects), suspects.window.store.outline
    for row, here in enumerate(outline.listed):
        assert outline.members(row).tolist() == comparison.as_read(here.group.members)


def test_keys_for_groups_and_roots(step: Driver) -> None:
    store, comparison = step.window.store, comparison_of(step)

    def group() -> int:
        assert store.current_divergence is not None
        return store.current_divergence.group

    first = [int(store.outline.members(row)[0]) for row in range(3)]
    go_to_first(step)
    step.window.frame.view.leftPane.setFocus()
    step.press(Qt.Key.Key_G)
    assert store.current == first[1]
    step.press(Qt.Key.Key_G)
    assert store.current == first[2]
    step.press(Qt.Key.Key_G, SHIFT)
    assert group() == 1
    step.press(Qt.Key.Key_R, SHIFT)
    assert comparison.groups[group()].root
    assert store.current == first[0]


def test_roots_one_after_the_other(suspects: Driver) -> None:
    store, comparison = suspects.window.store, comparison_of(suspects)
    roots = [here.group.id for here in store.outline.listed if here.group.root]
    go_to_first(suspects)
    seen = [roots[0]]
    suspects.window.frame.view.leftPane.setFocus()
    for _ in roots[1:]:
        suspects.press(Qt.Key.Key_R)
        assert store.current is not None
        seen.append(comparison.divergences[store.current].group)
    assert seen == roots


def word_of(driver: Driver) -> str:
    word = driver.named("toastText", QLabel)
    return word.text() if word.isVisible() else ""


def test_the_end_of_the_walk_is_said_and_then_it_goes_round(compared: Driver) -> None:
    store = compared.window.store
    store.setCurrent(int(store.outline.walk[-1]))
    compared.window.frame.view.leftPane.setFocus()
    compared.press(Qt.Key.Key_N)
    assert store.current == store.outline.walk[-1]
    assert "last difference" in word_of(compared)
    compared.press(Qt.Key.Key_N)
    assert store.current == store.outline.walk[0]
    compared.press(Qt.Key.Key_P)
    compared.press(Qt.Key.Key_P)
    assert store.current == store.outline.walk[-1]


def test_asking_a_root_for_its_cause_says_that_it_is_one(step: Driver) -> None:
    store = step.window.store
    store.setCurrent(int(store.outline.walk[0]))
    step.window.frame.view.leftPane.setFocus()
    step.press(Qt.Key.Key_B)
    assert store.current == store.outline.walk[0]
    assert "This is a root" in word_of(step)


def test_one_key_changes_between_cause_and_distance(suspects: Driver) -> None:
    store = suspects.window.store
    suspects.window.frame.view.leftPane.setFocus()
    suspects.press(Qt.Key.Key_O)
    assert store.outline.order is Order.NEAREST
    assert suspects.window.commands["nearestFirst"].isChecked()
    assert store.outline.walk.tolist() == sorted(store.visible.tolist())
    suspects.press(Qt.Key.Key_O)
    assert store.outline.order is Order.CAUSE


def test_a_hidden_difference_lies_between_its_neighbours(suspects: Driver) -> None:
    store, comparison = suspects.window.store, comparison_of(suspects)
    middle = next(here.group for here in store.outline.listed[1:] if not here.group.harmless)
    store.setCurrent(middle.members[0])
    outline = Outline(comparison, [group for group in comparison.groups if group.id != middle.id])
    after, before = outline.neighbour(store.current, 1), outline.neighbour(store.current, -1)
    assert comparison.divergences[after or 0].group == middle.id + 1
    assert comparison.divergences[before or 0].group == middle.id - 1


# Where the panes stand


@pytest.mark.parametrize("aligned", [True, False])
def test_after_comparing_upward_the_anchor_is_near_the_bottom(rope: Driver, aligned: bool) -> None:
    if not aligned:
        rope.window.commands["alignRows"].trigger()
    rope.anchor(550, 649)
    comparison = rope.compare_up()
    for pane, side in zip(
        (rope.window.frame.view.leftPane, rope.window.frame.view.rightPane),
        (comparison.left, comparison.right),
        strict=True,
    ):
        assert side.anchor is not None
        y = pane.y_of(pane.column.height_of(side.anchor))
        below = (pane.viewport().height() - y) // pane.row_height - 1
        assert 0 <= below <= 3


def test_after_comparing_downward_the_anchor_is_near_the_top(rope: Driver) -> None:
    rope.anchor(100, 127)
    with rope.qtbot.waitSignal(rope.window.comparisonReady, timeout=20_000) as ready:
        rope.click("compareDownButton")
    pane = rope.window.frame.view.leftPane
    y = pane.y_of(pane.column.height_of(ready.args[0].left.anchor))
    assert 0 <= y <= 3 * pane.row_height


def test_the_first_step_leads_to_the_first_difference(compared: Driver) -> None:
    store, view = compared.window.store, compared.window.frame.view
    first = int(store.outline.walk[0])
    assert store.current is None
    assert compared.lines() == (550, 649)
    assert not view.isInView(first)
    compared.window.frame.view.leftPane.setFocus()
    compared.press(Qt.Key.Key_N)
    assert store.current == first
    assert view.isInView(first)


def test_a_first_difference_that_is_in_view_is_shown_at_once(driver: Driver) -> None:
    driver.open(SAMPLES / "vocab/eager.ir", SAMPLES / "vocab/jit.ir")
    driver.anchor(34, 49)
    driver.compare_up()
    store = driver.window.store
    assert store.current == store.outline.walk[0]
    assert driver.window.frame.view.isInView(store.current)


def test_an_anchor_that_differs_is_not_where_the_walk_begins(rope: Driver) -> None:
    rope.anchor(547, 643)
    rope.compare_up()
    assert rope.lines() == (547, 643)
    listed = rope.window.frame.differences.list
    assert not listed.currentIndex().isValid()
    assert listed.verticalScrollBar().value() == 0
    rope.click("nextDifferenceButton")
    assert rope.window.store.current == rope.window.store.outline.walk[0]


def test_the_cause_of_an_anchor_is_one_key_away(rope: Driver) -> None:
    rope.anchor(547, 643)
    comparison = rope.compare_up()
    rope.press(Qt.Key.Key_B)
    found = rope.window.store.current_divergence
    assert found is not None
    assert found.kind is Kind.OP_TYPE
    assert comparison.groups[found.group].parent is None


def test_choosing_the_current_one_again_shows_it(compared: Driver) -> None:
    store, view = compared.window.store, compared.window.frame.view
    differences = compared.window.frame.differences.list
    go_to_first(compared)
    assert store.current is not None
    view.standAtAnchors()
    assert not view.isInView(store.current)
    spot = differences.visualRect(differences.currentIndex()).center()
    compared.qtbot.mouseClick(differences.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert view.isInView(store.current)


def test_a_decision_leaves_the_panes_where_they_are(compared: Driver) -> None:
    window = compared.window
    window.store.setCurrent(int(window.store.outline.walk[3]))
    before = window.frame.view.leftPane.verticalScrollBar().value()
    with compared.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.commands["ignoreOp"].trigger()
    after = window.frame.view.leftPane.verticalScrollBar().value()
    assert abs(after - before) <= 3 * window.frame.view.leftPane.row_height


# Filters


def show_only(driver: Driver, *kinds: Kind) -> None:
    store = driver.window.store
    store.setWork(replace(store.work, hidden_kinds=frozenset(set(Kind) - set(kinds))))


def test_a_filter_reaches_list_panes_overview_and_counts(compared: Driver) -> None:
    view, store = compared.window.frame.view, compared.window.store
    comparison = comparison_of(compared)
    show_only(compared, Kind.CONTIGUOUS)
    assert [card_of(row).group.kind for row in rows_of(compared)[1:]] == [Kind.CONTIGUOUS]
    hidden = next(d for d in comparison.divergences if d.kind is Kind.OP_TYPE)
    scene = view.leftPane.side_scene
    assert scene.greyed[hidden.left_rows[0]]
    overview = compared.named("overview", Overview)
    kinds = {kind_of(int(s)) for lane in (0, 1) for s in np.unique(overview.lane(lane))} - {None}
    assert kinds == {Kind.CONTIGUOUS}
    total = compared.named("differencePosition", QLabel).text()
    assert f"of {len(store.visible)}" in total or f"{len(store.visible)} differences" in total
    show_only(compared, *Kind)
    assert not scene.greyed[hidden.left_rows[0]]


def test_what_is_filtered_out_folds_with_what_is_equal(compared: Driver) -> None:
    pane = compared.window.frame.view.leftPane
    comparison = comparison_of(compared)
    before = len(pane.column)
    show_only(compared, Kind.CONTIGUOUS)
    assert len(pane.column) < before
    folds = [pane.column.fold_at(height) for height in range(len(pane.column))]
    assert any(fold is not None for fold in folds)
    heads = [height for height, fold in enumerate(folds) if fold is not None]
    texts = [pane._tooltip_at(height) for height in heads]
    assert any("hidden by filters" in text for text in texts)
    folded = next(
        index
        for index, found in enumerate(comparison.divergences)
        if found.kind is Kind.OP_TYPE
        and pane.column.fold_at(pane.column.height_of(found.left_rows[0])) is not None
    )
    compared.window.store.setCurrent(folded)  # as going to a cause that is filtered out does
    assert pane.currentRow() == comparison.divergences[folded].left_rows[0]
    show_only(compared, *Kind)
    assert len(pane.column) == before


def test_what_the_user_calls_known_does_not_fold(compared: Driver) -> None:
    pane = compared.window.frame.view.leftPane
    before = len(pane.column)
    compared.window.store.setCurrent(comparison_of(compared).groups[1].members[0])
    compared.window.commands["knownKind"].trigger()
    assert len(pane.column) == before


def test_a_chip_counts_what_the_other_filters_leave(compared: Driver) -> None:
    chip = compared.named("kind-op-type", QPushButton)
    assert chip.accessibleName() == "op type 24"
    compared.window.commands["hideKnown"].trigger()
    assert chip.accessibleName() == "op type 0"


def test_hovering_over_the_overview_tells_counts_and_place(compared: Driver) -> None:
    overview = compared.named("overview", Overview)
    texts = [overview.text_at(y) for y in range(overview.height())]
    assert any("Contiguous" in text and "↔" in text for text in texts)
    assert any("rotary.py" in text for text in texts)


def test_pins_and_notes_are_marked_in_the_overview(compared: Driver) -> None:
    window = compared.window
    overview = compared.named("overview", Overview)
    found = comparison_of(compared).divergences[0]
    window.store.setWork(window.store.work.with_note(divergence_key(found), "look here"), "note")
    texts = [overview.text_at(y) for y in range(overview.height())]
    assert any("a note" in text for text in texts)
    before = overview.grab().toImage()
    window.store.setWork(window.store.work.with_note(divergence_key(found), ""), "note")
    assert overview.grab().toImage() != before
    window.frame.view.setPins([(20, 20)])
    assert any("a pin" in overview.text_at(y) for y in range(overview.height()))


def test_a_click_on_the_overview_still_goes_there(compared: Driver) -> None:
    overview = compared.named("overview")
    pane = compared.window.frame.view.leftPane
    compared.qtbot.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(8, 2))
    assert pane.visible_heights()[0] == 0
