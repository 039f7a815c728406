"""Recordings with values, all in one process; arrays beside them for the tests to measure again."""

import json
import sys
import threading
import warnings

import numpy as np
import torch
from torch import nn

from opdiff.record import OpTrace, recording_backend, sketch

torch.manual_seed(1)
facts = {}


def keep(name, tensor):
    """Leave a tensor for the test, as it is now."""
    np.save(f"{name}.npy", tensor.detach().contiguous().numpy())


# In place: what was read is what was there before, what was written what is there afterwards.
x = torch.randn(3, 50)
keep("in_place_before", x)
with OpTrace("in_place.ir", values="stats"):
    x.mul_(3.0)
    x.add_(x)
    torch.sub(x, 1.0, out=x)
keep("in_place_after", x)

# Views share what was measured, whatever their shapes; a write through one of them is noticed.
x = torch.randn(40, 251)
with OpTrace("views.ir", values="sketch") as trace:
    y = x.view(251, 40).unsqueeze(0).detach()
    z = x.t()
    z.relu_()
    y + 1.0
facts["views measured"] = len(trace._prints._facts)
keep("views", y)

# Nothing is measured twice after a write that is known: its result is what the next op reads.
x = torch.zeros(8)
with OpTrace("known_writes.ir", values="sketch") as trace:
    for _ in range(5):
        x.add_(1.0)
facts["writes measured"] = len(trace._prints._facts)

# Many sizes, dtypes and layouts.
sizes = [
    (),
    (0,),
    (1,),
    (15,),
    (4016,),
    (4017,),
    (3, 4016),
    (123, 457),
    (260, 4096),
    (2, 3, 1100, 500),
]
with OpTrace("sizes.ir.gz", values="stats"):
    for number, size in enumerate(sizes):
        keep(f"size{number}", torch.randn(size).exp() + 0.0)
        tensor = torch.from_numpy(np.load(f"size{number}.npy"))
        tensor.view(-1)
        if tensor.dim() == 2:
            keep(f"turned{number}", tensor.t())
            tensor.t().unsqueeze(0)
dtypes = "bool uint8 int8 int32 int64 float16 float64 complex64 complex128".split()
with OpTrace("dtypes.ir", values="stats"):
    for name in dtypes:
        tensor = (torch.randn(5, 701, dtype=torch.float64) * 50).to(getattr(torch, name))
        keep(f"dtype_{name}", tensor)
        tensor.view(-1)
    low = torch.randn(900).to(torch.bfloat16)
    keep("dtype_bfloat16", low.float())
    low.view(-1)
    torch.complex(torch.ones(3), torch.ones(3)).conj().imag.view(-1)

# What is not finite counts apart.
masked = torch.randn(60, 80)
masked[masked > 1.0] = float("-inf")
masked[0, 0], masked[0, 1] = float("nan"), float("inf")
keep("masked", masked)
with OpTrace("not_finite.ir", values="stats"):
    masked.view(-1)
    torch.full((7,), float("nan")).view(-1)
    torch.full((9,), 1e30).view(-1)
    torch.full((9,), 1e-30).view(-1)
    torch.zeros(9).view(-1)

# What was only allocated holds nothing; written bit by bit it holds something in the end.
with OpTrace("allocated.ir", values="sketch"):
    buffer = torch.empty(2, 8)
    buffer[0].copy_(torch.ones(8))
    buffer[1].copy_(torch.ones(8))
    buffer + 1.0
    torch.empty_like(buffer).fill_(3.0)

    # This one returns a table that it fills in part only.
    targets = torch.tensor([[1, 2], [2, 1]])
    lengths = torch.tensor([6, 5]), torch.tensor([2, 1])
    torch.nn.functional.ctc_loss(torch.zeros(6, 2, 4).log_softmax(-1), targets, *lengths)

# Ops that write and return nothing, and one that updates its arguments on the quiet.
x, y = torch.ones(4), torch.ones(6)
norm = nn.BatchNorm1d(6)
with OpTrace("quiet.ir", values="sketch"):
    torch._foreach_mul_([x, y], 2.0)
    x + y.sum()
    norm(torch.randn(5, 6))
    norm.running_mean + 0.0

# A hash of every bit.
for name, values in (("first", [1.0, 2.0]), ("equal", [1.0, 2.0]), ("other", [1.0, 2.0000002])):
    with OpTrace(f"hash_{name}.ir", values="hash"):
        torch.tensor(values) + 0.0


