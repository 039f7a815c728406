from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication, QSplitter, QToolButton, QTreeView
from pytestqt.modeltest import ModelTester
from window_driving import SAMPLES, Driver

from opdiff.compare import SEVERITY, Comparison, Direction, Kind, Request, compare
from opdiff.readers import open_trace
from opdiff.session import Work
from opdiff.session.places import row_named
from opdiff.ui.differences.cards import Style, card_of
from opdiff.ui.differences.model import DifferenceModel
from opdiff.ui.differences.outline import Order, Outline, ordered
from opdiff.ui.differences.rows import FIRST_SHOWN, Item
from opdiff.ui.frame.window_frame import SIDE_WIDTH
from opdiff.ui.look.fonts import ui_font, wrapped


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    left, right = (open_trace(Path(SAMPLES, "rope", name)) for name in ("eager.ir", "jit.ir"))
    request = Request(
        direction=Direction.UP, left_anchor=row_named(left, 550), right_anchor=row_named(right, 649)
    )
    return compare(left, right, request)


@pytest.fixture
def model(comparison: Comparison) -> DifferenceModel:
    model = DifferenceModel()
    model.show(Outline(comparison))
    return model


def largest(model: DifferenceModel) -> QModelIndex:
    return max(groups_of(model), key=lambda index: card_of(index).group.count)


def groups_of(model: QAbstractItemModel) -> list[QModelIndex]:
    """The rows of the list that are groups."""
    rows = [model.index(row, 0) for row in range(model.rowCount())]
    return [row for row in rows if card_of(row).item == Item.GROUP]


