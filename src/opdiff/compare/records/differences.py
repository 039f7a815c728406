"""How the printed operands of two paired ops differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from opdiff.compare.kinds import Kind
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace import TensorSpec

UNKNOWN = "?"
"""The dtype of an operand of which a file does not tell it."""


class Spot(NamedTuple):
    """One operand in which a pair differs."""

    is_input: bool
    place: int
    left: TensorSpec
    right: TensorSpec


class Difference(NamedTuple):
    """One kind of difference between the operands of a pair, and where it shows."""

    kind: Kind
    spots: tuple[Spot, ...] = ()
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    """Outputs and inputs on the left, outputs and inputs on the right."""
    missing: str = ""
    """The side that lacks strides and offset: ``left``, ``right`` or ``both`` by turns."""

    @property
    def from_inputs(self) -> bool:
        """Whether it shows in an input, so that it may come from upstream."""
        return self.kind is Kind.OPERANDS or any(spot.is_input for spot in self.spots)


def operand_differences(
    outputs: Sequence[TensorSpec],
    other_outputs: Sequence[TensorSpec],
    inputs: Sequence[TensorSpec],
    other_inputs: Sequence[TensorSpec],
) -> tuple[Difference, ...]:
    """All kinds in which the compared operands of a pair differ."""
    found = []
    spots: list[Spot] = []
    for is_input, mine, others in (
        (False, outputs, other_outputs),
        (True, inputs, other_inputs),
    ):
        if len(mine) == len(others):
            spots += [
                Spot(is_input, place, left, right)
                for place, (left, right) in enumerate(zip(mine, others, strict=True))
                if left != right
            ]
    if len(outputs) != len(other_outputs) or len(inputs) != len(other_inputs):
        counts = (len(outputs), len(inputs), len(other_outputs), len(other_inputs))
        found.append(Difference(Kind.OPERANDS, counts=counts))
    for kind, differs in _SPOT_KINDS.items():
        here = tuple(spot for spot in spots if differs(spot))
        if here:
            found.append(Difference(kind, here, missing=_missing(kind, here)))
    return tuple(found)


def _layout_differs(spot: Spot) -> bool:
    left, right = spot.left, spot.right
    if not (left.is_view and right.is_view):
        return False
    # Some formats print strides without an offset: it is not known then.
    unknown = left.offset is None or right.offset is None
    return left.strides != right.strides or (not unknown and left.offset != right.offset)


def _dtype_differs(spot: Spot) -> bool:
    return spot.left.dtype != spot.right.dtype and not _unknown_dtype(spot)


def _unknown_dtype(spot: Spot) -> bool:
    return UNKNOWN in (spot.left.dtype, spot.right.dtype)


def _shape_differs(spot: Spot) -> bool:
    """Whether shapes differ as far as both are known; a dimension below 0 is a symbol."""
    left, right = spot.left.shape, spot.right.shape
    if left == right or (_unknown_dtype(spot) and not (left and right)):
        return False
    return len(left) != len(right) or any(
        one != other and one >= 0 and other >= 0 for one, other in zip(left, right, strict=True)
    )


_SPOT_KINDS = {
    Kind.DTYPE: _dtype_differs,
    Kind.SHAPE: _shape_differs,
    Kind.LAYOUT_MISSING: lambda spot: spot.left.is_view != spot.right.is_view,
    Kind.LAYOUT: _layout_differs,
}


def _missing(kind: Kind, spots: tuple[Spot, ...]) -> str:
    if kind is not Kind.LAYOUT_MISSING:
        return ""
    sides = {"right" if spot.left.is_view else "left" for spot in spots}
    return sides.pop() if len(sides) == 1 else "both"


def compared_specs(side: Prepared, row: int) -> tuple[list[TensorSpec], list[TensorSpec]]:
    """Specs of the outputs and of the compared inputs of a row."""
    trace = side.trace
    specs = trace.tables.specs
    here = slice(trace.outputs.start[row], trace.outputs.start[row + 1])
    outputs = [specs[spec] for spec in trace.outputs.spec[here][side.kept_outputs[here]]]
    here = slice(trace.inputs.start[row], trace.inputs.start[row + 1])
    inputs = [specs[spec] for spec in trace.inputs.spec[here][side.kept[here]]]
    return outputs, inputs
