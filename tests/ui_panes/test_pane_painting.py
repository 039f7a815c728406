from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
from pane_making import make_comparison, make_trace
from pane_pointing import current_pair, middle_of, picture_of
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from opdiff.compare import Comparison, Kind, Side
from opdiff.compare.comparison import state_of
from opdiff.ui.look.appearance import SMALLEST_ZOOM, ZOOM_STEP
from opdiff.ui.look.fonts import set_text_scale
from opdiff.ui.look.theme import DARK, LIGHT, Theme, apply_theme
from opdiff.ui.panes import ComparisonView, TracePane, row_painter
from opdiff.ui.panes.glyphs import Glyphs, LaidOut
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.panes.row_painter import RowLooks, fold_words

START = 30


def colour_left_of(pane: TracePane, row: int) -> str:
    """The colour behind a row, beside its edge."""
    image = picture_of(pane.viewport())
    x = 8 if pane.side else image.width() - 2
    return image.pixelColor(x, middle_of(pane, row).y()).name()


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_rows_take_the_tint_of_their_kind(
    view: ComparisonView, theme: Theme, qapp: QApplication
) -> None:
    apply_theme(qapp, theme)
    left, right = view.leftPane, view.rightPane
    assert colour_left_of(left, START) == theme.tint(Kind.OP_TYPE).name()
    assert colour_left_of(left, START + 1) == theme.background.name()
    assert colour_left_of(left, START + 2) == theme.tint(Kind.LAYOUT_MISSING).name()
    assert colour_left_of(left, START + 3) == theme.anchor_tint.name()
    assert colour_left_of(left, START + 4) == theme.background.name()
    assert colour_left_of(right, START) == theme.tint(Kind.CONTIGUOUS).name()


def test_the_edge_is_at_the_outer_side_in_full_colour(view: ComparisonView) -> None:
    left, right = picture_of(view.leftPane.viewport()), picture_of(view.rightPane.viewport())
    y = middle_of(view.leftPane, START).y()
    assert left.pixelColor(0, y).name() == LIGHT.full(Kind.OP_TYPE).name()
    assert right.pixelColor(right.width() - 1, y).name() == LIGHT.full(Kind.OP_TYPE).name()


def test_a_gap_is_hatched_and_a_greyed_difference_is_not_tinted(view: ComparisonView) -> None:
    view.setGreyed([2])
    right = view.rightPane
    assert colour_left_of(right, START) == LIGHT.background.name()
    y = middle_of(right, START).y()
    image = picture_of(view.leftPane.viewport())
    inks = {image.pixelColor(x, y).name() for x in range(100, 200)}
    assert len(inks) > 1


def test_greying_one_of_two_differences_leaves_the_other(qtbot: QtBot) -> None:
    trace = make_trace(["Mul"] * 3)
    comparison = make_comparison(
        trace,
        trace,
        [(row, row) for row in range(3)],
        [(Kind.DTYPE, (1,), (1,)), (Kind.MOVED, (1,), (1,))],
    )
    view = ComparisonView()
    qtbot.addWidget(view)
    view.setTrace(0, trace)
    view.setTrace(1, trace)
    view.setComparison(comparison)
    view.resize(900, 300)
    view.show()
    assert colour_left_of(view.leftPane, 1) == LIGHT.tint(Kind.DTYPE).name()
    view.setGreyed([0])
    assert colour_left_of(view.leftPane, 1) == LIGHT.tint(Kind.MOVED).name()
    view.setGreyed([])
    assert colour_left_of(view.leftPane, 1) == LIGHT.tint(Kind.DTYPE).name()


def test_selection_hits_and_pins_change_the_picture(view: ComparisonView) -> None:
    def row_picture() -> bytes:
        image = picture_of(view.leftPane.viewport())
        y = view.leftPane.y_of(view.leftPane.column.height_of(START + 1))
        return bytes(image.copy(0, y, image.width(), view.leftPane.row_height).constBits())

    seen = [row_picture()]
    for change in (
        lambda: view.setSearchHits(0, [START + 1]),
        lambda: view.setPins([(START + 1, START + 2)]),
        lambda: view.selectRow(0, START + 1),
    ):
        change()
        seen.append(row_picture())
    assert len(set(seen)) == len(seen)


