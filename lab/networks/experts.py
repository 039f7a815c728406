"""A transformer whose perceptrons are experts, two a token, and one that all tokens share."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from lab.bugs import Bug, Variant
from lab.injection import Injection

WORDS, WIDTH, HEADS, LAYERS, EXPERTS, ROOM = 40, 16, 2, 2, 4, 9
MICRO, BATCH, LENGTH = 2, 2, 6
COUNT = BATCH * LENGTH
BOTH = ("aot_eager", "decomposed")

HELD_OUT = True
BUGS = (
    Bug("no_renorm", "missing op", 1, BOTH),
    Bug("no_z_loss", "loss", None, ("aot_eager",)),
    Bug("z_not_squared", "missing op", 1, ("decomposed",)),
    Bug("balance_of_chances", "wiring", 1, ("decomposed",)),
    Bug("no_shared", "missing op", 0, ("decomposed",)),
    Bug("borrowed_expert", "other weight", "1.2", ("aot_eager",)),
    Bug("relu", "other op", "0.1", ("decomposed",)),
    Bug("sigmoid_router", "other op", 0, ("aot_eager",)),
    Bug("rounded_router", "cast", 1, ("decomposed",)),
    Bug("detached_router", "detach", 0),
    Bug("detached_gates", "detach", 1),
    Bug("unweighted", "missing op", "1.3", BOTH),
    Bug("no_mask", "mask", 1, ("aot_eager",)),
    Bug("keys_for_queries", "wiring", 1, ("decomposed",)),
    Bug("lost_residual", "missing op", 0, ("aot_eager",)),
    Bug("late_norm", "moved op", 1, ("aot_eager",)),
    Bug("skipped_layer", "missing layer", 1, ("aot_eager",), alike=True),
    Bug("softmax_tokens", "scalar", 0, ("aot_eager",)),
    Bug("other_scale", "scalar", 1),
    Bug("not_divided", "missing op", None, ("aot_eager",)),
    Bug("cleared_between", "phase"),
    Bug("clipped_between", "phase"),
    Bug("drops_micro", "missing layer", 1, ("aot_eager",), alike=True),
    Bug("coupled_decay", "optimizer", "experts"),
    Bug("stale_moment", "optimizer", "router"),
    Bug("frozen", "optimizer", "shared"),
)
VARIANTS = (
    Variant("aot_eager"),
    Variant("decomposed"),
    Variant("foreach"),
    Variant("rerun"),
    Variant("checkpoint"),
    Variant("other_order"),
)


class Experts(nn.Module):
    """Of some experts two for each word, and one for all."""

    def __init__(self, lab: Injection, layer: int):
        super().__init__()
        self.lab, self.layer = lab, layer
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.expert_in = nn.ModuleList(nn.Linear(WIDTH, 2 * WIDTH) for _ in range(EXPERTS))
        self.expert_out = nn.ModuleList(nn.Linear(2 * WIDTH, WIDTH) for _ in range(EXPERTS))
        self.shared_in, self.shared_out = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def route(self, x):
        """Which experts, and how much of each."""
        lab, layer = self.lab, self.layer
        with lab.site("detached_router", layer):
            if lab.broken("detached_router", layer):
                x = x.detach()
        with lab.site("rounded_router", layer):
            if lab.broken("rounded_router", layer):
                logits = functional.linear(x.bfloat16(), self.router.weight.bfloat16()).float()
            else:
                with lab.site("router_reads_input", layer):
                    logits = self.router(x)
        with lab.site("sigmoid_router", layer):
            wrong = lab.broken("sigmoid_router", layer)
            with lab.site("softmax_tokens", layer):
                axis = 0 if lab.broken("softmax_tokens", layer) else -1
                chances = logits.sigmoid() if wrong else logits.softmax(axis)
        best, chosen = chances.topk(2, dim=-1)
        with lab.site("no_renorm", layer):
            if not lab.broken("no_renorm", layer):
                best = best / best.sum(-1, keepdim=True)
        with lab.site("detached_gates", layer):
            if lab.broken("detached_gates", layer):
                best = best.detach()
        gates = torch.zeros_like(chances).scatter(1, chosen, best)
        with lab.site("balance_of_chances", layer):
            if lab.broken("balance_of_chances", layer):
                load = chances.mean(0)
            else:
                load = functional.one_hot(chosen, EXPERTS).sum(1).float().mean(0)
            uneven = (load * chances.mean(0)).sum() * EXPERTS
        large = logits.logsumexp(-1)
        with lab.site("z_not_squared", layer):
            if not lab.broken("z_not_squared", layer):
                large = large.square()
        return gates, uneven, large.mean()

    def expert(self, number, x, gate):
        """What one of them makes of its words."""
        lab, place = self.lab, f"{self.layer}.{number}"
        share, rows = gate.topk(ROOM, dim=0)
        sent = x.index_select(0, rows)
        with lab.site("borrowed_expert", place):
            source = (number + 1) % EXPERTS if lab.broken("borrowed_expert", place) else number
            wide = self.expert_in[source](sent)
        with lab.site("relu", place):
            wide = wide.relu() if lab.broken("relu", place) else functional.silu(wide)
        made = self.expert_out[number](wide)
        with lab.site("unweighted", place):
            if not lab.broken("unweighted", place):
                made = made * share[:, None]
        return rows, made

    def forward(self, x, judged):
        """What all of them make, weighed."""
        lab, layer = self.lab, self.layer
        gates, uneven, large = self.route(judged)
        order = range(EXPERTS)[:: -1 if lab.runs("other_order") else 1]
        made = {number: self.expert(number, x, gates[:, number]) for number in order}
        y = torch.zeros_like(x)
        for number in range(EXPERTS):
            y = y.index_add(0, *made[number])
        with lab.site("no_shared", layer):
            if not lab.broken("no_shared", layer):
                y = y + self.shared_out(functional.gelu(self.shared_in(x)))
        return y, uneven, large


class Layer(nn.Module):
    """Attention, then experts."""

    def __init__(self, lab: Injection, layer: int):
        super().__init__()
        self.lab, self.layer = lab, layer
        self.norm_attention, self.norm_experts = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.ask, self.keep, self.say, self.merge = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.experts = Experts(lab, layer)

    def attend(self, x, mask):
        """What the words before tell."""
        lab, layer = self.lab, self.layer
        with lab.site("keys_for_queries", layer):
            if lab.broken("keys_for_queries", layer):
                q, k = self.keep(x), self.ask(x)
            else:
                q, k = self.ask(x), self.keep(x)
        q, k, v = (t.view(BATCH, LENGTH, HEADS, -1).transpose(1, 2) for t in (q, k, self.say(x)))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k)
        with lab.site("other_scale", layer):
            size = WIDTH if lab.broken("other_scale", layer) else WIDTH // HEADS
            scores = scores / size**0.5
        with lab.site("no_mask", layer):
            if not lab.broken("no_mask", layer):
                scores = scores.masked_fill(mask, float("-inf"))
        mixed = torch.einsum("bhqk,bhkd->bqhd", scores.softmax(-1), v)
        return self.merge(mixed.reshape(BATCH, LENGTH, WIDTH))

    def forward(self, x, mask):
        """The next words."""
        lab, layer = self.lab, self.layer
        late = lab.broken("late_norm", layer)
        y = x
        with lab.site("late_norm", layer):
            if not late:
                y = self.norm_attention(y)
        y = self.attend(y, mask)
        with lab.site("late_norm", layer):
            if late:
                y = self.norm_attention(y)
        with lab.site("lost_residual", layer):
            if not lab.broken("lost_residual", layer):
                y = x + y
        normal = self.norm_experts(y)
        judged = y if lab.broken("router_reads_input", layer) else normal
        z, uneven, large = self.experts(normal.flatten(0, 1), judged.flatten(0, 1))
        return y + z.view(BATCH, LENGTH, WIDTH), uneven, large


class Network(nn.Module):
    """Words in; the loss of those that follow out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.embed, self.places = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.layers = nn.ModuleList(Layer(lab, n) for n in range(LAYERS))
        self.norm_last, self.guess = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, words, wanted):
        """The loss, and what keeps the experts evenly used."""
        lab = self.lab
        mask = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
        x = self.embed(words) + self.places.weight
        unevens, larges = [], []
        for layer in self.layers:
            with lab.site("skipped_layer", layer.layer):
                if lab.broken("skipped_layer", layer.layer):
                    continue
                if lab.runs("checkpoint"):
                    x, uneven, large = checkpoint(layer, x, mask, use_reentrant=False)
                else:
                    x, uneven, large = layer(x, mask)
            unevens.append(uneven)
            larges.append(large)
        logits = self.guess(self.norm_last(x))
        loss = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        loss = loss + 0.1 * torch.stack(unevens).mean()
        with lab.site("no_z_loss"):
            if not lab.broken("no_z_loss"):
                loss = loss + 0.01 * torch.stack(larges).mean()
        return loss


