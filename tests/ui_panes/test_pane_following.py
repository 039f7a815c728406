"""Panes that scroll each on their own, and yet do not lose each other."""

from __future__ import annotations

import pytest
from pane_making import make_comparison, make_trace
from pytestqt.qtbot import QtBot

from opdiff.ui.panes import ComparisonView
from opdiff.ui.panes.pane import TracePane

ROWS = 200


@pytest.fixture
def long_view(qtbot: QtBot) -> ComparisonView:
    """Two long equal traces, not folded."""
    names = [f"Op{number}" for number in range(ROWS)]
    left, right = make_trace(names), make_trace(names)
    view = ComparisonView()
    qtbot.addWidget(view)
    view.resize(1000, 500)
    view.setTrace(0, left)
    view.setTrace(1, right)
    view.setOptions(folded=False)
    view.setComparison(make_comparison(left, right, [(row, row) for row in range(ROWS)]))
    view.show()
    return view


def scroll_by_hand(pane: TracePane, value: int) -> None:
    """As dragging the handle of the scroll bar does."""
    pane.verticalScrollBar().setSliderPosition(value)


def test_free_panes_bring_the_counterparts_along(long_view: ComparisonView) -> None:
    long_view.setOptions(aligned=False)
    left, right = long_view.leftPane, long_view.rightPane
    scroll_by_hand(left, 100 * left.row_height)
    first, last = right.visible_heights()
    row = left.column.row_at(sum(left.visible_heights()) // 2)
    assert row is not None
    assert first <= right.column.height_of(row) <= last
    assert left.verticalScrollBar().value() == 100 * left.row_height


def test_free_panes_scroll_apart_where_that_is_wanted(long_view: ComparisonView) -> None:
    long_view.setOptions(aligned=False)
    long_view.setOptions(following=False)
    scroll_by_hand(long_view.leftPane, 100 * long_view.leftPane.row_height)
    assert long_view.rightPane.verticalScrollBar().value() == 0


def test_a_little_scrolling_leaves_the_other_side_alone(long_view: ComparisonView) -> None:
    long_view.setOptions(aligned=False)
    scroll_by_hand(long_view.leftPane, 2 * long_view.leftPane.row_height)
    assert long_view.rightPane.verticalScrollBar().value() == 0
