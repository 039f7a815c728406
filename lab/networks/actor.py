"""An actor and a critic with a body of convolutions and a cell that remembers: a step of PPO."""

from __future__ import annotations

import math

import torch
from torch import nn

from lab.bugs import Bug, Variant
from lab.injection import Injection

TIME, PLAYERS, SIDE, CHANNELS, WIDTH, ACTIONS, EPOCHS = 4, 6, 8, 6, 16, 5, 2
DISCOUNT, TRACE, CLIP = 0.97, 0.9, 0.1

HELD_OUT = True
BUGS = (
    Bug("no_reset", "missing op", 2, ("decomposed",)),
    Bug("swapped_ratio", "swapped operands", None, ("decomposed",)),
    Bug("no_value_clip", "missing op", None, ("decomposed",)),
    Bug("plus_entropy", "sign", None, ("decomposed",)),
    Bug("flows_into_advantage", "detach"),
    Bug("swapped_cell", "wiring", 1, ("decomposed",)),
    Bug("stale_state", "wiring", 3, ("aot_eager",)),
    Bug("wrong_action", "slice", None, ("decomposed",)),
    Bug("no_zero_grad", "phase", 1),
    Bug("summed", "reduction", None, ("aot_eager",)),
    Bug("rounded_body", "cast", 0, ("core_aten",)),
    Bug("kept_dim", "broadcast", None, ("decomposed",)),
)
VARIANTS = (Variant("aot_eager"), Variant("decomposed"), Variant("core_aten"))