class Optimizer:
    """AdamW; a list of ops for each parameter, or for all at once."""

    def __init__(self, lab, groups):
        self.lab, self.groups = lab, groups
        self.state = {
            p: (torch.full_like(p, 0.01), torch.full_like(p, 0.02)) for _, g, _ in groups for p in g
        }

    @torch.no_grad()
    def step(self, rate=0.01):
        """Update all groups."""
        for name, group, decay in self.groups:
            with self.lab.site("frozen", name):
                if not self.lab.broken("frozen", name):
                    if self.lab.runs("foreach"):
                        self.together(group, decay, rate)
                    else:
                        for p in (q for q in group if q.grad is not None):
                            self.one(name, p, decay, rate)

    def one(self, name, p, decay, rate):
        """Update one parameter."""
        lab = self.lab
        m, v = self.state[p]
        g = p.grad
        with lab.site("coupled_decay", name):
            if decay:
                if lab.broken("coupled_decay", name):
                    g = g + decay * p
                else:
                    p.mul_(1 - rate * decay)
        if lab.broken("stale_moment", name):
            with lab.site("stale_moment", name):
                p.addcdiv_(m / 0.5, (v / 0.3).sqrt().add_(1e-8), value=-rate)
                m.mul_(0.9).add_(g, alpha=0.1)
                v.mul_(0.99).addcmul_(g, g, value=0.01)
            return
        with lab.site("stale_moment", name):
            m.mul_(0.9).add_(g, alpha=0.1)
            v.mul_(0.99).addcmul_(g, g, value=0.01)
            p.addcdiv_(m / 0.5, (v / 0.3).sqrt().add_(1e-8), value=-rate)

    def together(self, group, decay, rate):
        """Update a group at once."""
        ms, vs = zip(*(self.state[p] for p in group), strict=False)
        gs = [p.grad for p in group]
        if decay:
            torch._foreach_mul_(group, 1 - rate * decay)
        torch._foreach_mul_(ms, 0.9)
        torch._foreach_add_(ms, gs, alpha=0.1)
        torch._foreach_mul_(vs, 0.99)
        torch._foreach_addcmul_(vs, gs, gs, value=0.01)
        roots = torch._foreach_sqrt(torch._foreach_div(vs, 0.3))
        torch._foreach_add_(roots, 1e-8)
        torch._foreach_addcdiv_(group, torch._foreach_div(ms, 0.5), roots, value=-rate)


