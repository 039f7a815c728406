"""A write through a view, recorded eagerly and compiled.

``python torch_view_write.py DIRECTORY`` writes eager.ir and aot_eager.ir there.
"""

import sys
from pathlib import Path

import torch

from opdiff.record import OpTrace


def double_every_other(x):
    """Double every other column in place; the sum of all."""
    x[:, ::2].mul_(2)
    return (x + 1).sum()


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    with OpTrace(folder / "eager.ir") as eager:
        expected = double_every_other(torch.ones(4, 4))
    with OpTrace(folder / "aot_eager.ir") as compiled:
        result = torch.compile(double_every_other, backend="aot_eager")(torch.ones(4, 4))
    compiled.require_compiled()
    print(eager)
    print(compiled)
    print("results are equal" if torch.equal(expected, result) else "results DIFFER")
