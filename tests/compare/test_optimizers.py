"""Optimizers: one op a parameter, one op for all, one a line of arithmetic, or all written out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from opdiff.compare import Kind, Request, compare

SHAPES = ("4 4", "8", "2 8")
"""Of the parameters."""
STATE = 3
"""Tensors of a parameter: itself and its moments; its gradient comes after them."""


def tensors(number: int) -> list[str]:
    """The parameter, both moments and the gradient."""
    shape = SHAPES[number]
    return [f"{100 * (number + 1) + kind}[{shape}]" for kind in range(STATE + 1)]


def backward() -> list[str]:
    """Gradients of all parameters, from one loss."""
    return [f"{tensors(number)[STATE]} = aten::mm(1, {number + 2})" for number in range(3)]


def written_out(number: int, *, decay: bool = True) -> Iterator[str]:
    """AdamW as PyTorch runs it for one parameter."""
    weight, first, second, gradient = tensors(number)
    shape, free = SHAPES[number], 1000 + 10 * number
    if decay:
        yield f"{weight} = aten::mul_({weight})"
    yield f"{first} = aten::lerp_({first}, {gradient})"
    yield f"{second} = aten::mul_({second})"
    yield f"{second} = aten::addcmul_({second}, {gradient}, {gradient})"
    yield f"{free}[{shape}] = aten::sqrt({second})"
    yield f"{free + 1}[{shape}] = aten::div({free}[{shape}])"
    yield f"{free + 1}[{shape}] = aten::add_({free + 1}[{shape}])"
    yield f"{weight} = aten::addcdiv_({weight}, {first}, {free + 1}[{shape}])"


def singles() -> list[str]:
    """MindSpore's primitive, one a parameter; its moments are printed as outputs only."""
    lines = []
    for number in range(3):
        weight, first, second, gradient = tensors(number)
        lines.append(f"{weight}, {first}, {second} = AdamWeightDecay({weight}, {gradient})")
    return lines


def joined(*kinds: int) -> str:
    return ", ".join(tensors(number)[kind] for kind in kinds for number in range(3))


def fused() -> list[str]:
    """All parameters at once, as PyTorch's fused kernel takes them."""
    steps = ", ".join(f"{50 + number}[]" for number in range(3))
    return [f"{joined(0, 3, 1, 2)} = aten::_fused_adamw_({joined(0, 3, 1, 2)}, {steps})"]


def foreach() -> list[str]:
    """All parameters at once, line by line."""
    free = ", ".join(f"{1000 + 10 * number}[{SHAPES[number]}]" for number in range(3))
    return [
        f"{joined(0)} = aten::_foreach_mul_({joined(0)})",
        f"{joined(1)} = aten::_foreach_lerp_({joined(1)}, {joined(3)})",
        f"{joined(2)} = aten::_foreach_mul_({joined(2)})",
        f"{joined(2)} = aten::_foreach_addcmul_({joined(2)}, {joined(3)}, {joined(3)})",
        f"{free} = aten::_foreach_sqrt({joined(2)})",
        f"{free} = aten::_foreach_div_({free})",
        f"{free} = aten::_foreach_add_({free})",
        f"{joined(0)} = aten::_foreach_addcdiv_({joined(0)}, {joined(1)}, {free})",
    ]


def plain() -> list[str]:
    return [line for number in range(3) for line in written_out(number)]


WAYS = {"plain": plain, "singles": singles, "fused": fused, "foreach": foreach}
PAIRS = [(one, other) for one in WAYS for other in WAYS if one < other]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_every_way_of_a_step_is_the_others_work(trace_of, one: str, other: str) -> None:
    left, right = (trace_of(*backward(), *WAYS[way]()) for way in (one, other))
    comparison = compare(left, right, Request())
    assert {divergence.kind for divergence in comparison.divergences} == {Kind.FUSED}
    for side, length in ((0, len(left)), (1, len(right))):
        rows = [
            row
            for divergence in comparison.divergences
            for row in (divergence.left_rows, divergence.right_rows)[side]
        ]
        assert sorted(rows) == list(range(3, length))
    assert all(group.harmless for group in comparison.groups)


@pytest.mark.parametrize("way", ["singles", "fused", "foreach"])
def test_a_parameter_that_is_not_updated_is_seen(trace_of, way: str) -> None:
    left = trace_of(*backward(), *written_out(0), *written_out(2))
    right = trace_of(*backward(), *WAYS[way]())
    comparison = compare(left, right, Request())
    assert not all(group.harmless for group in comparison.groups)


def test_a_step_without_decay_is_not_one_with_it(trace_of) -> None:
    lines = [line for number in range(3) for line in written_out(number, decay=False)]
    comparison = compare(
        trace_of(*backward(), *lines), trace_of(*backward(), *singles()), Request()
    )
    assert Kind.FUSED not in {divergence.kind for divergence in comparison.divergences}


@pytest.mark.parametrize("name", ["SGD", "ApplyMomentum"])
def test_momentum(trace_of, name: str) -> None:
    written, one_each = [], []
    for number in range(3):
        weight, velocity, _, gradient = tensors(number)
        written += [
            f"{velocity} = aten::mul_({velocity})",
            f"{velocity} = aten::add_({velocity}, {gradient})",
            f"{weight} = aten::add_({weight}, {velocity})",
        ]
        one_each.append(f"{weight} = {name}({weight}, {gradient})")
    comparison = compare(
        trace_of(*backward(), *written), trace_of(*backward(), *one_each), Request()
    )
    assert [divergence.kind for divergence in comparison.divergences] == [Kind.FUSED] * 3


def test_clipping_multiplies_all_gradients_by_one_tensor(trace_of) -> None:
    """The decay of the weights multiplies tensors of the same shapes by a number."""
    start = [*backward(), "90[] = aten::clamp(91[])"]
    sides = []
    for clip, decay in (
        (
            [f"{g} = aten::mul_({g}, 90[])" for g in (tensors(n)[STATE] for n in range(3))],
            [f"{w} = aten::mul_({w})" for w in (tensors(n)[0] for n in range(3))],
        ),
        (
            [f"{joined(STATE)} = aten::_foreach_mul_({joined(STATE)}, 90[])"],
            [f"{joined(0)} = aten::_foreach_mul_({joined(0)})"],
        ),
    ):
        ends = (
            f"{tensors(n)[0]} = aten::add_({tensors(n)[0]}, {tensors(n)[STATE]})" for n in range(3)
        )
        sides.append(trace_of(*start, *clip, *decay, *ends))
    comparison = compare(*sides, Request())
    assert all(each.kind is Kind.FUSED for each in comparison.divergences)
    found = {each.left_rows for each in comparison.divergences}
    assert found == {(4, 5, 6), (7, 8, 9)}


def test_ops_on_lists_may_write_over_a_copy_of_their_own(trace_of) -> None:
    """The look ahead of a momentum: beside it, others write in place on both sides."""
    free = [f"{1000 + number}[{SHAPES[number]}]" for number in range(3)]
    left, right = backward(), backward()
    for number in range(3):
        weight, momentum, _, gradient = tensors(number)
        left += [
            f"{momentum} = aten::add_({momentum}, {gradient})",
            f"{free[number]} = aten::add({gradient}, {momentum})",
            f"{weight} = aten::add_({weight}, {free[number]})",
        ]
    for written, read in ((1, STATE), (STATE, 1), (0, STATE)):
        right.append(f"{joined(written)} = aten::_foreach_add_({joined(written)}, {joined(read)})")
    comparison = compare(trace_of(*left), trace_of(*right), Request())
    assert [each.kind for each in comparison.divergences] == [Kind.FUSED] * 3