def step(lab: Injection) -> None:
    """One step of several micro-batches."""
    network = Network(lab)
    text = torch.randint(WORDS, (MICRO, BATCH, LENGTH + 1))
    parts = {"experts": [], "router": [], "shared": [], "others": []}
    for name, p in network.named_parameters():
        key = next(
            (
                k
                for k, w in (("experts", "expert_"), ("router", "router"), ("shared", "shared"))
                if w in name
            ),
            "others",
        )
        parts[key].append(p)
    decays = {"experts": 0.1, "router": 0.0, "shared": 0.1, "others": 0.0}
    optimizer = Optimizer(lab, [(k, g, decays[k]) for k, g in parts.items()])
    run = lab.compiled(network)
    parameters = list(network.parameters())

    def clip():
        nn.utils.clip_grad_norm_(parameters, 0.4, foreach=lab.runs("foreach"))

    with lab.trace:
        for micro in range(MICRO):
            with lab.site("drops_micro", micro):
                if lab.broken("drops_micro", micro):
                    continue
                with lab.site("cleared_between", micro):
                    if lab.broken("cleared_between") and micro:
                        network.zero_grad(set_to_none=False)
                loss = run(text[micro, :, :-1], text[micro, :, 1:])
                with lab.site("not_divided"):
                    if not lab.broken("not_divided"):
                        loss = loss / MICRO
                lab.forward_ended(loss)
                loss.backward()
                with lab.site("clipped_between"):
                    if lab.broken("clipped_between"):
                        clip()
        lab.backward_ended(parameters)
        with lab.site("clipped_between"):
            if not lab.broken("clipped_between"):
                clip()
        optimizer.step()
        lab.step_ended(parameters)
