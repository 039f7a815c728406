"""Optimizers written out, so that single lines of them can be wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import nn

from lab.injection import Injection

Group = tuple[str, Sequence[nn.Parameter]]


def split(network: nn.Module, second: str) -> list[list[nn.Parameter]]:
    """The parameters in two groups; those of the second have one of the words in their names."""
    groups: list[list[nn.Parameter]] = [[], []]
    for name, parameter in network.named_parameters():
        groups[any(word in name for word in second.split())].append(parameter)
    return groups


def clip(parameters: Iterable[nn.Parameter], limit: float) -> None:
    """Scale all gradients so that their common norm is at most the limit."""
    with torch.no_grad():
        gradients = [p.grad for p in parameters if p.grad is not None]
        norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
        scale = (limit / (norm + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(scale)


class AdamW:
    """Adam with decoupled decay for the groups that want it."""

    def __init__(self, lab: Injection, groups: Sequence[tuple[str, Sequence[nn.Parameter], float]]):
        self._lab = lab
        self._groups = groups
        self._moments = {
            p: (torch.zeros_like(p), torch.zeros_like(p)) for _, group, _ in groups for p in group
        }

    @torch.no_grad()
    def step(self, rate: float = 1e-2, count: int = 1) -> None:
        """Decay the weights, follow the moments of the gradients, move."""
        lab = self._lab
        for name, group, decay in self._groups:
            for p in group:
                if p.grad is None:
                    continue
                wrong = lab.broken("other_decay", name)
                with lab.site("other_decay", name):
                    if (decay > 0) != wrong:
                        p.mul_(1 - rate * (decay or 0.1))
                first, second = self._moments[p]
                first.lerp_(p.grad, 0.1)
                second.mul_(0.99).addcmul_(p.grad, p.grad, value=0.01)
                spread = second.sqrt() / (1 - 0.99**count) ** 0.5
                p.addcdiv_(first, spread.add_(1e-8), value=-rate / (1 - 0.9**count))


class Momentum:
    """Gradient descent with momentum, and with look-ahead where it is wrong."""

    def __init__(self, lab: Injection, groups: Sequence[Group]):
        self._lab = lab
        self._groups = groups
        self._velocity = {p: torch.full_like(p, 0.01) for _, group in groups for p in group}

    @torch.no_grad()
    def step(self, rate: float = 0.1) -> None:
        """Add up gradients, then move."""
        lab = self._lab
        for name, group in self._groups:
            for p in group:
                if p.grad is None:
                    continue
                velocity = self._velocity[p]
                with lab.site("no_momentum", name):
                    if lab.broken("no_momentum", name):
                        velocity.copy_(p.grad)
                    else:
                        velocity.mul_(0.9).add_(p.grad)
                change = velocity
                with lab.site("nesterov", name):
                    if lab.broken("nesterov", name):
                        change = p.grad.add(velocity, alpha=0.9)
                p.add_(change, alpha=-rate)
