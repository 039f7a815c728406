"""``python -m lab.torch_runs FOLDER [GLOB]``: record the runs of the PyTorch networks there."""

from __future__ import annotations

import torch

from lab.recording import record
from lab.running import record_all

NETWORKS = (
    "encoder speech recommender gan moe painter detector translator actor "
    "decoder tagger residual experts"
).split()

if __name__ == "__main__":
    torch.set_num_threads(1)
    record_all("", [f"lab.networks.{name}" for name in NETWORKS], record)
