from __future__ import annotations

import pytest
from pane_making import make_trace
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication

from opdiff.ui.panes import metrics as sizes
from opdiff.ui.panes.columns import ColumnShares, ColumnWishes
from opdiff.ui.panes.glyphs import Glyphs, fitted_place
from opdiff.ui.panes.metrics import Metrics
from opdiff.ui.panes.pane_header import fitted_path
from opdiff.ui.panes.texts import shortened


@pytest.fixture
def metrics(qapp: QApplication) -> Metrics:
    return sizes.metrics()


def test_wishes_follow_what_nearly_all_rows_need() -> None:
    trace = make_trace(["Mul"] * 90 + ["AVeryLongNameThatIsFused"] * 10)
    wishes = ColumnWishes.of(trace)
    assert wishes.op == "AVeryLongNameThatIsFused", "a type is never cut for the others' sake"
    assert wishes.output == len("BFloat16 [64, 2, 128]")
    assert wishes.joined(ColumnWishes(op="N" * 30, output=1, digits=7)) == ColumnWishes(
        "N" * 30, wishes.output, wishes.short, 7
    )
    assert ColumnWishes.of(make_trace([])) == ColumnWishes()


def test_short_shapes_leave_more_room_for_where_an_op_comes_from(metrics: Metrics) -> None:
    short = ColumnWishes("MatMulExt", 16, 12, 4).spans(500, None)
    long = ColumnWishes("MatMulExt", 40, 30, 4).spans(500, None)
    assert short.origin[1] > long.origin[1] > 0


@pytest.mark.parametrize("width", [0, 1, 80, 500, 3000])
@pytest.mark.parametrize("x", [-100.0, 150.0, 9999.0])
@pytest.mark.parametrize("boundary", [0, 1])
def test_no_drag_makes_a_column_vanish(
    metrics: Metrics, width: int, x: float, boundary: int
) -> None:
    wishes = ColumnWishes("BatchMatMul", 24, 18, 6)
    shares = wishes.spans(width, ColumnShares(0.3, 0.5)).dragged(boundary, x)
    if width >= 500:
        assert shares.is_sound
    spans = wishes.spans(width, shares)
    assert spans.origin[1] >= -1e-6
    assert spans.op[0] <= spans.output[0] + 1e-6 or width < 500


def test_columns_fill_the_pane(metrics: Metrics) -> None:
    spans = ColumnWishes().spans(640, None)
    assert spans.origin[0] + spans.origin[1] == pytest.approx(640)
    assert spans.op[0] + spans.op[1] == pytest.approx(spans.output[0])


@pytest.mark.parametrize("width", [210, 260, 330, 420, 480, 560, 900])
def test_the_op_type_has_its_room_first_then_the_place_then_the_output(
    metrics: Metrics, width: int
) -> None:
    wishes = ColumnWishes(op="SplitTensorView", output=40, digits=4, place=12)
    spans = wishes.spans(width, None)
    rest = width - spans.op[0]
    name = QFontMetricsF(metrics.bold).horizontalAdvance("SplitTensorView")
    assert spans.op[1] >= name, "whatever becomes of the others"
    place = min(12 * metrics.small_letter, 0.3 * rest, rest - name - 1.2 * metrics.em)
    assert spans.origin[1] >= place - 1e-6 or spans.origin[1] == 0
    assert spans.origin[1] == 0 or spans.origin[1] > 2 * metrics.em, "none that only says …"
    assert spans.output[1] >= 4 * metrics.em or spans.output[1] == 0


def test_a_pane_knows_how_wide_it_must_be_for_its_types(metrics: Metrics) -> None:
    wishes = ColumnWishes(op="SplitTensorView", output=40, place=12)
    spans = wishes.spans(wishes.least(), None)
    room = spans.op[1] - 0.35 * metrics.em
    assert spans.sign[1] >= QFontMetricsF(metrics.bold).horizontalAdvance("⚓")
    assert room >= QFontMetricsF(metrics.bold).horizontalAdvance("SplitTensorView")


def test_a_type_that_cannot_fit_keeps_its_end(metrics: Metrics) -> None:
    glyphs = Glyphs(metrics.bold, Qt.TextElideMode.ElideMiddle)
    width = QFontMetricsF(metrics.bold).horizontalAdvance("StridedSliceGrad") * 0.8
    shown = glyphs.laid_out("StridedSliceGrad", width)[0].text()
    assert shown.startswith("Str")
    assert shown.endswith("Grad")
    assert "…" in shown


