from __future__ import annotations

from pane_making import make_comparison, make_trace
from pane_pointing import current_pair, middle_of, picture_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from opdiff.compare import Comparison, Kind
from opdiff.ui.look.theme import LIGHT
from opdiff.ui.panes import ComparisonView
from opdiff.ui.panes.link_strip import DrawnLink, LinkStrip, Weight

START = 30


def strip_of(view: ComparisonView) -> LinkStrip:
    strip = view.findChild(QWidget, "linkStrip")
    assert isinstance(strip, LinkStrip)
    return strip


def shown(qtbot: QtBot, comparison: Comparison, height: int = 400) -> ComparisonView:
    view = ComparisonView()
    qtbot.addWidget(view)
    view.resize(900, height)
    view.setTrace(0, comparison.left.trace)
    view.setTrace(1, comparison.right.trace)
    view.setComparison(comparison)
    view.show()
    return view


def of_weight(view: ComparisonView, weight: Weight) -> list[DrawnLink]:
    return [link for link in strip_of(view).links() if link.weight is weight]


def test_aligned_links_are_straight(view: ComparisonView) -> None:
    links = strip_of(view).links()
    assert all(link.left == link.right for link in links if None not in (link.left, link.right))
    [anchor] = of_weight(view, Weight.ANCHOR)
    assert anchor.left is not None
    assert [link.kind for link in of_weight(view, Weight.DIFFERENT)].count(Kind.OP_TYPE) == 1
    assert len(of_weight(view, Weight.FOLD)) == 1


def test_an_op_on_one_side_only_has_a_stub(view: ComparisonView) -> None:
    [stub] = [link for link in of_weight(view, Weight.DIFFERENT) if link.left is None]
    assert stub.kind is Kind.CONTIGUOUS
    strip = strip_of(view)
    image = picture_of(strip)
    assert stub.right is not None
    y = int(stub.right)
    full = LIGHT.full(Kind.CONTIGUOUS).name()
    row = [image.pixelColor(x, y).name() for x in range(image.width())]
    assert full in row[image.width() // 2 :]
    assert full not in row[: image.width() // 2]


def test_a_free_link_whose_far_end_is_out_of_sight_is_found_from_either_side(
    view: ComparisonView,
) -> None:
    view.setOptions(folded=False)
    view.setOptions(aligned=False)
    view.leftPane.verticalScrollBar().setValue(0)
    bar = view.rightPane.verticalScrollBar()
    bar.setValue(bar.maximum())
    height = strip_of(view).height()
    links = [link for link in strip_of(view).links() if None not in (link.left, link.right)]
    assert any(0 <= link.left <= height and link.right < 0 for link in links)
    assert any(0 <= link.right <= height and link.left > height for link in links)
    assert picture_of(strip_of(view)).height() == height


def test_several_ops_that_one_replaces_fan_out(qtbot: QtBot) -> None:
    left, right = make_trace(["A", "B", "C", "D", "E"]), make_trace(["A", "Fused", "E"])
    view = shown(
        qtbot,
        make_comparison(left, right, [(0, 0), (4, 2)], [(Kind.FUSED, (1, 2, 3), (1,))]),
    )
    fan = of_weight(view, Weight.DIFFERENT)
    assert len(fan) == 3
    assert len({link.right for link in fan}) == 1
    assert len({link.left for link in fan}) == 3
    assert fan[0].left == fan[0].right
    view.showDivergence(0)
    assert view.leftPane.selectedRows() == [1, 2, 3]
    assert view.rightPane.selectedRows() == [1]
    view.selectRow(1, 1)
    assert view.leftPane.selectedRows() == [1, 2, 3]


def test_a_moved_pair_crosses(qtbot: QtBot) -> None:
    left, right = make_trace(["A", "M", "B", "C"]), make_trace(["A", "B", "C", "M"])
    view = shown(
        qtbot,
        make_comparison(left, right, [(0, 0), (1, 3), (2, 1), (3, 2)], [(Kind.MOVED, (1,), (3,))]),
    )
    [moved] = of_weight(view, Weight.DIFFERENT)
    assert moved.left is not None
    assert moved.right is not None
    assert moved.left < moved.right
    assert len(of_weight(view, Weight.EQUAL)) == 3


def test_clicking_a_link_goes_to_its_other_end(view: ComparisonView, qtbot: QtBot) -> None:
    strip, left = strip_of(view), Qt.MouseButton.LeftButton
    y = middle_of(view.leftPane, START + 2).y()
    for x, expected in ((5, (1, START + 3)), (strip.width() - 5, (0, START + 2))):
        with qtbot.waitSignal(view.rowSelected) as caught:
            qtbot.mouseClick(strip, left, pos=QPoint(x, y))
        assert tuple(caught.args) == expected
    alone = QPoint(strip.width() - 5, middle_of(view.rightPane, START).y())
    qtbot.mouseClick(strip, left, pos=alone)
    assert current_pair(view) == (None, START)


def test_pins_and_known_pairs_are_linked_before_the_comparison_ends(
    qtbot: QtBot, rope: Comparison
) -> None:
    view = ComparisonView()
    qtbot.addWidget(view)
    view.resize(900, 900)
    view.setTrace(0, rope.left.trace)
    view.setTrace(1, rope.right.trace)
    view.show()
    assert strip_of(view).links() == []
    view.setAnchors(START + 3, START + 4)
    assert len(of_weight(view, Weight.ANCHOR)) == 1
    view.addLinks([START, START + 1], [START + 1, START + 2])
    assert len(of_weight(view, Weight.EQUAL)) == 2
    qtbot.waitUntil(lambda: all(link.left == link.right for link in strip_of(view).links()))
    view.setComparison(rope)
    view.setPins([(START + 1, START + 2)])
    assert len(of_weight(view, Weight.PIN)) == 1
