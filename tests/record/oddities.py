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

library = torch.library.Library("odd", "DEF")
library.define("say(Tensor x, str text, *, Generator? source=None, float[] f=[]) -> Tensor")
library.impl("say", lambda x, text, source=None, f=(): x.clone(), "CPU")
TEXT = "a), task_info: 7, attrs {b} \n\r\0;c=d%3\"'\\é漢\U0001f600"

with OpTrace("arguments.ir"):
    x = torch.ones(2, 3)
    torch.add(x, x, alpha=2)
    torch.nn.functional.layer_norm(x, (3,), eps=1e-5)
    torch.nn.functional.gelu(x, approximate="tanh")
    x.masked_fill(x > 0, float("-inf"))
    torch.cat([x, x], -1)
    x.to(torch.bfloat16)
    torch.ops.odd.say(x, TEXT, source=torch.Generator(), f=[0.1, 1e300])
    torch.mul(x, 2 - 1j)

try:
    with OpTrace("exception.ir.gz"):
        torch.ones(2) + torch.ones(3)
except RuntimeError:
    pass

with OpTrace("sparse.ir"):
    torch.eye(3).to_sparse().coalesce().to_dense()


@torch.compile(backend="aot_eager")
def with_functions(x: torch.Tensor) -> torch.Tensor:
    """Ops that compiled graphs wrap: one that may fail, one that takes functions."""
    root = torch.linalg.cholesky(x)
    return torch.cond(root.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (root,))


identity = torch.eye(2)
with OpTrace("functions.ir", values="sketch"):
    print(with_functions(identity).shape)

with OpTrace(stacks=False) as trace:
    torch.ones(2)
try:
    trace.require_compiled()
except RuntimeError as error:
    print(error)
