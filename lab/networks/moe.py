"""A mixture of experts: two a word, chosen by a router, each with room for few words."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from lab.bugs import NEEDS_SCALARS, Bug, Variant
from lab.injection import Injection
from lab.networks.optimizers import clip, split

COUNT, WORDS, WIDTH, BLOCKS, EXPERTS, ROOM = 24, 40, 16, 2, 4, 10

BUGS = (
    Bug("no_renorm", "missing op", 1, ("aot_eager", "decomposed")),
    Bug("no_balance", "loss", None, ("decomposed",)),
    Bug("no_capacity", "missing op", 0, ("aot_eager",)),
    Bug("same_seats", "missing op", 1, ("aot_eager",), held_out=True),
    Bug("relu", "other op", "1.2", ("decomposed",)),
    Bug("borrowed_weights", "other weight", "1.3", ("aot_eager",)),
    Bug("detached_router", "detach", 0),
    Bug("no_gates", "wiring", 1, ("decomposed",)),
    Bug("lost_residual", "missing op", 0, ("core_aten",), held_out=True),
    Bug("rounded_router", "dtype", 1, ("aot_eager",)),
    Bug("same_choice", "missing op", 0, ("decomposed",)),
    Bug("late_clip", "phase"),
    Bug("no_decay", "optimizer", "experts"),
    Bug("balances_second", "wiring", 1, held_out=True),
    Bug("narrow", "scalar", 1, note=NEEDS_SCALARS),
)
VARIANTS = (
    Variant("aot_eager"),
    Variant("recording"),
    Variant("checkpoint"),
    Variant("foreach"),
    Variant("other_order"),
    Variant("core_aten"),
)


class Router(nn.Module):
    """Which two experts a word goes to, with what weight, and on which of their seats."""

    def __init__(self, lab: Injection, block: int):
        super().__init__()
        self.lab, self.block = lab, block
        self.judge = nn.Linear(WIDTH, EXPERTS, bias=False)

    def chances(self, x: torch.Tensor) -> torch.Tensor:
        """How much each expert is wanted, computed in double precision."""
        lab, block = self.lab, self.block
        with lab.site("detached_router", block):
            if lab.broken("detached_router", block):
                x = x.detach()
        logits = self.judge(x)
        with lab.site("rounded_router", block):
            rounded = lab.broken("rounded_router", block)
            logits = logits.bfloat16() if rounded else logits.double()
            return logits.softmax(dim=-1).float()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights by word, expert and seat; and how unevenly words are spread."""
        lab, block = self.lab, self.block
        chances = self.chances(x)
        first = functional.one_hot(chances.argmax(dim=-1), EXPERTS).float()
        others = chances
        with lab.site("same_choice", block):
            if not lab.broken("same_choice", block):
                others = chances * (1 - first)
        second = functional.one_hot(others.argmax(dim=-1), EXPERTS).float()
        with lab.site("balances_second", block):
            chosen = second if lab.broken("balances_second", block) else first
            spread = chosen.mean(dim=0)
        uneven = EXPERTS * (chances.mean(dim=0) * spread).sum()
        first_seat = first.cumsum(dim=0) - 1
        second_seat = second.cumsum(dim=0) - 1
        with lab.site("same_seats", block):
            if not lab.broken("same_seats", block):
                second_seat = second_seat + first.sum(dim=0)
        with lab.site("no_capacity", block):
            if not lab.broken("no_capacity", block):
                with lab.site("narrow", block):
                    room = ROOM - 3 if lab.broken("narrow", block) else ROOM
                    first = first * (first_seat < room)
                    second = second * (second_seat < room)
        gates = [(chances * choice).sum(dim=-1) for choice in (first, second)]
        with lab.site("no_renorm", block):
            if not lab.broken("no_renorm", block):
                total = (gates[0] + gates[1]).clamp(min=1e-6)
                gates = [gate / total for gate in gates]
        weights = self.seated(gates[0], first, first_seat)
        return weights + self.seated(gates[1], second, second_seat), uneven

    @staticmethod
    def seated(gate: torch.Tensor, choice: torch.Tensor, seat: torch.Tensor) -> torch.Tensor:
        """The weight of a choice at the seat it got, zero elsewhere."""
        places = (seat * choice).sum(dim=-1).clamp(max=ROOM - 1).long()
        seats = functional.one_hot(places, ROOM).float()
        return (gate[:, None] * choice)[:, :, None] * seats[:, None, :]


