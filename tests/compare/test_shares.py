"""Parts of one block, and the results of an op that takes a value apart."""

from __future__ import annotations

import pytest

from opdiff.compare import Request, compare
from opdiff.compare.sides import prepared
from opdiff.compare.sides.shares import shares

MADE = "5[4 4] = Make(1[4 4])"
EVEN, ODD = "5[4 2]/4 2+0", "5[4 2]/4 2+1"


def looked_at(*parts: str) -> tuple[str, ...]:
    """Ops that read these parts, each made dense before."""
    lines = [MADE]
    for number, part in enumerate(parts):
        lines += [
            f"{20 + number}[4 2] = Contiguous({part})",
            f"{40 + number}[4 2] = Exp({20 + number}[4 2])",
        ]
    return tuple(lines)


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ((EVEN, ODD, EVEN), [0, 0, 1, 1, 0, 0]),
        ((ODD, EVEN), [1, 1, 0, 0]),
        ((EVEN, EVEN), [-1] * 4),
        ((EVEN, "5[4 2]/4 1+2"), [-1] * 4),
        ((EVEN, "5[4 2]/4 2+99999999999999999999999"), [-1] * 4),
        (("5[4 1]/4 1+0", "5[4 1]/4 1+1", "5[4 1]/4 1+3", "5[4 1]/4 1+4"), [-1] * 8),
    ],
)
def test_parts_are_numbered_where_they_are_all_there_is(trace_of, parts, found) -> None:
    assert shares(trace_of(*looked_at(*parts)))[1:].tolist() == found


def test_parts_of_two_values_are_not_taken_together(trace_of) -> None:
    again = ("20[4 2] = Exp(5[4 2]/4 2+0)", "5[4 4] = Make(1[4 4])", "21[4 2] = Exp(5[4 2]/4 2+1)")
    assert shares(trace_of(MADE, *again)).tolist() == [-1] * 4


ANGLES = "8[4 2] = Cos(2[4 2])", "9[4 2] = Sin(2[4 2])"


def turned() -> tuple[str, ...]:
    """A rotation by positions of the pairs in a value, in eager code."""
    return (
        MADE, *ANGLES,
        f"10[4 2] = Contiguous({EVEN})", "11[4 2] = Mul(10[4 2], 8[4 2])",
        f"12[4 2] = Contiguous({ODD})", "13[4 2] = Mul(12[4 2], 9[4 2])",
        "14[4 2] = Sub(11[4 2], 13[4 2])",
        f"15[4 2] = Contiguous({EVEN})", "16[4 2] = Mul(15[4 2], 9[4 2])",
        f"17[4 2] = Contiguous({ODD})", "18[4 2] = Mul(17[4 2], 8[4 2])",
        "19[4 2] = Add(16[4 2], 18[4 2])",
        "30[4 2 2] = Stack(14[4 2], 19[4 2])",
    )  # fmt: skip


TAKEN_APART = (
    MADE, *ANGLES,
    "10[4 2], 12[4 2] = Unstack(5[4 4])",
    "13[4 2] = Mul(12[4 2], 9[4 2])", "18[4 2] = Mul(12[4 2], 8[4 2])",
    "11[4 2] = Mul(10[4 2], 8[4 2])", "16[4 2] = Mul(10[4 2], 9[4 2])",
    "14[4 2] = Sub(11[4 2], 13[4 2])", "19[4 2] = Add(16[4 2], 18[4 2])",
    "30[4 2 2] = Stack(14[4 2], 19[4 2])",
)  # fmt: skip


def suspects(left, right) -> int:
    return sum(not group.harmless for group in compare(left, right, Request()).groups)


def test_ops_on_parts_that_both_sides_look_at_stay_pairs(trace_of) -> None:
    """Gates of a cell that changed places are told by offsets, not torn from each other."""
    start = "5[4 4] = Make(1[4 4])"
    left = (start, f"20[4 2] = Exp({EVEN})", f"21[4 2] = Sin({ODD})", "22 = Mul(20[4 2], 21[4 2])")
    right = (start, f"20[4 2] = Exp({ODD})", f"21[4 2] = Sin({EVEN})", left[3])
    comparison = compare(trace_of(*left), trace_of(*right), Request())
    assert {kind.value for kind in comparison.by_kind} == {"layout", "dataflow"}
    assert comparison.matched == len(left)


def test_a_part_is_the_result_of_an_op_that_takes_it(trace_of) -> None:
    left, right = trace_of(*turned()), trace_of(*TAKEN_APART)
    assert suspects(left, right) == suspects(right, left) == 0


def test_the_other_part_is_another_value(trace_of, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = [line.replace("Mul(12[4 2], 9", "Mul(10[4 2], 9") for line in TAKEN_APART]
    left, right = trace_of(*turned()), trace_of(*wrong)
    assert suspects(left, right) > 0
    monkeypatch.setattr(prepared, "shares", lambda trace: shares(trace) * 0 - 1)
    assert suspects(left, right) == 0
