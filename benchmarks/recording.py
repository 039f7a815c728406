"""What recording costs a PyTorch program: microseconds an op, with and without stacks and values.

A sketch is also measured against copying the tensor and against the hashes of PyTorch's DebugMode.
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
SIZES = {"4 K": 1 << 12, "64 K": 1 << 16, "1 M": 1 << 20, "16 M": 1 << 24}
"""Elements of the tensors that are measured; single precision."""


def run(ops: Sequence[int] = ()) -> None:
    """Measure where PyTorch is, else say that it is not; *ops* is the network's to decide."""
    if not PYTHON.exists():
        print("recording: no .venv-torch (make real makes it)")
        return
    subprocess.run([str(PYTHON), str(Path(__file__).resolve())], check=True)


def measure() -> None:
    """Whole programs, then single tensors."""
    import torch

    torch.set_num_threads(1)
    measure_network()
    measure_tensors()


def measure_network() -> None:
    """The four-layer sample network, forward and backward, bare and recorded; the best of many."""
    sys.path.insert(0, str(ROOT / "samples" / "scripts"))
    import torch_network

    from opdiff.record import OpTrace

    network, inputs = torch_network.prepared()
    ways: dict[str, dict[str, object]] = {
        "with stacks": {},
        "without": {"stacks": False},
        "with stacks and sketches": {"values": "sketch"},
    }
    best = dict.fromkeys(("bare", *ways), float("inf"))
    ops = 1
    for _ in range(ROUNDS):  # in turn, so that a busy machine slows all alike
        for name in best:
            begin = time.perf_counter()
            if name == "bare":
                torch_network.step(network, inputs)
            else:
                with OpTrace(**ways[name]) as trace:  # type: ignore[arg-type]
                    torch_network.step(network, inputs)
                ops = len(trace)
            best[name] = min(best[name], time.perf_counter() - begin)
    bare = best.pop("bare")
    costs = [f"{(time_ - bare) / ops * 1e6:.0f} µs an op {name}" for name, time_ in best.items()]
    print(f"recording {ops} ops: {', '.join(costs)} (limit 100 with stacks)")


def measure_tensors() -> None:
    """One sketch, as a multiple of what others cost for the same tensor."""
    import torch
    import torch.distributed.tensor  # DebugMode's hashes need it
    from torch.utils._debug_mode._utils import hash_tensor_fn, norm_hash_fn

    from opdiff.record import sketch

    print(f"{'elements':>9} {'sketch µs':>10} {'of clone':>9} {'of norm':>9} {'of hash':>9}")
    for name, size in SIZES.items():
        tensor = torch.randn(size)
        ways = {
            "sketch": lambda tensor=tensor: sketch(tensor),
            "clone": tensor.clone,
            "norm": lambda tensor=tensor: norm_hash_fn(tensor, use_scalar=True),
            "hash": lambda tensor=tensor: hash_tensor_fn(tensor, use_scalar=True),
        }
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(ROUNDS):
            for way, call in ways.items():
                begin = time.perf_counter()
                call()
                best[way] = min(best[way], time.perf_counter() - begin)
        cost = best.pop("sketch")
        ratios = " ".join(f"{cost / other:>9.2f}" for other in best.values())
        print(f"{name:>9} {cost * 1e6:>10.0f} {ratios}")


if __name__ == "__main__":
    if "torch" in sys.modules or Path(sys.prefix).name == PYTHON.parents[1].name:
        measure()
    else:
        run()
