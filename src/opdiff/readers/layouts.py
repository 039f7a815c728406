"""Strides and offsets as traces have them: only where a tensor is no plain one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from opdiff.trace import TensorSpec


@lru_cache(maxsize=1 << 14)
def spec_with_strides(
    dtype: str, shape: tuple[int, ...], strides: tuple[int, ...] | None, offset: int | None
) -> TensorSpec:
    """The spec of an operand; files that print all strides print those of plain tensors, too.

    Operands that look alike share one: a trace has few sorts of tensors.
    """
    if strides is None or len(strides) != len(shape):
        return TensorSpec(dtype, shape)
    if not offset and is_contiguous(shape, strides):
        return TensorSpec(dtype, shape)
    return TensorSpec(dtype, shape, strides, offset)


def is_contiguous(shape: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether the elements lie one behind the other; also where that cannot be known."""
    if 0 in shape:
        return True
    expected = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size < 0 or stride < 0:  # a symbol
            return True
        if size != 1:
            if stride != expected:
                return False
            expected *= size
    return True