PLACE = "vocab_embedding.py:27 mask_foreign_ids"


@pytest.mark.parametrize("letters", [8, 12, 18, 22, 26, 40])
def test_the_line_of_a_place_is_never_lost(metrics: Metrics, letters: int) -> None:
    font = QFontMetricsF(metrics.small)
    width = font.horizontalAdvance(PLACE[:letters])
    shown = fitted_place(PLACE, width, font)
    assert ":27" in shown
    assert font.horizontalAdvance(shown) <= width + 1
    assert fitted_place(PLACE, 1e6, font) == PLACE


def test_of_a_place_the_function_gives_way_before_the_file(metrics: Metrics) -> None:
    font = QFontMetricsF(metrics.small)
    assert fitted_place(PLACE, font.horizontalAdvance(PLACE[:32]), font).endswith("…")
    just = font.horizontalAdvance("vocab_embedding.py:27") + 2
    assert fitted_place(PLACE, just, font) == "vocab_embedding.py:27"
    assert fitted_place(PLACE, just - 20, font).startswith("…")
    assert fitted_place("Default/layer", 10, font) == "Default/layer"


@pytest.mark.parametrize(
    ("whole", "short"),
    [
        ("BFloat16 [128, 2, 8, 16]", "BF16 [128,2,8,16]"),
        ("UInt8 [3]  Int64 [2, 2]", "UI8 [3]  I64 [2,2]"),
        ("float32 [4, 4] {4, 1} +16", "f32 [4,4] {4,1} +16"),
        ("Bool [7, 7]", "Bool [7,7]"),
    ],
)
def test_tensors_have_a_shorter_form(whole: str, short: str) -> None:
    assert shortened(whole) == short


def test_outputs_are_written_shorter_where_they_do_not_fit(metrics: Metrics) -> None:
    wishes = ColumnWishes.of(make_trace(["Mul"] * 9))
    wide, narrow = (wishes.spans(width, None) for width in (900, 330))
    assert not wide.short
    assert narrow.short
    assert narrow.output[1] >= wishes.short * metrics.digit


def test_a_wide_pane_shows_two_outputs_with_their_strides(metrics: Metrics) -> None:
    wishes = ColumnWishes(op="SplitTensorView", output=23, place=12)
    spans = wishes.spans(980, None)
    two = "BFloat16 [128, 2, 8, 8] {512, 256, 32, 1} +0  BFloat16 [128, 2, 8, 8]"
    assert spans.output[1] >= len(two) * metrics.digit
    assert spans.origin[1] >= (12 + len(" apply_rotary_pos_emb")) * metrics.small_letter


def test_a_long_path_keeps_its_layer(metrics: Metrics) -> None:
    """The middle gave way, and the layer with it: of all its parts the first that is asked for."""
    letters = QFontMetricsF(metrics.small)
    path = "micro-batch 0 › layer 12 › transformer_layer_forward › apply_rotary_pos_emb_bshd"
    whole = letters.horizontalAdvance(path)
    assert fitted_path(path, letters, whole) == path
    shown = fitted_path(path, letters, whole * 0.8)
    assert shown.startswith("micro-batch 0 › layer 12 › t")
    assert shown.count("…") == 2
    for share in range(10):
        fitted = fitted_path(path, letters, whole * share / 10)
        assert letters.horizontalAdvance(fitted) <= max(whole * share / 10, 2 * metrics.em)


def test_what_turns_its_neighbours_round_is_spelled_out(metrics: Metrics) -> None:
    shown = Glyphs(metrics.bold).laid_out("Add\u202e\x07Op", 900)[0].text()
    assert shown == "Add\\u202e\\x07Op"


def test_a_very_long_type_does_not_take_the_other_columns_away(metrics: Metrics) -> None:
    fused = "triton_poi_fused__to_copy_add_mean_mul_pow_rsqrt_view_0"
    wishes = ColumnWishes.of(make_trace(["Mul"] * 90 + [fused] * 10))
    assert fused.startswith(wishes.op)
    spans = wishes.spans(470, None)
    assert spans.origin[1] > 2 * metrics.em, "of all other rows it is seen where they come from"
    assert wishes.least() < 420
