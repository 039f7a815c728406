"""What recording costs a PyTorch program: microseconds an op, with and without stacks.

PyTorch lives in its own environment (``make real``), so the measuring part is run by that one.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv-torch" / "bin" / "python"
ROUNDS = 25


def run(ops: Sequence[int] = ()) -> None:
    """Measure where PyTorch is, else say that it is not; *ops* is the network's to decide."""
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
    best = {"bare": float("inf"), "with stacks": float("inf"), "without": float("inf")}
    ops = 1
    for _ in range(ROUNDS):  # in turn, so that a busy machine slows all alike
        for name in best:
            begin = time.perf_counter()
            if name == "bare":
                torch_network.step(network, inputs)
            else:
                with OpTrace(stacks=name == "with stacks") as trace:
                    torch_network.step(network, inputs)
                ops = len(trace)
            best[name] = min(best[name], time.perf_counter() - begin)
    bare = best.pop("bare")
    costs = [f"{(time_ - bare) / ops * 1e6:.0f} µs an op {name}" for name, time_ in best.items()]
    print(f"recording {ops} ops: {', '.join(costs)} (limit 100 with stacks)")


if __name__ == "__main__":
    if "torch" in sys.modules or Path(sys.prefix).name == PYTHON.parents[1].name:
        measure()
    else:
        run()