class Body(nn.Module):
    """Pictures in, what matters of them out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.layers = nn.ModuleList(
            (nn.Conv2d(2, CHANNELS, 3, 2, padding=1), nn.Conv2d(CHANNELS, 8, 3, 2, padding=1))
        )
        self.close = nn.Linear(8 * 4, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """A row for each picture."""
        lab = self.lab
        x = x / 255
        for number, layer in enumerate(self.layers):
            x = layer(x).relu()
            with lab.site("rounded_body", number):
                if lab.broken("rounded_body", number):
                    x = x.bfloat16().float()
        return self.close(x.flatten(1)).tanh()


class Player(nn.Module):
    """A body, a cell that remembers, and two heads."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.body = Body(lab)
        self.read, self.recall = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(WIDTH, 4 * WIDTH)
        self.act, self.judge = nn.Linear(WIDTH, ACTIONS), nn.Linear(WIDTH, 1)

    def forward(
        self, pictures: torch.Tensor, starts: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Log chances of actions, and values."""
        lab = self.lab
        told = self.read(self.body(pictures.flatten(0, 1))).view(TIME, PLAYERS, -1)
        hidden = cell = torch.zeros(PLAYERS, WIDTH)
        found, before = [], hidden
        for moment in range(TIME):
            with lab.site("no_reset", moment):
                if not lab.broken("no_reset", moment):
                    kept = (1 - starts[moment])[:, None]
                    hidden, cell = hidden * kept, cell * kept
            with lab.site("stale_state", moment, "aten::addmm"):
                stale = lab.broken("stale_state", moment)
                gates = told[moment] + self.recall(before if stale else hidden)
            into, forget, new, out = gates.chunk(4, dim=1)
            with lab.site("swapped_cell", moment):
                if lab.broken("swapped_cell", moment):
                    into, forget = forget, into
                cell = forget.sigmoid() * cell + into.sigmoid() * new.tanh()
            before = hidden
            hidden = out.sigmoid() * cell.tanh()
            found.append(hidden)
        x = torch.stack(found).flatten(0, 1)
        logits = self.act(x)
        values = self.judge(x)
        with lab.site("kept_dim"):
            if not lab.broken("kept_dim"):
                values = values.squeeze(-1)
        return logits.log_softmax(dim=-1), values


class Objective(nn.Module):
    """The loss of PPO."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab, self.player = lab, Player(lab)

    def forward(
        self,
        pictures: torch.Tensor,
        starts: torch.Tensor,
        actions: torch.Tensor,
        old_chances: torch.Tensor,
        old_values: torch.Tensor,
        advantages: torch.Tensor,
        returns: torch.Tensor,
    ) -> torch.Tensor:
        """What the policy, the critic and the entropy ask for."""
        lab = self.lab
        logs, values = self.player(pictures, starts)
        with lab.site("wrong_action"):
            chosen = actions.roll(1, 0) if lab.broken("wrong_action") else actions
        mine = logs.gather(1, chosen[:, None]).squeeze(-1)
        with lab.site("swapped_ratio"):
            if lab.broken("swapped_ratio"):
                ratio = (old_chances - mine).exp()
            else:
                ratio = (mine - old_chances).exp()
        one = ratio * advantages
        two = ratio.clamp(1 - CLIP, 1 + CLIP) * advantages
        least = torch.minimum(one, two)
        with lab.site("summed"):
            of_actor = -(least.sum() if lab.broken("summed") else least.mean())
        off = (values - returns).square()
        with lab.site("no_value_clip"):
            if not lab.broken("no_value_clip"):
                near = old_values + (values - old_values).clamp(-CLIP, CLIP)
                off = torch.maximum(off, (near - returns).square())
        of_critic = 0.5 * off.mean()
        entropy = -(logs.exp() * logs).sum(dim=-1).mean()
        with lab.site("plus_entropy"):
            if lab.broken("plus_entropy"):
                return of_actor + 0.5 * of_critic + 0.01 * entropy
            return of_actor + 0.5 * of_critic - 0.01 * entropy


def advantages_of(values: torch.Tensor, rewards: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    """Generalised advantages, from the last moment to the first."""
    last = torch.zeros(PLAYERS)
    found = []
    for moment in reversed(range(TIME)):
        following = values[moment + 1] * (1 - ends[moment])
        surprise = rewards[moment] + DISCOUNT * following - values[moment]
        last = surprise + DISCOUNT * TRACE * (1 - ends[moment]) * last
        found.append(last)
    return torch.stack(found[::-1])


def step(lab: Injection) -> None:
    """Two passes over the same moments."""
    network = Objective(lab)
    judge = nn.Linear(6, 1)
    pictures = 255 * torch.rand(TIME, PLAYERS, 2, SIDE, SIDE)
    starts = (torch.rand(TIME, PLAYERS) < 0.5).float()
    ends = (torch.rand(TIME, PLAYERS) < 0.3).float()
    features = torch.randn(TIME + 1, PLAYERS, 6)
    rewards = torch.randn(TIME, PLAYERS)
    actions = torch.randint(ACTIONS, (TIME, PLAYERS))
    old_chances = -math.log(ACTIONS) + 0.2 * torch.randn(TIME, PLAYERS)
    parameters = [*network.parameters(), *judge.parameters()]
    for parameter in parameters:
        parameter.grad = 0.05 * torch.randn_like(parameter)
    optimizer = torch.optim.Adam(parameters, lr=0.01, eps=1e-5)
    run = lab.compiled(network)

    with lab.trace:
        values = judge(features).squeeze(-1)
        with lab.site("flows_into_advantage"):
            given = values if lab.broken("flows_into_advantage") else values.detach()
        advantages = advantages_of(given, rewards, ends)
        returns = advantages + given[:-1]
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        for epoch in range(EPOCHS):
            with lab.site("no_zero_grad", epoch):
                if not lab.broken("no_zero_grad", epoch):
                    optimizer.zero_grad(set_to_none=False)
            loss = run(
                pictures,
                starts,
                actions.flatten(),
                old_chances.flatten(),
                given[:-1].detach().flatten(),
                advantages.flatten(),
                returns.flatten(),
            )
            wrong = 0.5 * (values[:-1] - returns.detach()).square().mean()
            loss = loss + wrong
            lab.forward_ended(loss)
            last = epoch == EPOCHS - 1
            loss.backward(retain_graph=not last)
            if last:
                lab.backward_ended(parameters)
            nn.utils.clip_grad_norm_(parameters, 0.05)
            optimizer.step()
        lab.step_ended(parameters)
