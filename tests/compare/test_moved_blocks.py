"""Layers that changed places: told as blocks, and as few as there are."""

from __future__ import annotations

import pytest

from opdiff.compare import Comparison, Direction, Kind, Request, compare
from opdiff.compare.pairing import steps as pairing
from opdiff.compare.pairing.order import Ordering

LAYERS = {
    "wide": ("RmsNorm", "MatMul", "Softmax", "MatMul", "SiLU", "Mul", "MatMul", "Add"),
    "small": ("LayerNorm", "Dense", "GeLU", "Dense", "Add"),
}
WEIGHTED = ("RmsNorm", "MatMul", "LayerNorm", "Dense")


@pytest.fixture
def net(trace_of):
    """A net of some layers, each with parameters of its own and a sum with what it read."""

    def made(*layers: str):
        lines, value, weight = ["2 = Embedding(1)"], 2, 900
        for layer in layers:
            read = value
            for place, op in enumerate(LAYERS[layer], 2):
                more = ""
                if op in WEIGHTED:
                    weight += 1
                    more = f", {weight}[{place} {len(layer)}]"
                elif op == "Add":
                    more = f", {read}"
                lines.append(f"{value + 1} = {op}({value}{more})")
                value += 1
        return trace_of(*lines, f"{value + 1} = RmsNorm({value}, 999)")

    return made


def alone(comparison: Comparison) -> list[list[int]]:
    """Of each side, the rows without counterpart."""
    found: dict[Kind, list[int]] = {Kind.ONLY_LEFT: [], Kind.ONLY_RIGHT: []}
    for each in comparison.divergences:
        if each.kind in found:
            found[each.kind] += each.left_rows + each.right_rows
    return [sorted(rows) for rows in found.values()]


ORDER = ("small", "wide", "small", "wide", "small", "wide")
EXCHANGED = (*ORDER[:4], "wide", "small")


def test_a_layer_that_changed_places_is_one_block(net) -> None:
    comparison = compare(net(*ORDER), net(*EXCHANGED), Request())
    assert not any(each.kind is Kind.MOVED for each in comparison.divergences)
    left, right = alone(comparison)
    assert left == list(range(left[0], left[0] + 5))
    assert right == list(range(right[0], right[0] + 5))
    assert len(comparison.groups) == 1


def test_a_part_of_it_is_told_as_moved_without_parting_islands(net, monkeypatch) -> None:
    kept = tuple(step for step in pairing.STEPS if step is not pairing.part_islands)
    monkeypatch.setattr(pairing, "STEPS", kept)
    comparison = compare(net(*ORDER), net(*EXCHANGED), Request())
    assert len(comparison.groups) > 1


@pytest.mark.parametrize("near", [True, False])
def test_of_equal_blocks_those_moved_that_are_nearest(net, monkeypatch, near: bool) -> None:
    left = net("wide", "small", "wide", "small", "small", "wide")
    right = net("wide", "small", "small", "wide", "small", "wide")
    if not near:
        monkeypatch.setattr(Ordering, "_approach", lambda _: None)
    here, there = alone(compare(left, right, Request()))
    # Behind the first two layers, and the next one on the left: 1 + 8 + 5, and 8 more.
    assert ((here[0], there[0]) == (22, 14)) is near


@pytest.mark.parametrize("layers", [("wide", "wide", "small"), ("small", "small", "wide")])
def test_a_missing_layer_begins_at_its_own_border(net, layers: tuple[str, ...]) -> None:
    left, right = net(*layers), net(*layers[:-1])
    here, _ = alone(compare(left, right, Request()))
    # All layers end in a sum: the one before the gap is as good by its look alone.
    last = len(left) - 1
    assert here == list(range(last - len(LAYERS[layers[-1]]), last))


def test_a_better_anchor_is_offered_behind_several_that_look_the_same(trace_of) -> None:
    layer = (*["MatMul"] * 4, "SiLU", *["MatMul"] * 5, "ReLU")

    def chain(count: int, *more: str):
        ops = ["Embedding", *layer, *more, *layer * (count - 1), "LogSoftmax"]
        return trace_of(*(f"{number + 2} = {op}({number + 1})" for number, op in enumerate(ops)))

    # Both anchors follow the SiLU, of the third layer on the left and of the second on the right.
    request = Request(direction=Direction.UP, left_anchor=28, right_anchor=18)
    hint = compare(chain(4), chain(4, "Tanh"), request).anchor_hint
    assert hint is not None
    assert (hint.left_row, hint.right_row) in {(17, 18), (28, 29)}
