"""Two recurrent layers, the second in both directions: what a sentence is about, and its tags."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from lab.bugs import Bug, Variant
from lab.injection import Injection
from lab.networks.optimizers import split

BATCH, MOMENTS, WIDTH, STATE, WORDS, TOPICS, TAGS = 3, 6, 10, 8, 30, 4, 5
BOTH = ("aot_eager", "decomposed")

BUGS = (
    Bug("swapped_gates", "wiring", "lower", BOTH),
    Bug("no_push", "missing op", "onward", ("decomposed",)),
    Bug("bare_memory", "missing op", "lower", ("aot_eager",)),
    Bug("cut_state", "detach", "lower.3"),
    Bug("no_mask", "mask", "back", BOTH),
    Bug("inverted_mask", "mask", "onward", ("decomposed",)),
    Bug("not_turned_back", "missing op"),
    Bug("stale_state", "wiring", "lower.4"),
    Bug("borrowed_weight", "other weight", "back", ("decomposed",)),
    Bug("no_norm", "missing op", None, ("aot_eager",)),
    Bug("lost_bias", "missing operand", "lower", BOTH),
    Bug("rounded_memory", "cast", "onward", ("aot_eager",)),
    Bug("hard_gate", "other op", "back", ("decomposed",)),
    Bug("mean_of_padding", "missing op", None, ("decomposed",)),
    Bug("no_tags", "loss", None, ("aot_eager",)),
    Bug("sum_of_tags", "reduction", None, ("decomposed",)),
    Bug("softmax_twice", "extra op", None),
    Bug("not_cleared", "phase"),
    Bug("no_momentum", "optimizer", "biases", ("aot_eager",)),
    Bug("clears_late", "phase"),
)
VARIANTS = (Variant("aot_eager"), Variant("decomposed"), Variant("foreach"), Variant("rerun"))


class Cell(nn.Module):
    """One moment of one direction."""

    def __init__(self, lab: Injection, place: str, width: int):
        super().__init__()
        self.lab, self.place = lab, place
        self.read = nn.Linear(width, 4 * STATE)
        self.recall = nn.Linear(STATE, 4 * STATE, bias=False)

    def forward(
        self, x: torch.Tensor, state: torch.Tensor, memory: torch.Tensor, weight: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The next state and memory."""
        lab, place = self.lab, self.place
        with lab.site("lost_bias", place):
            bias = None if lab.broken("lost_bias", place) else self.read.bias
            fresh = functional.linear(x, self.read.weight, bias)
        with lab.site("borrowed_weight", place):
            known = functional.linear(state, weight)
        opened, kept, new, shown = (fresh + known).chunk(4, dim=1)
        if lab.broken("swapped_gates", place):
            opened, kept = kept, opened
        with lab.site("swapped_gates", place):
            with lab.site("no_push", place):
                if not lab.broken("no_push", place):
                    kept = kept + 1.0
            with lab.site("hard_gate", place):
                if lab.broken("hard_gate", place):
                    opened = functional.hardsigmoid(opened)
                else:
                    opened = opened.sigmoid()
            kept = kept.sigmoid()
        memory = kept * memory + opened * new.tanh()
        with lab.site("rounded_memory", place):
            if lab.broken("rounded_memory", place):
                memory = memory.bfloat16().float()
        with lab.site("bare_memory", place):
            seen = memory if lab.broken("bare_memory", place) else memory.tanh()
        return shown.sigmoid() * seen, memory


class Direction(nn.Module):
    """A cell run over a sentence; where the sentence has ended the state stays."""

    def __init__(self, lab: Injection, place: str, width: int):
        super().__init__()
        self.lab, self.place = lab, place
        self.cell = Cell(lab, place, width)

    def forward(
        self, moments: torch.Tensor, there: torch.Tensor, weight: torch.Tensor
    ) -> torch.Tensor:
        """The state after each moment; moments are the second dimension."""
        lab, place = self.lab, self.place
        state = memory = before = moments.new_zeros(BATCH, STATE)
        states = []
        for number in range(MOMENTS):
            at = f"{place}.{number}"
            with lab.site("skipped_moment", at):
                if not lab.broken("skipped_moment", at):
                    with lab.site("cut_state", at):
                        if lab.broken("cut_state", at):
                            state = state.detach()
                    old = before if lab.broken("stale_state", at) else state
                    with lab.site("stale_state", at, "aten::mm"):
                        new, remembered = self.cell(moments[:, number], old, memory, weight)
                    before = state
                    now = there[:, number, None]
                    with lab.site("no_mask", place), lab.site("inverted_mask", place):
                        if lab.broken("no_mask", place):
                            state, memory = new, remembered
                        elif lab.broken("inverted_mask", place):
                            state = torch.where(now, state, new)
                            memory = torch.where(now, memory, remembered)
                        else:
                            state = torch.where(now, new, state)
                            memory = torch.where(now, remembered, memory)
            states.append(state)
        return torch.stack(states, dim=1)


