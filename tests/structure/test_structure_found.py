"""Steps, micro-batches, phases, layers and functions are found where a program has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.structure.programs import Program, play

from opdiff.readers import open_trace
from opdiff.structure import NodeKind, Structure, structure_of
from opdiff.structure.part_names import PartNames
from opdiff.structure.paths import modules_in
from opdiff.trace import Trace
from opdiff.wording import say

ROOT = Path(__file__).parents[2]
LAB = ROOT / "lab" / "cases" / "traces"


def numbers(structure: Structure, what: NodeKind, inside: str = "") -> list[int]:
    """The numbers of all parts of a kind, in the phase named."""
    found = []
    for node in structure.walk():
        here = structure.node(node)
        phases = [each.name for each in structure.above(node) if each.what is NodeKind.PHASE]
        if here.what is what and (not inside or inside in phases):
            found.append(here.number)
    return found


def belongs(structure: Structure, row: int) -> tuple[int, int, str, int]:
    """Step, micro-batch, phase and layer of a row, as the tree says."""
    step, batch, phase, layer = 0, -1, "forward", -1
    for node in structure.path(row):
        if node.what is NodeKind.STEP:
            step = node.number
        elif node.what is NodeKind.BATCH:
            batch = node.number
        elif node.what is NodeKind.PHASE:
            phase = node.name
        elif node.what is NodeKind.LAYER:
            layer = node.number
    return step, batch, phase, layer


@pytest.mark.parametrize("stacks", [True, False], ids=["stacks", "bare"])
@pytest.mark.parametrize("scopes", [True, False], ids=["scopes", "flat"])
@pytest.mark.parametrize("batches", [1, 3])
@pytest.mark.parametrize("steps", [1, 2])
def test_every_row_is_where_the_program_ran_it(
    stacks: bool, scopes: bool, batches: int, steps: int
) -> None:
    program = Program(batches=batches, steps=steps, stacks=stacks, scopes=scopes)
    trace, expected = play(program)
    structure = structure_of(trace)
    wrong = []
    for (step, batch, phase, layer), rows in expected.items():
        known_batch = batch if batches > 1 else -1
        wrong += [
            (row, trace.type_name(row), belongs(structure, row))
            for row in rows
            if belongs(structure, row) != (step, known_batch, phase, layer)
        ]
    assert wrong == []


@pytest.mark.parametrize("stacks", [True, False], ids=["stacks", "bare"])
def test_gradients_summed_in_place_and_a_running_loss_are_no_steps(stacks: bool) -> None:
    program = Program(layers=20, batches=4, stacks=stacks, sums_in_place=True)
    trace, _ = play(program)
    structure = structure_of(trace)
    assert numbers(structure, NodeKind.STEP) == numbers(structure, NodeKind.UPDATE) == []
    assert numbers(structure, NodeKind.BATCH) == list(range(4))
    assert numbers(structure, NodeKind.LAYER, "forward") == list(range(20)) * 4


def test_a_layer_that_is_odd_is_a_layer_all_the_same() -> None:
    trace, rows = play(Program(layers=8, odd_layer=5))
    structure = structure_of(trace)
    assert numbers(structure, NodeKind.LAYER, "forward") == list(range(8))
    assert {belongs(structure, row)[3] for row in rows[0, 0, "forward", 5]} == {5}


def test_a_forward_alone_has_layers_too() -> None:
    trace, _ = play(Program(layers=6, train=False, stacks=False))
    assert numbers(structure_of(trace), NodeKind.LAYER) == list(range(6))


def test_places_are_named_by_layer_and_function_also_in_the_backward() -> None:
    trace, rows = play(Program())
    structure = structure_of(trace)
    assert "layer 2 › attention › apply_rotary" in places(structure, rows[0, 0, "forward", 2])
    assert "layer 2 › attention, backward" in places(structure, rows[0, 0, "backward", 2])
    assert places(structure, rows[0, -1, "optimizer", 1], "zh") == {"层 1，优化器"}


def places(structure: Structure, rows: list[int], language: str = "en") -> set[str]:
    """What the places of rows are called."""
    found = [PartNames(structure).of_row(row) for row in rows]
    return {say(place, language) for place in found if place is not None}


def test_one_instance_is_no_repeat() -> None:
    trace, _ = play(Program(layers=1, train=False))
    structure = structure_of(trace)
    assert numbers(structure, NodeKind.LAYER) == numbers(structure, NodeKind.BATCH) == []


def test_a_trace_without_ops_is_one_part() -> None:
    builder_trace, _ = play(Program(layers=0, batches=0, steps=0))
    structure = structure_of(builder_trace)
    assert len(structure) == 1
    assert structure.node(0).ops == 0


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        ("Default/network/layers.7/attention", ["network", "layers.7", "attention"]),
        (
            "Gradients/Default/net-Loss/layers-CellList/7-Layer/mlp-Mlp/Grad_Dense",
            ["net", "layers.7", "mlp"],
        ),
        ("blocks.0.attn.qkv", ["blocks.0", "attn", "qkv"]),
        ("recompute_Default/h_3", ["h_3"]),
        ("Expand/_MeanExt", []),
        ("", []),
    ],
)
def test_scopes_name_modules(scope: str, names: list[str]) -> None:
    assert [segment.name for segment in modules_in(scope)] == names


def lab_trace(name: str) -> Trace:
    for cases in ("tuned", "held_out"):
        for case in json.loads((LAB.parent / f"{cases}.json").read_text()):
            if case["name"] == name:
                return open_trace(LAB / f"{case['right']}.ir.gz")
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("case", "layers"),
    [
        ("encoder-rerun", 3),
        ("encoder-aot_eager", 3),
        ("encoder-decomposed", 3),
        ("encoder-checkpoint", 3),
        ("moe-aot_eager", 2),
        ("ms_encoder-rerun", 3),
        ("ms_encoder-jit_forward", 3),
        ("ms_encoder-jit_step", 3),
    ],
)
def test_layers_of_real_runs_are_found_in_forward_and_backward(case: str, layers: int) -> None:
    structure = structure_of(lab_trace(case))
    assert numbers(structure, NodeKind.LAYER, "forward") == list(range(layers))
    assert sorted(set(numbers(structure, NodeKind.LAYER, "backward"))) == list(range(layers))


def test_micro_batches_of_a_real_run_are_found() -> None:
    structure = structure_of(lab_trace("recommender-crosses_itself_at_1"))
    assert sorted(set(numbers(structure, NodeKind.BATCH))) == [0, 1]
    assert numbers(structure, NodeKind.LAYER, "forward") == [0, 1, 2, 0, 1, 2]


def test_networks_that_are_updated_in_turn_are_one_step() -> None:
    structure = structure_of(lab_trace("gan-no_tanh"))
    assert numbers(structure, NodeKind.UPDATE) == [0, 1]
    assert numbers(structure, NodeKind.STEP) == []


def test_scopes_of_modules_give_layers_their_numbers() -> None:
    trace = open_trace(ROOT / "samples" / "formats" / "msprobe" / "base")
    structure = structure_of(trace)
    assert numbers(structure, NodeKind.LAYER, "forward") == [0, 1]
    assert numbers(structure, NodeKind.LAYER, "backward") == [1, 0]