class Net(nn.Module):
    """Two layers, with a view, a mask and an op in place."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, x):
        """A loss."""
        x = torch.relu(self.one(x)).reshape(4, 2, 64)
        x = x.masked_fill(x > 2.0, float("-inf")).softmax(-1) * 3.0
        x += 1.0
        return self.two(x).square().mean()


def train(path, *, threads=False, compiled=None, **options):
    """One step of training, recorded."""
    torch.manual_seed(0)
    torch._dynamo.reset()
    net, data = Net(), torch.randn(8, 32)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    with OpTrace(path, values="sketch", **options) as trace:
        called = net
        if compiled:
            backend = recording_backend(trace) if compiled == "nodes" else compiled
            called = torch.compile(net, backend=backend)
        loss = called(data)
        loss.backward()
        optimizer.step()
    if compiled:
        trace.require_compiled()
    return trace, loss.item(), net


for name, options in {
    "net": {},
    "net_again": {},
    "net_no_stacks": {"stacks": False},
    "net_aot": {"compiled": "aot_eager"},
    "net_nodes": {"compiled": "nodes"},
}.items():
    facts[name] = train(f"{name}.ir", **options)[1]

# The recorder disturbs nothing, and nothing disturbs the recorder.
torch.manual_seed(0)
data = torch.randn(8, 32)
net = Net()
plain = net(data)
plain.backward()
gradients = [parameter.grad.clone() for parameter in net.parameters()]
net.zero_grad()
with OpTrace(values="stats"):
    loss = net(data)
    loss.backward()
facts["undisturbed"] = bool(plain == loss) and all(
    torch.equal(gradient, parameter.grad)
    for gradient, parameter in zip(gradients, net.parameters(), strict=True)
)
big = torch.randn(64, 4096)
keep("cast", big)
with OpTrace("cast.ir", values="sketch"), torch.autocast("cpu", dtype=torch.bfloat16):
    big.view(-1)
with torch.inference_mode(), OpTrace("inference.ir", values="sketch"):
    x = torch.ones(5)
    x.add_(1.0)
    x + 1.0


class Nested(torch.autograd.Function):
    """A backward that runs a backward, so deep that PyTorch goes on in another thread."""

    @staticmethod
    def forward(ctx, x, depth):
        """The same number."""
        ctx.depth = depth
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        """The gradient of what is nested in it."""
        facts.setdefault("threads", set()).add(threading.get_ident())
        if ctx.depth:
            with torch.enable_grad():
                inner = gradient.detach().requires_grad_()
                Nested.apply(inner, ctx.depth - 1).sum().backward()
        return gradient * 2.0, None


x = torch.ones(3, requires_grad=True)
sys.setrecursionlimit(5000)
with OpTrace("threads.ir", values="sketch") as trace:
    Nested.apply(x, 70).sum().backward()
facts["threads"] = len(facts["threads"])

# Values of an earlier trace go with it; a file that is none of ours stays.
with OpTrace("stale.ir", values="sketch"):
    torch.ones(2)
with open("foreign.values.csv", "w") as file:
    file.write("mine\n")
for name in ("stale", "foreign"):
    with OpTrace(f"{name}.ir"):
        torch.ones(2)

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    with OpTrace("sparse.ir", values="sketch"):
        torch.eye(3).to_sparse().to_dense()
facts["warned"] = [str(warning.message) for warning in caught]

try:
    OpTrace(values="everything")
except ValueError as error:
    facts["refused"] = str(error)

# The same sketch in PyTorch's own DebugMode, whose comparison understands it.
import torch.distributed.tensor  # noqa: E402 - DebugMode needs it
from torch.utils._debug_mode import DebugMode  # noqa: E402

logs = []
for scale in (1.0, 1.01):
    data = torch.linspace(-1, 1, 5000)
    with DebugMode() as mode, DebugMode.log_tensor_hashes(hash_fn=sketch, hash_inputs=True):
        (data * scale).exp()
    logs.append(mode.logs)
    if scale == 1.0:
        facts["debug string"] = mode.debug_string()
        facts["sketch"] = repr(sketch((data * scale).exp()))
facts["mismatches"] = [
    (mismatch["call"], mismatch["rel_diff"], mismatch["is_input_hash"])
    for mismatch in DebugMode.check_hash_mismatches(*logs, compare_inputs=True)
]

print(json.dumps(facts))
