"""Expansions that are found by their value graphs, and what is lowered again."""

from __future__ import annotations

from typing import Any

import pytest

from opdiff.compare import Direction, Kind, Request, Rules, compare
from opdiff.compare.attributes import attribute_changes
from opdiff.compare.congruence import Congruence
from opdiff.compare.idioms import idioms_of
from opdiff.compare.table import idiom_lines

SOFTMAX = (
    "11 = aten::amax(10)",
    "12 = aten::sub(10, 11)",
    "13 = aten::exp(12)",
    "14 = aten::sum(13)",
    "15 = aten::div(13, 14)",
)
LOG_SOFTMAX = (
    "11 = aten::amax(10)",
    "12 = aten::sub(10, 11)",
    "13 = aten::exp(12)",
    "14 = aten::sum(13)",
    "15 = aten::log(14)",
    "16 = aten::sub(12, 15)",
)


def kinds(comparison) -> list[Kind]:
    return [divergence.kind for divergence in comparison.divergences]


def test_an_expansion_is_one_block(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    right = trace_of("10 = aten::mm(1, 2)", *SOFTMAX, "16 = aten::mm(15, 3)")
    comparison = compare(left, right, Request())
    assert kinds(comparison) == [Kind.FUSED]
    assert comparison.divergences[0].left_rows == (1,)
    assert comparison.divergences[0].right_rows == (1, 2, 3, 4, 5)
    assert all(group.harmless for group in comparison.groups)


def test_the_mirror_image_is_the_same(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", *SOFTMAX, "16 = aten::mm(15, 3)")
    right = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    comparison = compare(left, right, Request())
    assert kinds(comparison) == [Kind.FUSED]
    assert comparison.divergences[0].left_rows == (1, 2, 3, 4, 5)


def test_an_op_that_is_missing_inside_is_no_expansion(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    without_max = ("12 = aten::exp(10)", "13 = aten::sum(12)", "15 = aten::div(12, 13)")
    right = trace_of("10 = aten::mm(1, 2)", *without_max, "16 = aten::mm(15, 3)")
    comparison = compare(left, right, Request())
    assert Kind.FUSED not in kinds(comparison)
    assert not all(group.harmless for group in comparison.groups)


def test_the_same_names_that_read_otherwise_are_no_expansion(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    wrong = (*SOFTMAX[:4], "15 = aten::div(12, 14)")  # divides what is not yet an exponential
    right = trace_of("10 = aten::mm(1, 2)", *wrong, "16 = aten::mm(15, 3)")
    comparison = compare(left, right, Request())
    assert not all(group.harmless for group in comparison.groups)


def test_what_both_sides_wrote_out_stays_as_it_is(trace_of) -> None:
    ops = ("10 = aten::mm(1, 2)", *SOFTMAX, "16 = aten::mm(15, 3)")
    one_more = ("17 = aten::_softmax(16)", "18 = aten::mm(17, 4)")
    left, right = trace_of(*ops, *one_more), trace_of(*ops, "18 = aten::mm(16, 4)")
    comparison = compare(left, right, Request())
    assert comparison.matched == 8
    assert {row for d in comparison.divergences for row in d.left_rows} >= {7}
    assert not any(d.kind is Kind.FUSED for d in comparison.divergences)


def test_an_anchor_on_the_end_of_an_expansion_is_a_pair_and_no_difference(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_log_softmax(10)")
    right = trace_of("10 = aten::mm(1, 2)", *LOG_SOFTMAX)
    comparison = compare(left, right, Request(Direction.UP, 1, 6))
    assert kinds(comparison) == [Kind.FUSED]
    assert comparison.left.partner[1] == 6


def test_an_anchor_within_an_expansion_leaves_it_as_it_is(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_log_softmax(10)", "12 = aten::neg(11)")
    right = trace_of("10 = aten::mm(1, 2)", *LOG_SOFTMAX, "17 = aten::neg(16)")
    comparison = compare(left, right, Request(Direction.WHOLE, None, None, pins=((0, 3),)))
    assert comparison.left.partner[0] == 3


def test_without_the_package_s_rules_nothing_is_raised(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    right = trace_of("10 = aten::mm(1, 2)", *SOFTMAX, "16 = aten::mm(15, 3)")
    comparison = compare(left, right, Request(rules=Rules(builtin=False)))
    assert Kind.FUSED not in kinds(comparison)


@pytest.mark.parametrize("line", idiom_lines()[::17])
def test_a_line_reads_only_what_stands_before_it(line: str) -> None:
    head, *parts = line.partition(" -> ")[0].split(" | ")
    known = int(head.split(" ")[1])
    for part in parts:
        assert all(int(at) < known for at in part.split(" ")[1:])
        known += 1
    results = [at for at in line.partition(" -> ")[2].split(" ") if at != "-"]
    assert results
    assert all(int(at) < known for at in results)


def test_views_and_constants_are_left_out_of_an_idiom() -> None:
    for idiom in idioms_of("nlllossforward"):
        assert {node.name for node in idiom.nodes} <= {
            *("ne", "where", "gather", "neg", "sum", "div", "mul"),
        }
        assert all(0 <= at < idiom.arguments + len(idiom.nodes) for at in idiom.results)


def test_a_value_that_everybody_reads_costs_each_reader_the_same(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    honest = Congruence._verdicts

    def counted(self: Congruence, *what: Any) -> list[bool | None]:
        nonlocal asked
        asked += 1
        return honest(self, *what)

    monkeypatch.setattr(Congruence, "_verdicts", counted)
    counts = []
    for size in (400, 1600):
        left, right = ["1 = aten::full()"], ["1 = aten::full()"]
        for a in range(10, 10 * size, 10):
            left += [f"{a} = aten::where(2, 3, 1)", f"{a + 1} = aten::_softmax({a})"]
            right += [
                f"{a} = aten::where(2, 3, 1)",
                f"{a + 2} = aten::amax({a})",
                f"{a + 3} = aten::sub({a}, {a + 2})",
                f"{a + 4} = aten::exp({a + 3})",
                f"{a + 5} = aten::sum({a + 4})",
                f"{a + 6} = aten::div({a + 4}, {a + 5})",
                f"{a + 7} = aten::where(2, {a + 6}, 1)",
            ]
        asked = 0
        compare(trace_of(*left), trace_of(*right), Request())
        counts.append(asked)
    assert counts[1] < 8 * counts[0]


def test_an_argument_that_is_not_given_may_be_said_or_not() -> None:
    said, unsaid = {"args": "(_, 0.0, attn_mask=None)"}, {"args": "(_, 0.0)"}
    assert attribute_changes(said, unsaid, across=False) == ()
    other = {"args": "(_, 0.5)"}
    assert attribute_changes(said, other, across=False) == (("args", "(_, 0.0)", "(_, 0.5)"),)
