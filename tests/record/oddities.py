"""Small recordings that the tests look at, all in one process: importing torch takes seconds."""

import torch

from opdiff.record import OpTrace

with OpTrace("reuse.ir"):
    for _ in range(20):
        block = torch.ones(1000)
        del block

with OpTrace("resize.ir"):
    torch.ones(2, 3).resize_(6)

with OpTrace("dtypes.ir"):
    for name in "bool uint8 int64 float16 bfloat16 float64 complex64 float8_e4m3fn".split():
        torch.empty(1, dtype=getattr(torch, name))

try:
    with OpTrace("exception.ir.gz"):
        torch.ones(2) + torch.ones(3)
except RuntimeError:
    pass

with OpTrace("sparse.ir"):
    torch.eye(3).to_sparse().coalesce().to_dense()

with OpTrace(stacks=False) as trace:
    torch.ones(2)
try:
    trace.require_compiled()
except RuntimeError as error:
    print(error)