def test_only_rows_in_view_are_touched(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace(["Mul"] * 5000)
    touched: set[int] = set()

    def watched(original: Callable[..., str]) -> Callable[..., str]:
        def text(trace: object, row: int, **options: bool) -> str:
            touched.add(row)
            return original(trace, row, **options)

        return text

    for name in ("output_text", "origin_text"):
        monkeypatch.setattr(row_painter, name, watched(getattr(row_painter, name)))
    view = ComparisonView()
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.setTrace(0, trace)
    view.show()
    view.leftPane.verticalScrollBar().setValue(2500 * view.leftPane.row_height)
    touched.clear()
    picture_of(view.leftPane)
    first, last = view.leftPane.visible_heights()
    assert touched == set(range(first, last + 1))


def test_painting_thousands_of_rows_keeps_the_count_of_none(view: ComparisonView) -> None:
    """Some versions of PySide6 drop a reference to None in every setPen, and abort in the end."""
    view.setOptions(folded=False)
    picture_of(view)
    before = sys.getrefcount(None)
    rows = 0
    while rows < 4000:
        picture_of(view)
        rows += 2 * len(view.leftPane.column)
    assert abs(sys.getrefcount(None) - before) < 500


@pytest.mark.parametrize("size", [(300, 60), (1, 1), (2400, 1200)])
def test_any_size_can_be_painted(view: ComparisonView, size: tuple[int, int]) -> None:
    view.resize(*size)
    assert picture_of(view).size() == view.size()


def test_nothing_to_show(qtbot: QtBot) -> None:
    view = ComparisonView()
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    assert not np.asarray(view.leftPane.column.cells).size
    image = picture_of(view.leftPane.viewport())
    assert image.pixelColor(5, 5).name() == LIGHT.background.name()
    view.setComparison(None)
    assert current_pair(view) == (None, None)


def zoom(view: ComparisonView, steps: int) -> None:
    set_text_scale(ZOOM_STEP**steps)
    view.dress()


def test_zooming_makes_rows_higher_and_back(view: ComparisonView, rope: Comparison) -> None:
    view.selectRow(0, START)
    usual = view.leftPane.row_height
    zoom(view, 2)
    assert view.leftPane.row_height > usual
    first, last = view.leftPane.visible_heights()
    assert first <= view.leftPane.column.height_of(START) <= last
    zoom(view, 0)
    assert view.leftPane.row_height == usual
    zoom(view, SMALLEST_ZOOM)
    assert view.leftPane.row_height >= 8


def test_zooming_leaves_the_current_row_where_it_is(view: ComparisonView) -> None:
    pane = view.leftPane
    view.setOptions(folded=False)
    view.selectRow(0, START + 2)
    pane.place(pane.column.height_of(START + 2), 2 * pane.row_height)
    y = pane.y_of(pane.column.height_of(START + 2))
    for steps in (3, 5, 0):
        zoom(view, steps)
        assert pane.y_of(pane.column.height_of(START + 2)) == y


@pytest.mark.parametrize("name", ["AVeryLongNameOfAnOp", 3 * "AVeryLongNameOfAnOp"])
def test_a_long_op_type_is_not_cut(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It takes of the room of the output, then of the source."""
    view = ComparisonView()
    qtbot.addWidget(view)
    view.resize(1300, 400)
    view.show()
    view.setTrace(Side.LEFT, make_trace([name, *["Mul"] * 200]))
    spans = view.leftPane.spans()
    needed = QFontMetricsF(metrics().medium).horizontalAdvance(name)
    assert spans.op[1] < needed < sum(part[1] for part in (spans.op, spans.output, spans.origin))
    drawn: list[str] = []

    def note(glyphs: Glyphs, text: str, width: float) -> LaidOut:
        found = real(glyphs, text, width)
        drawn.append(found[0].text())
        return found

    real = Glyphs.laid_out
    monkeypatch.setattr(Glyphs, "laid_out", note)
    picture_of(view.leftPane.viewport())
    assert name in drawn


@pytest.mark.parametrize(
    "words", ["1,234 equal ops", "9 equal ops · layer 36 › " + 20 * "attention"]
)
def test_a_fold_always_shows_that_it_opens(words: str) -> None:
    letters = QFontMetricsF(metrics().fold)
    text, room = f"┈  {words}  ┈  ▸", 240.0
    shown = fold_words(text, letters, room)
    assert shown.startswith(f"┈  {words[:8]}")
    assert shown.endswith(" ▸")
    assert letters.horizontalAdvance(shown) <= room
    assert (shown == text) == (letters.horizontalAdvance(text) <= room)


def test_the_edge_of_an_anchor_that_is_greyed_is_that_of_an_anchor() -> None:
    looks = RowLooks(LIGHT)
    state = state_of(Kind.DTYPE)
    assert looks._make(state, False, True, False, False).edge == LIGHT.full(Kind.DTYPE)
    assert looks._make(state, True, True, False, False).edge == LIGHT.accent
