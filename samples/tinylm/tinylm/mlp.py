"""The feed-forward half of a layer of the sample model.

The synthesised traces name these lines. The program itself was never run: it is here so that the
window has a source to show beside them.

In the pair `activation` one run has SiLU and the other one GeLU here.
"""

from __future__ import annotations

from mindspore import Tensor, mint, nn


class Mlp(nn.Cell):
    """Two projections up, one gating the other, and one down."""

    def __init__(self, width: int, wide: int) -> None:
        super().__init__()
        self.gate, self.up = (mint.nn.Linear(width, wide, bias=False) for _ in range(2))
        self.down = mint.nn.Linear(wide, width, bias=False)

    def construct(self, x: Tensor) -> Tensor:
        """What every position makes of what it gathered."""
        gate = self.gate(x)
        up = self.up(x)
        active = mint.nn.functional.silu(gate) * up
        return self.down(active)
