"""Parameters that a trace sets up itself: known by the order of the optimizer."""

from __future__ import annotations

import pytest

from opdiff.compare import Kind, Request, compare
from opdiff.structure import Phase
from opdiff.structure.phases import phases
from opdiff.trace.traits import Trait


def step(gate: int, up: int, *, other: int = 12) -> list[str]:
    """Three weights set up alike; a gated layer, its backward, the optimizer."""
    return [
        *(f"{weight} = Muls()" for weight in (10, 11, 12, 13)),
        f"20 = Dense(1, {gate})",
        f"21 = Dense(1, {up})",
        "22 = Sigmoid(20)",
        "23 = Mul(22, 21)",
        f"24 = Dense(23, {other})",
        f"30 = DenseGrad(24, {other})",
        "31 = MulGrad(30, 21)",
        "32 = SigmoidGrad(31, 22)",
        f"{gate + 30} = MatMulGrad(32, 1)",
        f"{up + 30} = MatMulGrad(30, 1, 22)",
        f"{other + 30} = MatMulGrad(24, 23)",
        f"{25 - other + 30} = Zeros()",
        *(
            line
            for weight in (10, 11, 12, 13)
            for line in (
                "Contiguous()",
                "Contiguous()",
                f"{weight} = AdamWeightDecay({weight}, {weight + 30})",
            )
        ),
    ]


@pytest.mark.parametrize(
    ("there", "rows"),
    [({"gate": 11, "up": 10}, {4, 5}), ({"gate": 10, "up": 11, "other": 13}, {8})],
    ids=["two weights changed places", "a weight that was not used"],
)
def test_another_weight_is_no_other_order(trace_of, there: dict[str, int], rows: set[int]) -> None:
    left, right = trace_of(*step(10, 11)), trace_of(*step(**there))
    found = compare(left, right, Request())
    assert not found.groups[0].harmless
    first = [d for d in found.divergences if d.group == found.groups[0].id]
    assert {d.kind for d in first} == {Kind.DATAFLOW}
    assert {row for d in first for row in d.left_rows} <= rows
    partner = found.left.partner
    assert [int(partner[row]) for row in range(4)] == [0, 1, 2, 3]


def test_copies_without_operands_do_not_hide_where_parameters_are_updated(trace_of) -> None:
    """They say nothing of themselves: updates amid them were taken for the forward."""
    copies = ["Contiguous()"] * 2
    updates = [[*copies, f"{n} = AdamWeightDecay({n}, {n + 30})"] for n in range(40, 60)]
    trace = trace_of(*step(10, 11), *(line for lines in updates for line in lines))
    phase = phases(trace)
    assert (phase[trace.has_trait(Trait.OPTIMIZER)] == Phase.OPTIMIZER).all()
    assert (phase[40:60] == Phase.OPTIMIZER).all()


AHEAD = {31: "exp", 32: "sin", 33: "tanh"}


def norms(*used: int) -> list[str]:
    """Norms one after the other, with an optimizer that a program writes out line by line."""
    lines, value = ["20 = aten::mm(1, 2)"], 20
    for number in used:
        lines += [
            f"{number + 40} = aten::{AHEAD[number]}({value})",
            f"{number + 50} = aten::mul({number + 40}, {number})",
        ]
        value = number + 50
    lines += [f"30[] = aten::nll_loss({value})", f"29 = aten::nll_loss_backward(30[], {value})"]
    gradient = 29
    for number in reversed(used):
        lines += [
            f"{number + 100} = aten::mul({gradient}, {number + 40})",
            f"{number + 200} = aten::exp_backward({gradient}, {number})",
        ]
        gradient = number + 200
    for number in used:
        gradient = number + 100
        lines += [
            f"60 = aten::mul({gradient}, {gradient})",
            "61 = aten::mean(60)",
            "62 = aten::sqrt(61)",
            f"63 = aten::div({gradient}, 62)",
            "64 = aten::neg(63)",
            f"{number} = aten::add_({number}, 64)",
        ]
    return lines


def test_parameters_are_known_by_an_optimizer_that_is_written_out(trace_of) -> None:
    """Most of its ops read gradients: only the last update was taken for one on either side."""
    left, right = trace_of(*norms(31, 32, 33)), trace_of(*norms(31, 32))
    kinds = {each.kind for each in compare(left, right, Request()).divergences}
    assert kinds == {Kind.ONLY_LEFT}
