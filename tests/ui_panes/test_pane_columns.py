from __future__ import annotations

import pytest
from pane_making import make_trace
from PySide6.QtWidgets import QApplication

from opdiff.ui.panes.columns import ColumnShares, ColumnWishes
from opdiff.ui.panes.metrics import Metrics, metrics_at


@pytest.fixture
def metrics(qapp: QApplication) -> Metrics:
    return metrics_at(0)


def test_wishes_follow_what_nearly_all_rows_need() -> None:
    trace = make_trace(["Mul"] * 99 + ["AVeryLongNameThatIsFusedOutOfManyOthers"])
    wishes = ColumnWishes.of(trace)
    assert wishes.op == len("Mul")
    assert wishes.output == len("BFloat16 [64, 2, 128]")
    assert wishes.joined(ColumnWishes(op=9, output=1, digits=7)) == ColumnWishes(
        9, wishes.output, 7
    )
    assert ColumnWishes.of(make_trace([])) == ColumnWishes()


def test_short_shapes_leave_more_room_for_where_an_op_comes_from(metrics: Metrics) -> None:
    short = ColumnWishes(10, 16, 4).spans(500, metrics, None)
    long = ColumnWishes(10, 40, 4).spans(500, metrics, None)
    assert short.origin[1] > long.origin[1] > 0


@pytest.mark.parametrize("width", [0, 1, 80, 500, 3000])
@pytest.mark.parametrize("x", [-100.0, 150.0, 9999.0])
@pytest.mark.parametrize("boundary", [0, 1])
def test_no_drag_makes_a_column_vanish(
    metrics: Metrics, width: int, x: float, boundary: int
) -> None:
    wishes = ColumnWishes(12, 24, 6)
    shares = wishes.spans(width, metrics, ColumnShares(0.3, 0.5)).dragged(boundary, x)
    if width >= 500:
        assert shares.is_sound
    spans = wishes.spans(width, metrics, shares)
    assert spans.origin[1] >= -1e-6
    assert spans.op[0] <= spans.output[0] + 1e-6 or width < 500


def test_columns_fill_the_pane(metrics: Metrics) -> None:
    spans = ColumnWishes().spans(640, metrics, None)
    assert spans.origin[0] + spans.origin[1] == pytest.approx(640)
    assert spans.op[0] + spans.op[1] == pytest.approx(spans.output[0])
