"""A residual network: bottlenecks, channels weighed by what is in them, smoothed labels."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from lab.bugs import Bug, Variant
from lab.injection import Injection

BATCH, COLOURS, SIDE, CLASSES, SMOOTH = 3, 3, 10, 7, 0.1
BOTH = ("aot_eager", "decomposed")
PLAN = (
    ("1.0", 8, 4, 16, 1),
    ("1.1", 16, 4, 16, 1),
    ("1.2", 16, 4, 16, 1),
    ("2.0", 16, 8, 32, 2),
    ("2.1", 32, 8, 32, 1),
)

HELD_OUT = True
BUGS = (
    Bug("bare_shortcut", "missing op", "2.0", ("decomposed",)),
    Bug("pooled_shortcut", "other op", "2.0", ("aot_eager",)),
    Bug("relu_before_sum", "moved op", "1.1", BOTH),
    Bug("no_residual", "missing op", "2.1", ("aot_eager",)),
    Bug("hard_gate", "other op", "1.0", ("decomposed",)),
    Bug("no_gate", "missing op", "2.0", ("decomposed",)),
    Bug("gate_of_input", "wiring", "2.1", ("aot_eager",)),
    Bug("gate_of_largest", "reduction", "1.2", ("decomposed",)),
    Bug("stale_statistics", "stale statistics", "1.1", ("aot_eager",)),
    Bug("borrowed_norm", "other weight", "1.0", ("decomposed",)),
    Bug("gap_is_max", "reduction", None),
    Bug("not_smoothed", "loss", None, ("aot_eager",)),
    Bug("rounded_convolution", "cast", "2.0", ("decomposed",)),
    Bug("detached_gate", "detach", "1.1"),
    Bug("block_twice", "extra layer", "2.1", ("aot_eager",)),
    Bug("not_centred", "missing op", None, ("aot_eager",)),
    Bug("lost_bias", "missing operand", None),
    Bug("large_eps", "scalar", "1.1", ("decomposed",)),
    Bug("decays_norms", "optimizer", "norms", ("aot_eager",)),
    Bug("no_decay", "optimizer", "weights"),
    Bug("not_cleared", "phase"),
    Bug("no_clip", "phase", None),
)
VARIANTS = (Variant("aot_eager"), Variant("foreach"), Variant("rerun"))


class Bottleneck(nn.Module):
    """Three convolutions beside a shortcut, their channels weighed."""

    def __init__(
        self, lab: Injection, place: str, read: int, middle: int, written: int, stride: int
    ):
        super().__init__()
        self.lab, self.place, self.stride = lab, place, stride
        self.conv1 = nn.Conv2d(read, middle, 1, bias=False)
        self.conv2 = nn.Conv2d(middle, middle, 3, stride, 1, bias=False)
        self.conv3 = nn.Conv2d(middle, written, 1, bias=False)
        self.bn1, self.bn2, self.bn3 = (nn.BatchNorm2d(n) for n in (middle, middle, written))
        if lab.broken("large_eps", place):
            self.bn3.eps = 0.1
        self.squeeze, self.excite = nn.Conv2d(written, 4, 1), nn.Conv2d(4, written, 1)
        self.down = None
        if stride != 1 or read != written:
            self.down = nn.Conv2d(read, written, 1, stride, bias=False)
            self.bn_down = nn.BatchNorm2d(written)

    def gate(self, y, x):
        """How much of each channel goes on."""
        lab, place = self.lab, self.place
        with lab.site("gate_of_input", place):
            source = x if lab.broken("gate_of_input", place) else y
            with lab.site("detached_gate", place):
                if lab.broken("detached_gate", place):
                    source = source.detach()
            with lab.site("gate_of_largest", place):
                if lab.broken("gate_of_largest", place):
                    level = source.amax((2, 3), keepdim=True)
                else:
                    level = source.mean((2, 3), keepdim=True)
        level = self.excite(self.squeeze(level).relu())
        with lab.site("hard_gate", place):
            wrong = lab.broken("hard_gate", place)
            return functional.hardsigmoid(level) if wrong else level.sigmoid()

    def forward(self, x):
        """The next pictures."""
        lab, place = self.lab, self.place
        y = self.bn1(self.conv1(x)).relu()
        y = self.conv2(y)
        with lab.site("borrowed_norm", place), lab.site("stale_statistics", place):
            if lab.broken("stale_statistics", place):
                y = functional.batch_norm(
                    y, self.bn2.running_mean, self.bn2.running_var, self.bn2.weight, self.bn2.bias
                )
            else:
                y = self.bn1(y) if lab.broken("borrowed_norm", place) else self.bn2(y)
        y = y.relu()
        with lab.site("rounded_convolution", place):
            if lab.broken("rounded_convolution", place):
                y = functional.conv2d(y.bfloat16(), self.conv3.weight.bfloat16()).float()
            else:
                y = self.conv3(y)
        with lab.site("large_eps", place):
            y = self.bn3(y)
        with lab.site("no_gate", place):
            if not lab.broken("no_gate", place):
                g = self.gate(y, x)
                y = y * g
        shortcut = x
        if self.down is not None:
            with lab.site("pooled_shortcut", place):
                if lab.broken("pooled_shortcut", place):
                    shortcut = functional.conv2d(
                        functional.avg_pool2d(x, self.stride), self.down.weight
                    )
                else:
                    shortcut = self.down(x)
            with lab.site("bare_shortcut", place):
                if not lab.broken("bare_shortcut", place):
                    shortcut = self.bn_down(shortcut)
        with lab.site("relu_before_sum", place):
            if lab.broken("relu_before_sum", place):
                return y.relu() + shortcut
            with lab.site("no_residual", place, "aten::add"):
                if not lab.broken("no_residual", place):
                    y = y + shortcut
            return y.relu()


class Network(nn.Module):
    """Pictures in; a loss of their classes out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.stem, self.bn_stem = nn.Conv2d(COLOURS, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8)
        self.blocks = nn.ModuleList(Bottleneck(lab, *plan) for plan in PLAN)
        self.head = nn.Linear(32, CLASSES)
        self.register_buffer("mean", torch.tensor([0.4, 0.5, 0.6]).view(1, 3, 1, 1))
        self.register_buffer("spread", torch.tensor([0.2, 0.3, 0.25]).view(1, 3, 1, 1))

    def forward(self, pictures, classes):
        """The loss."""
        lab = self.lab
        x = pictures
        with lab.site("not_centred"):
            if not lab.broken("not_centred"):
                x = x - self.mean
        x = x / self.spread
        x = functional.max_pool2d(self.bn_stem(self.stem(x)).relu(), 3, 1, 1)
        for block in self.blocks:
            if lab.runs("checkpoint"):
                x = checkpoint(block, x, use_reentrant=False)
            elif lab.broken("block_twice", block.place):
                with lab.site("block_twice", block.place):
                    x = block(block(x))
            else:
                with lab.site("skipped_block", block.place):
                    if not lab.broken("skipped_block", block.place):
                        x = block(x)
        with lab.site("gap_is_max"):
            x = x.amax((2, 3)) if lab.broken("gap_is_max") else x.mean((2, 3))
        with lab.site("lost_bias"):
            x = functional.linear(
                x, self.head.weight, None if lab.broken("lost_bias") else self.head.bias
            )
        with lab.site("not_smoothed"):
            smooth = 0.0 if lab.broken("not_smoothed") else SMOOTH
            return functional.cross_entropy(x, classes, label_smoothing=smooth)


