"""Two ranks of PyTorch: a step with a mistake on one of them, recorded. Run by a launcher."""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist

from opdiff.record import OpTrace

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
layer = torch.nn.Linear(8, 8)
pair = dist.new_group([0, 1])
wrong = rank == 1 and sys.argv[2:] == ["wrong"]
with OpTrace(sys.argv[1], values="stats"):
    hidden = layer(torch.ones(4, 8)).relu()
    if wrong:
        hidden = hidden * 2
    dist.all_reduce(hidden)
    parts = [torch.empty_like(hidden) for _ in range(2)]
    dist.all_gather(parts, hidden, group=pair)
    if rank == 0:
        dist.send(hidden, 1)
    else:
        dist.recv(hidden, 0)
dist.destroy_process_group()
