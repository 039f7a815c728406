"""Attention of the sample model.

The synthesised traces name these lines. The program itself was never run: it is here so that the
window has a source to show beside them.

Slice and StridedSlice, views and copies: see rotary.py.
"""

from __future__ import annotations

from math import sqrt

import mindspore as ms
from mindspore import Tensor, mint, nn

from .rotary import RotaryEmbedding, apply_rotary_pos_emb


class Attention(nn.Cell):
    """Multi-head attention whose queries and keys are turned by their position.

    Sequence first: tokens are [sequence, batch, width].
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"{width} columns are not {heads} heads")
        self.heads = heads
        self.head = width // heads
        self.scale = 1.0 / sqrt(self.head)
        self.query = mint.nn.Linear(width, width, bias=False)
        self.key = mint.nn.Linear(width, width, bias=False)
        self.value = mint.nn.Linear(width, width, bias=False)
        self.out = mint.nn.Linear(width, width, bias=False)
        self.rotary = RotaryEmbedding()

    def split(self, x: Tensor) -> Tensor:
        """[sequence, batch, width] as [sequence, batch, heads, head]."""
        sequence, batch, _ = x.shape
        return x.reshape(sequence, batch, self.heads, self.head)

    def scores_of(self, query: Tensor, key: Tensor) -> Tensor:
        """How much every position looks at every other one."""
        return mint.matmul(query.transpose(1, 2, 0, 3), key.transpose(1, 2, 3, 0))

    def mixed(self, weights: Tensor, value: Tensor) -> Tensor:
        """The values, weighted."""
        return mint.matmul(weights, value.transpose(1, 2, 0, 3)).transpose(2, 0, 1, 3)

    def construct(self, x: Tensor, angles: Tensor | None = None) -> Tensor:
        """What every position gathers from the others."""
        if angles is None:
            angles = self.rotary.angles(x.shape[0])
        sequence, batch, width = x.shape

        # Three projections, then heads.
        query = self.query(x)
        key = self.key(x)
        value = self.value(x)

        query = self.split(query)
        key = self.split(key)
        value = self.split(value)

        query, key = (apply_rotary_pos_emb(part, angles) for part in (query, key))

        scores = self.scores_of(query, key)
        scores = scores * self.scale
        weights = mint.softmax(scores, dim=-1, dtype=ms.float32)
        weights = weights.astype(ms.bfloat16)
        gathered = self.mixed(weights, value)
        gathered = gathered.reshape(sequence, batch, width)
        return self.out(gathered)