class Tagger(nn.Module):
    """Words in; topics and tags out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.words = nn.Embedding(WORDS, WIDTH)
        self.lower = Direction(lab, "lower", WIDTH)
        self.onward, self.back = Direction(lab, "onward", STATE), Direction(lab, "back", STATE)
        self.norm = nn.LayerNorm(STATE)
        self.topic, self.tag = nn.Linear(2 * STATE, TOPICS), nn.Linear(2 * STATE, TAGS)

    def forward(
        self, words: torch.Tensor, topics: torch.Tensor, tags: torch.Tensor
    ) -> torch.Tensor:
        """The loss of the topics, and some of that of the tags."""
        lab = self.lab
        there = words != 0
        x = self.lower(self.words(words), there, self.lower.cell.recall.weight)
        with lab.site("no_norm"):
            if not lab.broken("no_norm"):
                x = self.norm(x)
        own = self.onward.cell.recall.weight, self.back.cell.recall.weight
        onward = self.onward(x, there, own[0])
        weight = own[0] if lab.broken("borrowed_weight", "back") else own[1]
        back = self.back(x.flip(1), there.flip(1), weight)
        with lab.site("not_turned_back"):
            if not lab.broken("not_turned_back"):
                back = back.flip(1)
        both = torch.cat((onward, back), dim=2)

        with lab.site("mean_of_padding"):
            if lab.broken("mean_of_padding"):
                pooled = both.mean(dim=1)
            else:
                used = there[..., None].float()
                pooled = (both * used).sum(dim=1) / used.sum(dim=1)
        guessed = self.topic(pooled)
        with lab.site("softmax_twice"):
            if lab.broken("softmax_twice"):
                guessed = guessed.softmax(dim=1)
        loss = functional.cross_entropy(guessed, topics)

        with lab.site("no_tags"):
            if not lab.broken("no_tags"):
                each = functional.cross_entropy(
                    self.tag(both).transpose(1, 2), tags, reduction="none"
                )
                each = each.masked_fill(~there, 0.0)
                with lab.site("sum_of_tags"):
                    if lab.broken("sum_of_tags"):  # noqa: SIM108
                        of_tags = each.sum()
                    else:
                        of_tags = each.sum() / there.sum()
                loss = loss + 0.3 * of_tags
        return loss


def step(lab: Injection) -> None:
    """One step with momentum; the gradients of the step before are still there."""
    network = Tagger(lab)
    words = torch.randint(1, WORDS, (BATCH, MOMENTS))
    words[1, 4:], words[2, 3:] = 0, 0
    topics, tags = torch.randint(TOPICS, (BATCH,)), torch.randint(TAGS, (BATCH, MOMENTS))
    weights, biases = split(network, "bias norm")
    wrong = lab.broken("no_momentum", "biases")
    of_weights, of_biases = (
        torch.optim.SGD(group, lr=0.1, momentum=momentum, foreach=lab.runs("foreach"))
        for group, momentum in ((weights, 0.9), (biases, 0.0 if wrong else 0.9))
    )
    for optimizer in (of_weights, of_biases):
        for parameter in optimizer.param_groups[0]["params"]:
            parameter.grad = 0.1 * torch.randn_like(parameter)
            optimizer.state[parameter]["momentum_buffer"] = torch.full_like(parameter, 0.01)
    run = lab.compiled(network)
    late = lab.broken("clears_late")
    with lab.trace:
        with lab.site("not_cleared"), lab.site("clears_late"):
            if not lab.broken("not_cleared") and not late:
                network.zero_grad(set_to_none=False)
        loss = run(words, topics, tags)
        lab.forward_ended(loss)
        loss.backward()
        with lab.site("clears_late"):
            if late:
                network.zero_grad(set_to_none=False)
        lab.backward_ended(network.parameters())
        of_weights.step()
        with lab.site("no_momentum", "biases", "momentum"):
            of_biases.step()
        lab.step_ended(network.parameters())
