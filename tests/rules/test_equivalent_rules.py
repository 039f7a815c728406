"""Equivalent sequences whose ops the alignment would pair one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from opdiff.compare import Comparison, Direction, Equivalent, Request, Rules, Side, compare
from opdiff.readers import open_trace

SAMPLES = Path(__file__).parents[2] / "samples"


def rope(rules: Rules, *, swapped: bool = False) -> Comparison:
    left, right = open_trace(SAMPLES / "rope/eager.ir"), open_trace(SAMPLES / "rope/jit.ir")
    rows = left.row_at(550), right.row_at(649)
    request = Request(Direction.UP, *rows, rules=rules)
    if swapped:
        return compare(right, left, replace(request, left_anchor=rows[1], right_anchor=rows[0]))
    return compare(left, right, request)


def lines_of(comparison: Comparison, side: Side, op: str) -> set[int]:
    trace = comparison.side(side).trace
    rows = {row for record in comparison.divergences for row in record.rows(side)}
    return {int(trace.line_of(row)) for row in rows if trace.type_name(row) == op}


def test_one_op_for_one_is_no_difference_of_any_kind() -> None:
    plain = rope(Rules())
    assert len(lines_of(plain, Side.LEFT, "Slice")) == 16
    ruled = rope(Rules(equivalent=(Equivalent(("Slice",), ("StridedSlice",)),)))
    assert lines_of(ruled, Side.LEFT, "Slice") == set()
    assert lines_of(ruled, Side.RIGHT, "StridedSlice") == set()
    assert [s.index for s in ruled.swallowed if s.rule == "equivalent"] == [0] * 16
    assert len(ruled.divergences) < len(plain.divergences)


def test_the_rule_has_two_sides() -> None:
    rule = Equivalent(("StridedSlice",), ("Slice",))
    assert lines_of(rope(Rules(equivalent=(rule,))), Side.LEFT, "Slice") != set()
    assert lines_of(rope(Rules(equivalent=(rule,)), swapped=True), Side.RIGHT, "Slice") == set()


def test_a_sequence_wins_over_its_pairs() -> None:
    rule = Equivalent(("Slice", "Slice"), ("StridedSlice", "StridedSlice"))
    ruled = rope(Rules(equivalent=(rule,)))
    swallowed = [s for s in ruled.swallowed if s.rule == "equivalent"]
    assert [(len(s.left_rows), len(s.right_rows)) for s in swallowed] == [(2, 2)] * 8
    assert lines_of(ruled, Side.LEFT, "Slice") == set()


def test_pins_and_anchors_stay_pairs() -> None:
    rules = Rules(equivalent=(Equivalent(("BatchMatMul",), ("BatchMatMul",)),))
    ruled = rope(rules)
    anchor = ruled.request.left_anchor
    assert anchor is not None
    assert int(ruled.left.partner[anchor]) == ruled.request.right_anchor
