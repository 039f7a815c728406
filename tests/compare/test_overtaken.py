"""Ops in place that ran at another place: before or after what reads what they write over."""

from __future__ import annotations

import pytest

from opdiff.compare import Kind, Request, compare

GRADIENT = ("10 = aten::mm(1, 2)", "11 = aten::sum(10)")
CLIP = ("12 = aten::rsqrt(11)", "10 = aten::mul_(10, 12)")
STEP = ("3 = aten::lerp_(3, 10)", "4 = aten::addcmul_(4, 10)", "5 = aten::addcdiv_(5, 3, 4)")


@pytest.mark.parametrize("mirrored", [False, True])
def test_a_write_that_readers_overtook_is_the_cause(trace_of, mirrored: bool) -> None:
    """Gradients that are clipped when the step has been made."""
    left, right = trace_of(*GRADIENT, *CLIP, *STEP), trace_of(*GRADIENT, *STEP, *CLIP)
    comparison = compare(*(right, left) if mirrored else (left, right), Request())
    first, *others = comparison.groups
    assert first.kind is Kind.MOVED
    assert not first.harmless
    assert {str(each.title) for each in others if not each.harmless} == {
        "aten::lerp_: another producer",
        "aten::addcmul_: another producer",
    }
    moved = comparison.divergences[first.members[0]]
    side = "earlier" if mirrored else "later"
    assert f"aten::mul_ runs {side} on the right" in str(moved.sentence)
    assert "same producers and consumers" not in str(moved.sentence)
    assert all(
        comparison.divergences[each.members[0]].caused_by is not None
        for each in others
        if not each.harmless
    )


def test_a_write_that_nobody_overtook_only_moved(trace_of) -> None:
    other = "6 = aten::mul_(6, 11)"
    left, right = trace_of(*GRADIENT, other, *STEP), trace_of(*GRADIENT, *STEP, other)
    comparison = compare(left, right, Request())
    assert [each.kind for each in comparison.divergences] == [Kind.MOVED]
    assert all(group.harmless for group in comparison.groups)
