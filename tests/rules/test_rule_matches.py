from __future__ import annotations

from opdiff.compare.rules_file import parse_rules
from opdiff.session.rule_matches import rule_matches
from opdiff.trace import ColumnsBuilder, Source, Trace


def trace(*names: str) -> Trace:
    builder = ColumnsBuilder()
    for name in names:
        builder.add(name)
    return Trace(Source("x.ir", "test"), *builder.build())


RULES = parse_rules(
    """
counterparts: [[Slice, StridedSlice]]
same: [[AddExt, Add]]
ignore: [Cont*, {op: Mul, scope: "Default/debug*"}]
equivalent: [{left: [Mul, Add], right: [Fused]}]
"""
)


def test_each_rule_is_counted_on_both_sides() -> None:
    left = trace("Slice", "Contiguous", "Default/debug/x/Mul-op1", "Add", "Mul", "Add")
    right = trace("StridedSlice", "AddExt", "Fused", "Fused")
    counts = {(m.section, m.index): (m.left, m.right) for m in rule_matches(RULES, left, right)}
    assert counts == {
        ("counterparts", 0): (1, 1),
        ("same", 0): (2, 1),
        ("ignore", 0): (1, 0),
        ("ignore", 1): (1, 0),
        ("equivalent", 0): (2, 2),
    }


def test_an_empty_trace_matches_nothing() -> None:
    counts = [(m.left, m.right) for m in rule_matches(RULES, trace(), trace("Add"))]
    assert counts == [(0, 0), (0, 1), (0, 0), (0, 0), (0, 0)]


def test_bookkeeping_does_not_break_a_sequence() -> None:
    left = trace("Mul", "AclWorkspace", "Add")
    assert rule_matches(RULES, left, trace())[-1].left == 1
