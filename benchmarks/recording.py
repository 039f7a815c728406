"""What recording costs a PyTorch program: microseconds an op, with and without stacks.

PyTorch lives in its own environment (``make real``), so the measuring part is run by that one.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-torch" / "bin" / "python"
ROUNDS = 25


def main() -> None:
    """Measure where PyTorch is, else say that it is not."""
    if not PYTHON.exists():
        print("recording: no .venv-torch (make real makes it)")
        return
    subprocess.run([str(PYTHON), str(Path(__file__).resolve())], check=True)


def measure() -> None:
    """The four-layer sample network, forward and backward, bare and recorded; the best of many."""
    sys.path.insert(0, str(ROOT / "samples" / "scripts"))
    import torch
    import torch_network

    from opdiff.record import OpTrace

    torch.set_num_threads(1)
    network, inputs = torch_network.prepared()
    bare = recorded = float("inf")
    lines = []
    for stacks in (True, False):
        for _ in range(ROUNDS):  # in turn, so that a busy machine slows both alike
            begin = time.perf_counter()
            torch_network.step(network, inputs)
            middle = time.perf_counter()
            with OpTrace(stacks=stacks) as trace:
                torch_network.step(network, inputs)
            bare = min(bare, middle - begin)
            recorded = min(recorded, time.perf_counter() - middle)
        cost = (recorded - bare) / len(trace) * 1e6
        words = "with stacks" if stacks else "without"
        lines.append(f"{cost:5.1f} µs an op {words}")
        recorded = float("inf")
    print(f"recording {len(trace)} ops: {', '.join(lines)} (limit 100 with stacks)")


if __name__ == "__main__":
    if "torch" in sys.modules or Path(sys.prefix).name == PYTHON.parents[1].name:
        measure()
    else:
        main()
