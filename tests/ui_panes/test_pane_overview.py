from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pane_pointing import picture_of
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from opdiff.compare import Kind, State, kind_of, state_of
from opdiff.ui.look.theme import LIGHT
from opdiff.ui.panes import ComparisonView
from opdiff.ui.panes.overview import MOST_PIXELS, Overview, scale_for, worst_a_pixel

START = 30


def overview_of(view: ComparisonView) -> Overview:
    overview = view.findChild(QWidget, "overview")
    assert isinstance(overview, Overview)
    return overview


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(0, State.DIFFERENT + len(Kind) - 1), min_size=1, max_size=60),
    st.integers(1, 40),
)
def test_no_pixel_hides_the_most_severe_state(states: list[int], pixels: int) -> None:
    severity = np.array(states, np.uint8)
    scale = scale_for(severity, pixels)
    worst = worst_a_pixel(severity, scale, pixels)
    assert len(worst) == pixels
    assert int(worst.max()) == max(states)
    assert set(worst.tolist()) <= {*states, 0}


def test_only_the_compared_range_is_mapped() -> None:
    severity = np.array([0, 0, 2, 9, 2, 0, 0, 0], np.uint8)
    scale = scale_for(severity, 300)
    assert (scale.first, scale.last, scale.pixels) == (2, 4, MOST_PIXELS)
    assert scale.height_at(0) == 2
    assert scale.height_at(299) == 4
    assert scale.y_of(0) == 0


def test_the_map_shows_each_kind_in_its_colour(view: ComparisonView) -> None:
    overview = overview_of(view)
    kinds = {kind_of(int(state)) for lane in (0, 1) for state in overview.lane(lane)} - {None}
    assert kinds == {Kind.OP_TYPE, Kind.LAYOUT_MISSING, Kind.CONTIGUOUS}
    lane = next(lane for lane in (0, 1) if (overview.lane(lane) == state_of(Kind.OP_TYPE)).any())
    y = int(np.flatnonzero(overview.lane(lane) == state_of(Kind.OP_TYPE))[0])
    overview.setView(8, 9)
    image = picture_of(overview)
    start, end = overview.lane_span(lane)
    assert image.pixelColor((start + end) // 2, y).name() == LIGHT.full(Kind.OP_TYPE).name()
    assert "≠ op type" in overview.text_at(y)
    assert f"{3 * START + 1} ↔ {3 * START + 4}" in overview.text_at(y)


def test_clicking_goes_there_aligned_and_free(view: ComparisonView, qtbot: QtBot) -> None:
    view.setOptions(folded=False)
    view.resize(1000, 200)
    overview = overview_of(view)
    for aligned in (True, False):
        view.setOptions(aligned=aligned)
        view.leftPane.verticalScrollBar().setValue(0)
        view.rightPane.verticalScrollBar().setValue(0)
        spot = QPoint(overview.width() // 2, 15 * MOST_PIXELS)
        qtbot.mouseClick(overview, Qt.MouseButton.LeftButton, pos=spot)
        for pane in (view.leftPane, view.rightPane):
            first, last = pane.visible_heights()
            assert 0 < first <= pane.column.height_of(15) <= last


def test_what_a_search_found_is_ticked_at_the_edge_of_its_side(view: ComparisonView) -> None:
    view.setOptions(folded=False)
    overview = overview_of(view)
    view.leftPane.verticalScrollBar().setValue(view.leftPane.verticalScrollBar().maximum())
    view.setSearchHits(1, [3])
    image = picture_of(overview)
    y = 3 * MOST_PIXELS
    accent = LIGHT.accent.name()
    assert image.pixelColor(image.width() - 2, y).name() == accent
    assert image.pixelColor(1, y).name() != accent


def test_an_empty_map(qtbot: QtBot) -> None:
    view = ComparisonView()
    qtbot.addWidget(view)
    view.show()
    overview = overview_of(view)
    assert overview.text_at(3) == ""
    qtbot.mouseClick(overview, Qt.MouseButton.LeftButton)
    assert view.leftPane.verticalScrollBar().value() == 0