def test_the_model_keeps_qts_rules(model: DifferenceModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(model)
    group = largest(model)
    model.reveal(model.index(model.rowCount(group) - 1, 0, group))
    model.member_index(card_of(model.index(0, 0, group)).divergence)


def test_a_group_shows_a_few_members_and_says_how_many_more(model: DifferenceModel) -> None:
    group = largest(model)
    count = card_of(group).group.count
    assert count > FIRST_SHOWN
    assert model.rowCount(group) == FIRST_SHOWN + 1
    last = model.index(FIRST_SHOWN, 0, group)
    assert card_of(last).item == Item.MORE
    assert str(count - FIRST_SHOWN) in last.data()
    model.reveal(last)
    assert model.rowCount(group) == count


def test_any_member_can_be_reached(model: DifferenceModel, comparison: Comparison) -> None:
    for divergence in range(len(comparison.divergences)):
        index = model.member_index(divergence)
        assert card_of(index).divergence == divergence
        assert card_of(index.parent()).group.kind == comparison.divergences[divergence].kind


def test_a_far_member_is_shown_with_its_neighbours_only(comparison: Comparison) -> None:
    group = max(comparison.groups, key=lambda each: each.count)
    model = DifferenceModel()
    model.show(
        Outline(comparison, [each for each in comparison.groups if each is group], Order.NEAREST)
    )
    far = group.members[-2]
    index = model.member_index(far)
    shown = model.index(0, 0)
    assert card_of(index).divergence == far
    assert card_of(model.index(0, 0, shown)).item == Item.EARLIER
    assert str(group.count - 3) in model.index(0, 0, shown).data()
    model.reveal(model.index(0, 0, shown))
    assert model.rowCount(shown) == group.count


@pytest.mark.parametrize("order", list(Order))
def test_orders(comparison: Comparison, order: Order) -> None:
    listed = ordered(comparison, list(comparison.groups), order)
    assert {group.id for group in listed} == {group.id for group in comparison.groups}
    keys = {
        Order.CAUSE: [group.id for group in listed],
        Order.NEAREST: [min(group.members) for group in listed],
        Order.SEVERITY: [-SEVERITY.index(group.kind) for group in listed],
        Order.COUNT: [-group.count for group in listed],
        Order.FILE: [
            min(
                row
                for member in group.members
                for row in (
                    *comparison.divergences[member].left_rows,
                    *comparison.divergences[member].right_rows,
                )
            )
            for group in listed
        ],
    }[order]
    assert keys == sorted(keys)


def test_everything_is_said_aloud(model: DifferenceModel) -> None:
    for row in groups_of(model):
        spoken = row.data(Qt.ItemDataRole.AccessibleTextRole)
        assert row.data() in spoken
        assert "root" in spoken or "because of" in spoken


def test_the_list_can_be_walked_up_and_down_by_key(compared: Driver) -> None:
    differences = compared.named("differenceList", QTreeView)
    differences.setFocus()
    compared.press(Qt.Key.Key_Home)
    assert card_of(differences.currentIndex()).item == Item.SECTION
    compared.press(Qt.Key.Key_Down)
    first = differences.currentIndex()
    assert card_of(first).item == Item.GROUP
    compared.press(Qt.Key.Key_Down)
    compared.press(Qt.Key.Key_Down)
    member = differences.currentIndex()
    assert card_of(member).item == Item.MEMBER
    assert compared.window.store.current == card_of(member).divergence
    compared.press(Qt.Key.Key_Up)
    compared.press(Qt.Key.Key_Up)
    assert differences.currentIndex() == first


def test_the_order_can_be_chosen(compared: Driver) -> None:
    panel = compared.window.frame.differences
    compared.window.store.setOrder(Order.COUNT)
    counts = [
        card_of(panel.model.index(row, 0)).group.count for row in range(panel.model.rowCount())
    ]
    assert counts == sorted(counts, reverse=True)
    assert compared.window.settings.text("order", "") == "count"


def test_because_of_jumps_to_the_cause(compared: Driver) -> None:
    store = compared.window.store
    comparison = store.comparison
    assert comparison is not None
    consequence = next(
        index for index, found in enumerate(comparison.divergences) if found.caused_by is not None
    )
    store.setCurrent(consequence)
    assert compared.window.commands["goToCause"].isEnabled()
    compared.press(Qt.Key.Key_B)
    assert store.current == comparison.divergences[consequence].caused_by


def test_clicking_because_of_jumps_too(compared: Driver) -> None:
    panel = compared.window.frame.differences
    compared.window.store.setOrder(Order.COUNT)  # in the tree it stands under its cause
    rows = groups_of(panel.model)
    index = next(row for row in rows if card_of(row).cause is not None)
    panel.list.scrollTo(index)
    tags = panel.list.cards.tag_boxes(panel.list.visualRect(index), card_of(index))
    rect = next(box for tag, box in tags if tag.style is Style.CAUSE)
    compared.qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert compared.window.store.current == card_of(index).cause


def test_an_empty_list_says_why(driver: Driver) -> None:
    differences = driver.named("differenceList", QTreeView)
    assert "Open the left trace" in differences.accessibleDescription()
    driver.open(SAMPLES / "identical/first.ir", SAMPLES / "identical/second.ir")
    driver.anchor(616, 634)
    driver.compare_up()
    assert differences.model().rowCount() == 0
    assert "No differences" in differences.accessibleDescription()


def test_a_list_emptied_by_filters_says_so(compared: Driver) -> None:
    store = compared.window.store
    store.setWork(replace(store.work, hidden_kinds=frozenset(Kind)))
    differences = compared.named("differenceList", QTreeView)
    assert differences.model().rowCount() == 0
    assert "hidden by the filters" in differences.accessibleDescription()


def test_without_anchors_the_list_begins_at_the_top(compared: Driver) -> None:
    order = compared.named("orderButton", QToolButton)
    assert order.text() == "causes first ▾"
    compared.press(Qt.Key.Key_O)
    assert order.text() == "nearest the anchor first ▾"
    compared.window.store.setWork(Work())
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        compared.click("compareWholeButton")
    assert order.text() == "from the top ▾"
    first = compared.window.store.comparison
    assert first is not None
    rows = [found.left_rows for found in first.divergences if found.left_rows]
    assert rows[0] == min(rows)


def test_a_title_takes_a_second_line_rather_than_being_cut(compared: Driver) -> None:
    differences = compared.named("differenceList", QTreeView)
    window = compared.window
    listed = differences.model()
    for group in groups_of(listed):
        listed.set_effects_shown(group, True)
    index = next(t for t in groups_of(listed) if "missing on the right" in t.data())
    window.resize(1440, 900)
    narrow = differences.sizeHintForIndex(index).height()
    upper = window.frame.differences.parentWidget()
    assert isinstance(upper, QSplitter)
    upper.setSizes([640, 800])
    assert differences.sizeHintForIndex(index).height() < narrow


@pytest.mark.parametrize("language", ["languageEnglish", "languageChinese"])
def test_no_sentence_of_a_card_is_cut(rope: Driver, language: str) -> None:
    rope.anchor(547, 601)
    rope.compare_up()
    rope.window.commands[language].trigger()
    panel = rope.window.frame.differences
    panel.list.setFixedWidth(SIDE_WIDTH)
    QApplication.processEvents()
    cards, model, heights = panel.list.cards, panel.model, set()
    metrics = QFontMetrics(cards._small)
    for row in range(model.rowCount()):
        index = model.index(row, 0)
        if card_of(index).item != Item.GROUP:
            continue
        box = cards._lines(panel.list.visualRect(index), card_of(index))[1]
        parts = cards._sentence_parts(card_of(index), box.width())
        assert "".join(parts).replace(" ", "") == card_of(index).sentence.replace(" ", "")
        assert all(metrics.horizontalAdvance(part) <= box.width() for part in parts)
        assert box.height() == len(parts) * metrics.height()
        heights.add(len(parts))
    assert len(heights) > 1, "short and long ones were tried"


def test_text_is_broken_into_lines_of_a_width() -> None:
    font = ui_font()
    width = QFontMetrics(font).horizontalAdvance("a few words") + 1  # it is rounded
    assert wrapped("a few words", font, width, most=3) == ["a few words"]
    assert wrapped("a few words more", font, width, most=3) == ["a few words", "more"]
    assert wrapped("a few words", font, width, first=width // 2, most=3) == ["a few", "words"]
    assert wrapped("😀 a few words more and then more", font, width, most=2)[0].startswith("😀 a")
    long = wrapped("x" * 60, font, width, most=2)
    assert [len(long), "".join(long)] == [2, "x" * 60], "a name without a space breaks anywhere"


def test_the_current_card_stays_in_sight_where_the_window_or_the_text_changes(
    compared: Driver,
) -> None:
    shown = compared.named("differenceList", QTreeView)
    compared.window.store.setCurrent(int(compared.window.store.outline.walk[-1]))
    compared.qtbot.wait(20)

    def in_sight() -> bool:
        return shown.viewport().rect().contains(shown.visualRect(shown.currentIndex()).center())

    assert in_sight()
    compared.window.resize(1024, 600)
    compared.qtbot.waitUntil(in_sight)
    for _ in range(3):
        compared.window.commands["zoomIn"].trigger()
    compared.qtbot.wait(100)
    compared.qtbot.waitUntil(in_sight)
    compared.window.commands["zoomReset"].trigger()
    compared.qtbot.wait(100)