class Block(nn.Module):
    """Normalise, send to the experts, bring back, add."""

    def __init__(self, lab: Injection, block: int):
        super().__init__()
        self.lab, self.block = lab, block
        self.norm, self.router = nn.LayerNorm(WIDTH), Router(lab, block)
        self.expert_in = nn.ParameterList(
            torch.randn(WIDTH, 2 * WIDTH) * 0.3 for _ in range(EXPERTS)
        )
        self.expert_out = nn.ParameterList(
            torch.randn(2 * WIDTH, WIDTH) * 0.3 for _ in range(EXPERTS)
        )

    def expert(self, number: int, words: torch.Tensor) -> torch.Tensor:
        """What one expert makes of its words."""
        lab, place = self.lab, f"{self.block}.{number}"
        with lab.site("borrowed_weights", place):
            borrowed = lab.broken("borrowed_weights", place)
            wide = words @ self.expert_in[number - 1 if borrowed else number]
        with lab.site("relu", place):
            wide = wide.relu() if lab.broken("relu", place) else functional.gelu(wide)
        return wide @ self.expert_out[number]

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The words after this block, and the imbalance of its router."""
        lab, block = self.lab, self.block
        normal = self.norm(x)
        weights, uneven = self.router(normal)
        taken = (weights > 0).float()
        sent = torch.einsum("nec,nd->ecd", taken, normal)
        order = range(EXPERTS)[:: -1 if lab.runs("other_order") else 1]
        made = {number: self.expert(number, sent[number]) for number in order}
        together = torch.stack([made[number] for number in range(EXPERTS)])
        with lab.site("no_gates", block):
            used = taken if lab.broken("no_gates", block) else weights
            back = torch.einsum("nec,ecd->nd", used, together)
        with lab.site("lost_residual", block):
            return back if lab.broken("lost_residual", block) else x + back, uneven


class Mixture(nn.Module):
    """Words in, the loss of guessing the next one out, and how unevenly experts were used."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList(Block(lab, number) for number in range(BLOCKS))
        self.guess = nn.Linear(WIDTH, WORDS)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """The loss of all words but the first."""
        lab = self.lab
        x = self.embed(words)
        total = None
        for block in self.blocks:
            if lab.runs("checkpoint"):
                x, uneven = checkpoint(block, x, use_reentrant=False)
            else:
                x, uneven = block(x)
            total = uneven if total is None else total + uneven
        loss = functional.cross_entropy(self.guess(x[:-1]), words[1:])
        with lab.site("no_balance"):
            return loss if lab.broken("no_balance") else loss + 0.05 * total


def step(lab: Injection) -> None:
    """One step of AdamW, the experts decayed more than the rest."""
    network = Mixture(lab)
    words = torch.randint(WORDS, (COUNT,))
    others, experts = split(network, "expert")
    together = lab.runs("foreach")
    of_others = torch.optim.AdamW(others, lr=0.01, foreach=together)
    optimizer = torch.optim.Adam if lab.broken("no_decay", "experts") else torch.optim.AdamW
    of_experts = optimizer(experts, lr=0.01, foreach=together)
    run = lab.compiled(network)
    late = lab.broken("late_clip")
    with lab.trace:
        loss = run(words)
        lab.forward_ended(loss)
        loss.backward()
        lab.backward_ended(network.parameters())
        with lab.site("late_clip"):
            if not late:
                clip(network.parameters(), 0.5)
        of_others.step()
        with lab.site("no_decay", "experts", "weight_decay"):
            of_experts.step()
        with lab.site("late_clip"):
            if late:
                clip(network.parameters(), 0.5)
        lab.step_ended(network.parameters())
