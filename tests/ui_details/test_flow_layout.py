from __future__ import annotations

from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_pairs import built, dense

from opdiff.compare import Comparison, Side
from opdiff.trace import ColumnsBuilder, Trace
from opdiff.ui.details.flow_layout import (
    Around,
    Bend,
    BoxSizes,
    SideLayers,
    lay_out,
    layer_steps,
    place,
    spread,
)
from opdiff.ui.details.pairing import ComparedTrace
from opdiff.ui.details.surroundings import FAN, LIMIT, More, among, surroundings

MEASURES = BoxSizes(node_width=100, step_width=80, node_height=20, available=160)


def hub(readers: int) -> Trace:
    made = ColumnsBuilder()
    made.add("Mul", [dense(1)], [dense(900_000)])
    for number in range(readers):
        made.add("Add", [dense(10 + number)], [dense(1)])
    return built(made)


def test_hubs_are_cut_before_they_are_drawn() -> None:
    graph = surroundings(ComparedTrace(hub(5000)), 0, 4)
    mores = [node for node in graph if isinstance(node, More)]
    assert mores == [More(0, upward=False, count=5000 - FAN)]
    assert len(graph) == FAN + 2


def test_no_more_ops_than_a_picture_holds() -> None:
    made = ColumnsBuilder()
    made.add("Mul", [dense(1)])
    memory = 2
    for parent in range(1, 200):
        for _ in range(3):
            made.add("Add", [dense(memory)], [dense(parent)])
            memory += 1
    graph = surroundings(ComparedTrace(built(made)), 0, 4)
    assert sum(not isinstance(node, More) for node in graph) <= LIMIT
    assert any(isinstance(node, More) for node in graph)


def test_inserted_copies_cost_no_step(rope: Comparison) -> None:
    graph = surroundings(ComparedTrace.of(rope.right.trace, rope, Side.RIGHT), 3, 1)
    assert set(graph.edges) == {(0, 1), (1, 3), (3, 4)}
    assert set(surroundings(ComparedTrace(rope.right.trace), 3, 1)) == {1, 2, 3, 4}


def test_edges_between_drawn_ops_are_all_drawn() -> None:
    made = ColumnsBuilder()
    made.add("A", [dense(1)])
    made.add("B", [dense(2)], [dense(1)])
    made.add("C", [dense(3)], [dense(2), dense(1)])
    assert set(surroundings(ComparedTrace(built(made)), 1, 1).edges) == {(0, 1), (1, 2), (0, 2)}
    assert set(among(built(made), [0, 2]).edges) == {(0, 2)}


def both_sides(comparison: Comparison, left: int, right: int) -> tuple[SideLayers, SideLayers]:
    around = [
        Around(
            surroundings(ComparedTrace.of(comparison.side(side).trace, comparison, side), row, 2),
            row,
        )
        for side, row in ((Side.LEFT, left), (Side.RIGHT, right))
    ]
    return lay_out(around[0], around[1], lambda row: int(comparison.left.partner[row]))


def test_counterparts_share_a_layer(rope: Comparison) -> None:
    left, right = both_sides(rope, 1, 3)
    rows = [
        [side.nodes.get(key) for key in layer] for side in (left, right) for layer in side.layers
    ]
    assert rows == [[0], [None], [1], [2], [3], [0], [1], [3], [4], [5]]
    assert left.middle == right.middle == 2
    assert isinstance(left.layers[1][0], Bend)


def test_opposite_orders_get_layers_of_their_own() -> None:
    up, down = nx.DiGraph([(1, 2), (2, 3)]), nx.DiGraph([(3, 2), (2, 1)])
    left, right = lay_out(Around(up, 2), Around(down, 2), lambda row: row)
    assert [[left.nodes[key] for key in layer] for layer in left.layers] == [[1], [2], [3]]
    assert [[right.nodes[key] for key in layer] for layer in right.layers] == [[3], [2], [1]]


def test_what_has_no_counterpart_stands_between_those_that_have() -> None:
    here = Around(nx.DiGraph([(1, 5), (5, 2)]), 5)
    there = Around(nx.DiGraph([(1, 2)]), None)
    left, right = lay_out(there, here, lambda row: row)
    assert [[left.nodes.get(key) for key in layer] for layer in left.layers] == [[1], [None], [2]]
    assert [[right.nodes.get(key) for key in layer] for layer in right.layers] == [[1], [5], [2]]


def test_crossings_are_undone() -> None:
    crossed = nx.DiGraph([(0, 1), (0, 2), (1, 4), (2, 3)])
    side, _ = lay_out(Around(crossed, 0), None, lambda row: -1)
    order = [[side.nodes[key] for key in layer] for layer in side.layers]
    assert order in ([[0], [1, 2], [4, 3]], [[0], [2, 1], [3, 4]])


@st.composite
def dags(draw: st.DrawFn) -> nx.DiGraph:
    count = draw(st.integers(2, 12))
    pairs = draw(
        st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)), max_size=30)
    )
    graph = nx.DiGraph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1])
    return graph


@settings(max_examples=60, deadline=None)
@given(dags(), st.data())
def test_edges_lead_down_and_boxes_never_overlap(graph: nx.DiGraph, data: st.DataObject) -> None:
    focus = data.draw(st.sampled_from(sorted(graph)))
    side, empty = lay_out(Around(graph, focus), None, lambda row: -1)
    assert empty.nodes == {}
    related = {focus} | nx.ancestors(graph, focus) | nx.descendants(graph, focus)
    assert set(side.nodes.values()) == related
    steps = layer_steps((side, empty), MEASURES)
    places = place(side, steps, MEASURES)
    for route in side.edges:
        assert all(places[a].bottom <= places[b].top for a, b in pairwise(route))
    boxes = [places[key] for key in side.nodes]
    for index, one in enumerate(boxes):
        for other in boxes[index + 1 :]:
            apart = abs(one.x - other.x) >= (one.width + other.width) / 2 - 1e-6
            assert apart or abs(one.y - other.y) >= MEASURES.node_height


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 3), st.integers(2, 9))
def test_in_steps_no_edge_ends_behind_a_neighbour(rows: int, count: int) -> None:
    star = nx.DiGraph([(0, number) for number in range(1, count + 1)])
    side, _ = lay_out(Around(star, 0), None, lambda row: -1)
    places = place(side, [1, rows], MEASURES)
    below = [places[key] for key in side.layers[1]]
    for upper, lower in pairwise(below):
        for spot in (upper, lower):
            assert abs(spot.into - spot.x) <= spot.width / 2
            assert abs(spot.out - spot.x) <= spot.width / 2
        if lower.y > upper.y:
            assert lower.into >= upper.x + upper.width / 2
            assert upper.out <= lower.x - lower.width / 2


def test_spreading_keeps_order_gaps_and_the_middle() -> None:
    assert spread([0, 0, 0], [10, 10]) == pytest.approx([-10, 0, 10])
    assert spread([0, 50], [10]) == pytest.approx([0, 50])
    assert spread([5, 0], [10]) == pytest.approx([-2.5, 7.5])
    assert spread([], []) == []
