from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.ui.panes import layout as laying
from opdiff.ui.panes.alignment import BLANK, GAP, RowPairs, ShownRows, side_by_side
from opdiff.ui.panes.layout import FOLD, Layout, SideRows, free_layout


def flags(text: str) -> np.ndarray:
    return np.array([letter == "1" for letter in text], bool)


def side(count: int, *, loose: str = "", quiet: str = "", shown: str = "") -> SideRows:
    nothing = "0" * count
    return SideRows(
        flags(shown or "1" * count),
        flags(loose or nothing),
        flags(quiet or nothing),
        flags(nothing),
    )


def pairs(*both: tuple[int, int]) -> RowPairs:
    left, right = zip(*both, strict=True) if both else ((), ())
    return RowPairs(np.array(left, np.int32), np.array(right, np.int32))


def aligned_layout(left: SideRows, right: SideRows, both: RowPairs, *, folded: bool) -> Layout:
    lines = side_by_side(
        ShownRows(left.shown, left.loose), ShownRows(right.shown, right.loose), both
    )
    return laying.aligned_layout(lines, left, right, folded=folded)


def cells(layout: Layout) -> tuple[list[int], list[int]]:
    return layout.left.cells.tolist(), layout.right.cells.tolist()


def test_counterparts_stand_at_the_same_height_and_gaps_face_the_rest() -> None:
    layout = aligned_layout(side(4), side(4), pairs((0, 0), (1, 2), (3, 3)), folded=False)
    assert cells(layout) == ([0, GAP, 1, 2, 3], [0, 1, 2, GAP, 3])


def test_rows_not_compared_stand_side_by_side_without_being_missed() -> None:
    left, right = side(4, loose="0011"), side(5, loose="00011")
    layout = aligned_layout(left, right, pairs((0, 0), (1, 2)), folded=False)
    assert cells(layout) == ([0, GAP, 1, 2, 3], [0, 1, 2, 3, 4])


def test_above_the_first_pair_they_are_counted_upwards() -> None:
    left, right = side(4, loose="1110"), side(2, loose="10")
    layout = aligned_layout(left, right, pairs((3, 1)), folded=False)
    assert cells(layout) == ([0, 1, 2, 3], [BLANK, BLANK, 0, 1])


def test_a_moved_pair_stands_where_it_is_on_each_side() -> None:
    layout = aligned_layout(side(4), side(4), pairs((0, 3), (1, 0), (2, 1), (3, 2)), folded=False)
    assert cells(layout) == ([0, 1, 2, 3, GAP], [GAP, 0, 1, 2, 3])


def test_equal_stretches_fold_but_for_their_context() -> None:
    quiet = "1" * 10 + "0" + "1" * 10
    both = pairs(*((row, row) for row in range(21)))
    layout = aligned_layout(side(21, quiet=quiet), side(21, quiet=quiet), both, folded=True)
    assert cells(layout)[0] == [FOLD, 8, 9, 10, 11, 12, FOLD - 1]
    assert layout.left.fold_at(0) == layout.right.fold_at(0)
    assert layout.left.height_of(3) == 0
    assert layout.left.height_of(20) == 6


def test_an_opened_fold_keeps_a_head_above_its_rows() -> None:
    quiet, opened = flags("1" * 6 + "0"), flags("0010000")
    rows = SideRows(flags("1" * 7), flags("0" * 7), quiet, opened)
    layout = aligned_layout(rows, rows, pairs(*((row, row) for row in range(7))), folded=True)
    assert cells(layout)[0] == [FOLD, 0, 1, 2, 3, 4, 5, 6]
    fold = layout.left.fold_at(0)
    assert fold is not None
    assert fold.opened
    assert fold.left == (0, 3)


def test_a_stretch_with_a_gap_in_it_has_rows_on_one_side_only_there() -> None:
    left = side(6, quiet="111111")
    right = side(5, quiet="11111")
    both = pairs((0, 0), (1, 1), (3, 2), (4, 3), (5, 4))
    layout = aligned_layout(left, right, both, folded=True)
    fold = layout.left.fold_at(0)
    assert fold is not None
    assert (fold.left, fold.right) == ((0, 5), (0, 4))


def test_hidden_rows_are_where_the_last_shown_one_above_them_is() -> None:
    layout = free_layout(side(4, shown="1001"), side(2), folded=True)
    assert cells(layout) == ([0, 3], [0, 1])
    assert layout.left.height_of(2) == 0
    assert layout.left.height_of(3) == 1


def test_a_free_layout_folds_each_side_on_its_own() -> None:
    layout = free_layout(side(8, quiet="1" * 7 + "0"), side(3, quiet="111"), folded=True)
    assert cells(layout) == ([FOLD, 5, 6, 7], [0, 1, 2])
    fold = layout.left.folds.around(0, 2)
    assert fold is not None
    assert fold.left == (0, 4)
    assert layout.left.folds.around(0, 6) is None


def test_two_empty_traces() -> None:
    layout = aligned_layout(side(0), side(0), pairs(), folded=True)
    assert cells(layout) == ([], [])
    assert layout.left.row_at(0) is None


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_every_shown_row_stands_once_in_order_and_pairs_meet(data: st.DataObject) -> None:
    some_compared = data.draw(st.booleans())

    def draw_side() -> SideRows:
        count = data.draw(st.integers(0, 12))
        bits = st.text("01", min_size=count, max_size=count)
        loose = data.draw(bits) if some_compared else "1" * count
        return side(count, loose=loose, quiet=data.draw(bits), shown=data.draw(bits))

    left, right = draw_side(), draw_side()
    size = data.draw(st.integers(0, min(len(left.shown), len(right.shown))))
    both = [
        sorted(data.draw(st.permutations(range(len(each.shown))))[:size]) for each in (left, right)
    ]
    layout = aligned_layout(left, right, pairs(*zip(*both, strict=True)), folded=False)
    for column, rows in ((layout.left, left), (layout.right, right)):
        standing = column.cells[column.cells >= 0]
        assert standing.tolist() == np.flatnonzero(rows.shown).tolist()
        assert [column.height_of(int(row)) for row in standing] == [
            height for height, cell in enumerate(column.cells) if cell >= 0
        ]
    for left_row, right_row in zip(*both, strict=True):
        if left.shown[left_row] and right.shown[right_row]:
            assert layout.left.height_of(left_row) == layout.right.height_of(right_row)
    empty = (layout.left.cells < 0) & (layout.right.cells < 0)
    assert not empty.any()
