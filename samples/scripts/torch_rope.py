"""The rotary embedding in PyTorch, recorded eagerly and as torch.compile runs it.

``python torch_rope.py DIRECTORY`` writes eager.ir and aot_eager.ir there.
"""

import sys
from pathlib import Path

import torch

from opdiff.record import OpTrace


def rotate_half(x):
    """The second half, negated, before the first."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def apply_rotary(x, angles):
    """Turn the leading channels by the angles and leave the others alone."""
    width = angles.shape[-1]
    turned, rest = x[..., :width], x[..., width:]
    turned = turned * torch.cos(angles) + rotate_half(turned) * torch.sin(angles)
    return torch.cat((turned, rest), dim=-1)


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    arguments = torch.randn(16, 2, 4, 32), torch.randn(16, 1, 1, 16)
    with OpTrace(folder / "eager.ir") as eager:
        expected = apply_rotary(*arguments)
    with OpTrace(folder / "aot_eager.ir") as compiled:
        result = torch.compile(apply_rotary, backend="aot_eager")(*arguments)
    compiled.require_compiled()
    print(eager)
    print(compiled)
    print("results are equal" if torch.equal(expected, result) else "results DIFFER")
