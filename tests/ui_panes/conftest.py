from __future__ import annotations

from collections.abc import Iterator

import pytest
from pane_making import make_comparison, make_trace
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from opdiff.compare import Comparison, Direction, Kind, Request
from opdiff.ui.look.fonts import set_text_scale
from opdiff.ui.look.theme import LIGHT, apply_theme, current
from opdiff.ui.panes import ComparisonView
from opdiff.ui.translations import install_language
from opdiff.wording import sentence


@pytest.fixture(scope="session", autouse=True)
def sentences_of_panes() -> None:
    """A sentence of its own beside the real ones; to the end, for panes may outlive their test."""
    known = {**sentence.sentences(), "made": ("difference {number}", "差异 {number}")}
    pytest.MonkeyPatch().setattr(sentence, "sentences", lambda: known)


@pytest.fixture(autouse=True)
def light_and_english(qapp: QApplication) -> Iterator[None]:
    """Every test starts light and in English, with text of its usual size."""
    set_text_scale(1.0)
    if current() is not LIGHT or not qapp.styleSheet():
        apply_theme(qapp, LIGHT)
    install_language(qapp, "en")
    yield
    install_language(qapp, "en")
    set_text_scale(1.0)


EQUAL_ABOVE = 30


@pytest.fixture
def rope() -> Comparison:
    """Thirty equal ops, then a few that differ, then the anchor, then what was not compared."""
    above = ["Norm"] * EQUAL_ABOVE
    left = make_trace([*above, "Slice", "Cos", "Mul", "Concat", "Softmax", "Exp"])
    right = make_trace([*above, "Contiguous", "StridedSlice", "Cos", "Mul", "Concat", "Softmax"])
    start = EQUAL_ABOVE
    equal = [(row, row) for row in range(start)]
    below = [(start + row, start + 1 + row) for row in range(4)]
    return make_comparison(
        left,
        right,
        equal + below,
        [
            (Kind.LAYOUT_MISSING, (start + 2,), (start + 3,)),
            (Kind.OP_TYPE, (start,), (start + 1,)),
            (Kind.CONTIGUOUS, (), (start,)),
        ],
        request=Request(direction=Direction.UP, left_anchor=start + 3, right_anchor=start + 4),
        outside=((start + 4, start + 5), (start + 5,)),
    )


@pytest.fixture
def view(qtbot: QtBot, rope: Comparison) -> ComparisonView:
    """The view on that comparison, shown."""
    view = ComparisonView()
    qtbot.addWidget(view)
    view.resize(1000, 500)
    view.setTrace(0, rope.left.trace)
    view.setTrace(1, rope.right.trace)
    view.setComparison(rope)
    view.show()
    return view
