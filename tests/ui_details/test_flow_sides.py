from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from made_pairs import built, compared, dense, left_trace, right_trace, said, shown_in

from opdiff.compare import Comparison, Divergence, Kind, Side
from opdiff.trace import ColumnsBuilder, Trace
from opdiff.ui.details.flow_layout import lay_out
from opdiff.ui.details.pairing import ShownPair
from opdiff.ui.details.surroundings import around_both


def edges(
    comparison: Comparison, rows: tuple[int | None, int | None], side: Side, depth: int = 1
) -> dict[object, bool]:
    around = around_both(shown_in(comparison, *rows), depth)[side]
    assert around is not None
    return {(a, b): bool(lost) for a, b, lost in around.graph.edges(data="lost")}


def test_nothing_is_lost_through_an_inserted_copy(rope: Comparison) -> None:
    assert edges(rope, (1, 3), Side.RIGHT) == {(0, 1): False, (1, 3): False, (3, 4): False}


def fallen_back() -> Comparison:
    made = ColumnsBuilder()
    made.add("Less", [dense(1)], [dense(90)])
    made.add("Or")
    made.add("Not", [dense(3)], [dense(2)])
    right = built(made)
    made = ColumnsBuilder()
    made.add("Less", [dense(1)], [dense(90)])
    made.add("Or", [dense(2)], [dense(1)])
    made.add("Not", [dense(3)], [dense(2)])
    record = Divergence(Kind.CPU_FALLBACK, (1,), (1,), said("fallback"), 0)
    return compared(built(made), right, [(0, 0), (1, 1), (2, 2)], [record])


def test_links_lost_to_the_host_are_drawn_as_lost() -> None:
    comparison = fallen_back()
    assert edges(comparison, (1, 1), Side.RIGHT) == {(0, 1): True, (1, 2): True}
    assert edges(comparison, (1, 1), Side.LEFT) == {(0, 1): False, (1, 2): False}
    around = around_both(shown_in(comparison, 1, 1), 1)
    _, right = lay_out(around[0], around[1], lambda row: row)
    assert len(right.lost) == 2


def test_a_fusion_is_drawn_with_all_its_ops() -> None:
    record = Divergence(Kind.FUSED, (1, 2), (3,), said("fusion"), 0)
    comparison = compared(left_trace(), right_trace(), [(0, 0), (3, 4)], [record])
    assert set(edges(comparison, (1, 3), Side.LEFT)) == {(0, 1), (1, 2), (2, 3)}


def test_an_op_alone_is_drawn_between_counterparts(rope: Comparison) -> None:
    assert edges(rope, (None, 1), Side.LEFT) == {(0, 1): False}


def test_before_comparing_each_side_is_drawn_alone() -> None:
    around = around_both(ShownPair((1, None), (left_trace(), None)), 1)
    assert around[0] is not None
    assert around[1] is None


@st.composite
def flows(draw: st.DrawFn, count: int) -> Trace:
    made = ColumnsBuilder()
    for row in range(count):
        reads = draw(st.lists(st.integers(0, max(row - 1, 0)), max_size=3))
        made.add("Op", [dense(row + 1)], [dense(other + 1) for other in reads if other < row])
    return built(made)


@settings(max_examples=60, deadline=None)
@given(flows(8), flows(8), st.permutations(range(8)), st.integers(0, 7), st.data())
def test_whatever_is_paired_can_be_laid_out(
    left: Trace, right: Trace, order: list[int], row: int, data: st.DataObject
) -> None:
    pairs = [(one, other) for one, other in enumerate(order) if data.draw(st.booleans())]
    kinds = data.draw(st.lists(st.sampled_from([Kind.DATAFLOW, Kind.CPU_FALLBACK]), max_size=8))
    records = [
        Divergence(kind, (one,), (other,), said("flow"), index)
        for index, (kind, (one, other)) in enumerate(zip(kinds, pairs, strict=False))
    ]
    comparison = compared(left, right, pairs, records)
    around = around_both(shown_in(comparison, row, None), 2)
    sides = lay_out(around[0], around[1], lambda row: int(comparison.left.partner[row]))
    assert row in sides[0].nodes.values()
