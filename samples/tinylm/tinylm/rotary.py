"""Rotary position embedding of the sample model: a part of every head is turned by an angle that
grows with the position of its token.

The synthesised traces name these lines. The program itself was never run: it is here so that the
window has a source to show beside them.
"""

from __future__ import annotations

from mindspore import Tensor, mint

ROTARY = 16
"""How many columns of a head are turned."""


def rotate_half(x: Tensor) -> Tensor:
    """Exchange the halves of the last axis, one of them negated."""
    # In eager code both halves are views of x; in a compiled graph they are copies.

    first, second = mint.split(x, x.shape[-1] // 2, dim=-1)
    negative = mint.neg(second)
    return mint.cat((negative, first), dim=-1)


class RotaryEmbedding:
    """The angles by which the columns of every position are turned."""

    def __init__(self, base: float = 10_000.0) -> None:
        self.base = base
        if base <= 1.0:
            raise ValueError(f"angles would not fall: base {base}")

    def angles(self, length: int) -> Tensor:
        """One angle a position and a pair of columns."""
        steps = mint.arange(0, ROTARY, 2) / ROTARY
        frequencies = 1.0 / self.base**steps
        positions = mint.arange(length)
        outer = mint.outer(positions, frequencies)
        both = mint.cat((outer, outer), dim=-1)
        return both.reshape(length, 1, 1, ROTARY)


# What the right run compiles with @jit: everything below becomes one graph.
def apply_rotary_pos_emb(x: Tensor, angles: Tensor) -> Tensor:
    """Turn the first columns of every head, and leave the others."""
    part = x[..., :ROTARY]
    rest = x[..., ROTARY:]
    cos = mint.cos(angles)
    sin = mint.sin(angles)
    turned = part * cos + rotate_half(part) * sin
    return mint.cat((turned, rest), dim=-1)
