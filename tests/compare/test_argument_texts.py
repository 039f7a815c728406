from __future__ import annotations

import pytest

from opdiff.compare.names.argument_texts import may_be_the_same
from opdiff.compare.records.attributes import attribute_changes


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(_, _, 1)", "(_, _)"),
        ("(_, [-1], True, None)", "(_, [-1], True)"),
        ("(0, 16, 2, None, None, cpu, False)", "(0, 16, 2, device=cpu, pin_memory=False)"),
        ("(_, _, 1)", "(_, 1e-05)"),
        ("(_, [2, 16, 32])", "(_, 2, 16, 32)"),
        ("(_, _, -1, 6)", "(_, _, -1, float32)"),
        ("([_ x2], dim=-1)", "([_, _], -1)"),
        ("(_, 1)", "(_, 1.0)"),
        ("(_, value=-0.036900369)", "(_, value=-0.0369)"),
        ("(_, 0.09999999999999998)", "(_, 0.1)"),
        ("(_, 1e-12)", "(_, 0.0)"),
        ('(_, "a, b")', '(_, "a, b", c=[1, (2, 3)])'),
        ("()", "(_)"),
    ],
)
def test_what_both_tell_is_the_same(one: str, other: str) -> None:
    assert may_be_the_same(one, other)
    assert may_be_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(_, 1e-05)", "(_, 0.01)"),
        ("(_, 100000)", "(_, 100001)"),
        ("(_, 1e-05)", "(_, 0.0)"),
        ("(_, eps=1e-05)", "(_, _, eps=0.01)"),
        ("(_, 2, -1)", "(_, 8, -1)"),
        ('(_, "none")', '(_, "tanh")'),
        ("(_, float16)", "(_, float32)"),
        ("(_, [2, 3])", "(_, [3, 2])"),
    ],
)
def test_what_both_tell_differs(one: str, other: str) -> None:
    assert not may_be_the_same(one, other)
    assert not may_be_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("(_, 0.0316227766)", "(_, 0.0316227785)", True),
        ("(_, _, value=-1.00000001e-05)", "(_, _, value=-1e-05)", True),
        ("(_, 1e-05)", "(_, 1.00001e-05)", False),
        ("(_, 1e-05)", "(_, -1e-05)", False),
        ("(_, 10000000)", "(_, 10000001)", False),
        ("(_, 1.0, 2)", "(_, 1.0)", False),
        ("(_, 0.1, 0.9)", "(_, 0.9, 0.1)", False),
    ],
)
def test_the_last_digits_of_a_number_are_no_difference(one: str, other: str, same: bool) -> None:
    for mine, theirs in ((one, other), (other, one)):
        changes = attribute_changes({"args": mine}, {"args": theirs}, across=False)
        assert (not changes) == same


def test_within_a_format_the_text_is_the_call() -> None:
    left, right = {"args": "(_, _, 1)"}, {"args": "(_, _)"}
    assert attribute_changes(left, right, across=False) == (("args", "(_, _, 1)", "(_, _)"),)
    assert attribute_changes(left, right, across=False, one_format=False) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(6, device=cpu, pin_memory=False)", "(0, 6, layout=strided, device=cpu)"),
        ("(_, 3)", "(_, [3])"),
        ("(_, 3, dtype=None)", "(_, 3)"),
        ("([2], 0.5, device=cpu)", "([2], 0.5, dtype=float32, device=cpu)"),
    ],
)
def test_overloads_of_one_call_are_the_same(one: str, other: str) -> None:
    assert not attribute_changes({"args": one}, {"args": other}, across=False)
    assert not attribute_changes({"args": other}, {"args": one}, across=False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(6)", "(1, 6)"),
        ("(_, 3)", "(_, [2])"),
        ("(_, 0, 6)", "(_, 6)"),
        ("(_, [3, 4])", "(_, 3, 4)"),
        ("(_, dtype=float32)", "(_, dtype=float16)"),
    ],
)
def test_other_arguments_are_another_call(one: str, other: str) -> None:
    assert attribute_changes({"args": one}, {"args": other}, across=False)