def step(lab: Injection) -> None:
    """One step; the gradients of the step before are still there."""
    network = Network(lab)
    with torch.no_grad():
        for name, buffer in network.named_buffers():
            if "running" in name:
                buffer.add_(0.1 * torch.rand_like(buffer))
    pictures, classes = torch.rand(BATCH, COLOURS, SIDE, SIDE), torch.tensor([1, 5, 2])
    named = list(network.named_parameters())
    weights = [p for n, p in named if p.dim() > 1]
    norms = [p for n, p in named if p.dim() == 1]
    decays = (
        0.0 if lab.broken("no_decay", "weights") else 0.05,
        0.05 if lab.broken("decays_norms", "norms") else 0.0,
    )
    of_weights, of_norms = (
        torch.optim.SGD(
            group,
            lr=0.1,
            momentum=0.9,
            nesterov=True,
            weight_decay=decay,
            foreach=lab.runs("foreach"),
        )
        for group, decay in zip((weights, norms), decays, strict=False)
    )
    for optimizer in (of_weights, of_norms):
        for p in optimizer.param_groups[0]["params"]:
            p.grad = 0.1 * torch.randn_like(p)
            optimizer.state[p]["momentum_buffer"] = torch.full_like(p, 0.01)
    run = lab.compiled(network)
    with lab.trace:
        with lab.site("not_cleared"):
            if not lab.broken("not_cleared"):
                network.zero_grad(set_to_none=False)
        loss = run(pictures, classes)
        lab.forward_ended(loss)
        loss.backward()
        lab.backward_ended(network.parameters())
        with lab.site("no_clip"):
            if not lab.broken("no_clip"):
                nn.utils.clip_grad_norm_(network.parameters(), 0.3, foreach=lab.runs("foreach"))
        with lab.site("no_decay", "weights", "weight_decay"):
            of_weights.step()
        with lab.site("decays_norms", "norms", "weight_decay"):
            of_norms.step()
        lab.step_ended(network.parameters())
