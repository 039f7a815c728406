"""One training step of a small network, written down in every way that PyTorch has itself.

``python torch_formats.py DIRECTORY`` writes there what opdiff opens: et.json, profiler.json,
debug.txt, export.txt, readable.txt and graph.txt, and recorded.ir by opdiff's own recorder. With
``TORCH_LOGS=graph_code,aot_graphs`` set, the compiled step prints its graphs to standard error.
"""

import sys
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional
from torch.utils._debug_mode import DebugMode

from opdiff.record import OpTrace


class Network(nn.Module):
    """A normalised input, a gate and a sum: a few ops with numbers in them."""

    def __init__(self):
        super().__init__()
        self.widen = nn.Linear(16, 64)
        self.narrow = nn.Linear(32, 16)

    def forward(self, x):
        """The loss."""
        scaled = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        gate, value = self.widen(scaled).chunk(2, dim=-1)
        return self.narrow(functional.silu(gate) * value).square().sum()


def main(folder):
    """Write all files."""
    torch.manual_seed(0)
    network, x = Network(), torch.randn(4, 16)
    network(x).backward()

    with OpTrace(folder / "recorded.ir"):
        network(x).backward()

    with DebugMode(record_ids=True, record_nn_module=True, record_stack_trace=True) as debug:
        network(x).backward()
    (folder / "debug.txt").write_text(debug.debug_string())

    observer = torch.profiler.ExecutionTraceObserver().register_callback(str(folder / "et.json"))
    with torch.profiler.profile(record_shapes=True, with_stack=True) as profile:
        observer.start()
        network(x).backward()
        observer.stop()
    observer.unregister_callback()
    profile.export_chrome_trace(str(folder / "profiler.json"))

    program = torch.export.export(network, (x,))
    (folder / "export.txt").write_text(str(program))
    (folder / "readable.txt").write_text(program.graph_module.print_readable(print_output=False))
    (folder / "graph.txt").write_text(str(program.graph))

    torch.compile(network, backend="aot_eager")(x).backward()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
