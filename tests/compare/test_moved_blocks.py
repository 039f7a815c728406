"""Layers that changed places: told as blocks, and as few as there are."""

from __future__ import annotations

import pytest

from opdiff.compare import Comparison, Kind, Request, compare, pairing
from opdiff.compare.order import Ordering

LAYERS = {
    "wide": ("RmsNorm", "MatMul", "Softmax", "MatMul", "SiLU", "Mul", "MatMul", "Neg", "Add"),
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
        return trace_of(*lines, f"{value + 1} = LogSoftmax({value})")

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
    # Behind the first two layers, and the next one on the left: 1 + 9 + 5, and 9 more.
    assert ((here[0], there[0]) == (24, 15)) is near
