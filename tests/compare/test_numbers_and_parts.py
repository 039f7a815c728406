"""Numbers that kernels take as operands, views of which only the name is printed, copied parts."""

from __future__ import annotations

import pytest

from opdiff.compare import Kind, Request, compare

NORM = "4 = Default/LayerNorm-op0(2, 3, {eps})"


def test_a_number_of_a_kernel_is_no_operand_wherever_it_comes_from(trace_of) -> None:
    """Eager code runs some ops as graphs of one kernel; nothing prints who made their numbers."""
    left = trace_of("2 = Make(1)", NORM.format(eps="9:Float32[]"))
    right = trace_of(
        "8:Float32[] = Default/data-1()", "2 = Make(1)", NORM.format(eps="8:Float32[]")
    )
    assert not compare(left, right, Request()).divergences


def test_axes_of_a_kernel_are_no_operands_wherever_they_come_from(trace_of) -> None:
    left = trace_of("2 = Make(1)", "4[4] = Default/ReduceSum-op0(2, 9:Int64[2])")
    right = trace_of("8:Int64[2] = Default/data-1()", "2 = Make(1)", "4[4] = ReduceSum(2)")
    assert not compare(left, right, Request()).divergences


def test_a_tensor_of_one_number_that_an_op_made_is_an_operand(trace_of) -> None:
    left = trace_of("2 = Make(1)", "9:Float32[] = Mean(2)", NORM.format(eps="9:Float32[]"))
    right = trace_of("2 = Make(1)", "9:Float32[] = Mean(2)", "4 = Default/LayerNorm-op0(2, 3)")
    found = compare(left, right, Request()).divergences
    assert [each.kind for each in found] == [Kind.OPERANDS]


def test_a_view_of_which_only_the_name_is_printed_is_harmless(trace_of) -> None:
    left = trace_of("2 = Make(1)", "ExpandDims()", "3 = Exp(2)")
    right = trace_of("2 = Make(1)", "3 = Exp(2)")
    (found,) = compare(left, right, Request()).divergences
    assert found.harmless


@pytest.mark.parametrize(("copied", "harmless"), [("8 1+0", True), ("8 1+4", False)])
def test_a_copy_of_another_part_may_change_a_value(trace_of, copied: str, harmless: bool) -> None:
    """Its readers read a dense tensor: they do not print which part it is of."""
    make = "2[4 8] = Make(1)"
    left = trace_of(make, "3[4 4] = Contiguous(2[4 4]/8 1+0)", "4[4 4] = Exp(3[4 4])")
    right = trace_of(make, f"3[4 4] = Contiguous(2[4 4]/{copied})", "4[4 4] = Exp(3[4 4])")
    found = compare(left, right, Request()).divergences
    assert all(each.harmless for each in found) == harmless
    assert len(found) == (not harmless)


def test_the_gradient_of_a_part_has_two_names(trace_of) -> None:
    left = trace_of("2 = Make(1)", "4[8 4] = UnsortedSegmentSum(2, 9:Int64[1])", "5 = Exp(4[8 4])")
    right = trace_of("2 = Make(1)", "4[8 4] = StridedSliceGrad(2)", "5 = Exp(4[8 4])")
    found = compare(left, right, Request())
    assert all(each.harmless for each in found.divergences if each.kind is Kind.OP_TYPE)
    assert Kind.OP_TYPE in {each.kind for each in found.divergences}


@pytest.mark.parametrize("silent", ["AssignAdd()", "Lerp()"])
def test_an_op_without_operands_is_no_view_of_another_name(trace_of, silent: str) -> None:
    left = trace_of("2 = Make(1)", "3 = Reshape(2)", "4 = Sum(3)")
    right = trace_of("2 = Make(1)", silent, "4 = Sum(2)")
    assert Kind.OP_TYPE not in {each.kind for each in compare(left, right, Request()).divergences}


def test_what_writes_a_state_is_no_op_on_the_host_that_writes_none(trace_of) -> None:
    left = trace_of("2 = Make(1)", "3 = Round(2)", "4 = Sum(3)")
    for silent, paired in (("AssignAdd()", False), ("Floor()", True)):
        right = trace_of("2 = Make(1)", silent, "4 = Sum(8)")
        kinds = {each.kind for each in compare(left, right, Request()).divergences}
        assert (Kind.CPU_FALLBACK in kinds) == paired
