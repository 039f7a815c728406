"""A decoder like today's: rotary positions, shared keys, gated perceptrons, a tied head."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from lab.bugs import Bug, Variant
from lab.injection import Injection
from lab.networks.optimizers import split

VOCABULARY, WIDTH, HEADS, SHARED, LAYERS = 48, 32, 4, 2, 4
BATCH, LENGTH, LIMIT = 2, 8, 0.5
SIZE = WIDTH // HEADS
BOTH = ("aot_eager", "decomposed")

BUGS = (
    Bug("no_scale", "missing op", 2, BOTH),
    Bug("turned_back", "swapped operands", 1, BOTH),
    Bug("turns_values", "extra op", 3, ("aot_eager",)),
    Bug("keys_not_turned", "missing op", 0, BOTH),
    Bug("keys_for_values", "wiring", 1),
    Bug("repeats_tiled", "other axis"),
    Bug("late_norm", "moved op", 2, ("aot_eager",)),
    Bug("lost_residual", "missing op", 1, ("decomposed",)),
    Bug("sees_next", "mask", None, ("aot_eager",)),
    Bug("no_mask", "mask", 3, ("decomposed",)),
    Bug("gelu", "other op", 0, ("aot_eager",)),
    Bug("gates_wrong_half", "wiring", 2, BOTH),
    Bug("rounded_norm", "cast", 1, ("aot_eager",)),
    Bug("detached_norm", "detach", 2),
    Bug("untied_head", "other weight", None, ("decomposed",)),
    Bug("borrowed_norm", "other weight", 2, ("decomposed",)),
    Bug("skipped_layer", "missing layer", 2, BOTH, alike=True),
    Bug("layer_twice", "extra layer", 1, ("aot_eager",)),
    Bug("drops", "extra op", 3, ("aot_eager",)),
    Bug("overwrites_half", "in place", 2, ("aot_eager",)),
    Bug("mean_of_padding", "loss", None, ("decomposed",)),
    Bug("late_clip", "phase"),
    Bug("no_clip", "phase", None),
    Bug("decays_norms", "optimizer", "norms"),
    Bug("coupled_decay", "optimizer", "weights", ("decomposed",)),
)
VARIANTS = (
    Variant("aot_eager"),
    Variant("decomposed"),
    Variant("foreach"),
    Variant("rerun"),
    Variant("checkpoint"),
)


class Scale(nn.Module):
    """Root mean square to one."""

    def __init__(self, lab: Injection, layer: int):
        super().__init__()
        self.lab, self.layer = lab, layer
        self.gain = nn.Parameter(1 + 0.1 * torch.randn(WIDTH))

    def forward(self, x: torch.Tensor, gain: torch.Tensor) -> torch.Tensor:
        """Every token by itself, times a gain."""
        lab, layer = self.lab, self.layer
        with lab.site("rounded_norm", layer):
            if lab.broken("rounded_norm", layer):
                x = x.bfloat16().float()
        size = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
        with lab.site("detached_norm", layer):
            if lab.broken("detached_norm", layer):
                size = size.detach()
        return gain * (x * size)


class Attention(nn.Module):
    """Two queries to a key, positions as angles."""

    def __init__(self, lab: Injection, layer: int):
        super().__init__()
        self.lab, self.layer = lab, layer
        self.ask = nn.Linear(WIDTH, WIDTH, bias=False)
        self.answer = nn.Linear(WIDTH, 2 * SHARED * SIZE, bias=False)
        self.merge = nn.Linear(WIDTH, WIDTH, bias=False)

    def turn(self, x: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Halves of channels as numbers in the plane, turned."""
        lab, layer = self.lab, self.layer
        first, second = x[..., : SIZE // 2], x[..., SIZE // 2 :]
        with lab.site("turned_back", layer):
            if lab.broken("turned_back", layer):
                across = torch.cat((second, -first), dim=-1)
            else:
                across = torch.cat((-second, first), dim=-1)
        return x * angles[0] + across * angles[1]

    @staticmethod
    def turn_in_place(x: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """The second half reads what the first one has become."""
        cos, sin = (angle[..., : SIZE // 2] for angle in angles)
        first, second = x[..., : SIZE // 2], x[..., SIZE // 2 :]
        first.copy_(first * cos - second * sin)
        second.copy_(second * cos + first * sin)
        return x

    def repeated(self, x: torch.Tensor) -> torch.Tensor:
        """A copy for each of the queries that share it."""
        lab = self.lab
        times = HEADS // SHARED
        with lab.site("repeats_tiled"):
            if lab.broken("repeats_tiled"):
                x = x[:, None].expand(BATCH, times, SHARED, LENGTH, SIZE)
            else:
                x = x[:, :, None].expand(BATCH, SHARED, times, LENGTH, SIZE)
            return x.reshape(BATCH, HEADS, LENGTH, SIZE)

    def forward(
        self, x: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor], hidden: torch.Tensor
    ) -> torch.Tensor:
        """What the tokens before say."""
        lab, layer = self.lab, self.layer
        query = self.ask(x).unflatten(-1, (HEADS, SIZE)).transpose(1, 2)
        both = self.answer(x).unflatten(-1, (2 * SHARED, SIZE)).transpose(1, 2)
        key, value = both.chunk(2, dim=1)
        if lab.broken("keys_for_values", layer):
            key, value = value, key
        with lab.site("overwrites_half", layer):
            if lab.broken("overwrites_half", layer):
                query = self.turn_in_place(query, angles)
            else:
                query = self.turn(query, angles)
        with lab.site("keys_not_turned", layer), lab.site("keys_for_values", layer):
            if not lab.broken("keys_not_turned", layer):
                key = self.turn(key, angles)
        with lab.site("turns_values", layer):
            if lab.broken("turns_values", layer):
                value = self.turn(value, angles)
        key = self.repeated(key)
        with lab.site("keys_for_values", layer):
            value = self.repeated(value)
        scores = torch.matmul(query, key.transpose(2, 3))
        with lab.site("no_scale", layer):
            if not lab.broken("no_scale", layer):
                scores = scores * SIZE**-0.5
        with lab.site("no_mask", layer):
            if not lab.broken("no_mask", layer):
                scores = scores + hidden
        mixed = torch.matmul(functional.softmax(scores, dim=-1), value)
        mixed = self.merge(mixed.transpose(1, 2).flatten(2))
        with lab.site("drops", layer):
            return functional.dropout(mixed, 0.1, training=lab.broken("drops", layer))


class Perceptron(nn.Module):
    """One half gates the other."""

    def __init__(self, lab: Injection, layer: int):
        super().__init__()
        self.lab, self.layer = lab, layer
        self.widen = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.narrow = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Widen, gate, narrow."""
        lab, layer = self.lab, self.layer
        gate, up = self.widen(x).chunk(2, dim=-1)
        if lab.broken("gates_wrong_half", layer):
            gate, up = up, gate
        with lab.site("gates_wrong_half", layer):
            with lab.site("gelu", layer):
                if lab.broken("gelu", layer):  # noqa: SIM108
                    gate = functional.gelu(gate)
                else:
                    gate = functional.silu(gate)
            wide = gate * up
        return self.narrow(wide)


class Layer(nn.Module):
    """Attention and perceptron, each reads what is normalised and adds to what is not."""

    def __init__(self, lab: Injection, layer: int):
        super().__init__()
        self.lab, self.layer = lab, layer
        self.norm_attention, self.norm_perceptron = Scale(lab, layer), Scale(lab, layer)
        self.attention, self.perceptron = Attention(lab, layer), Perceptron(lab, layer)

    def forward(
        self, x: torch.Tensor, angles: tuple[torch.Tensor, torch.Tensor], hidden: torch.Tensor
    ) -> torch.Tensor:
        """Both halves."""
        lab, layer = self.lab, self.layer
        late = lab.broken("late_norm", layer)
        y = x
        with lab.site("late_norm", layer):
            if not late:
                y = self.norm_attention(x, self.norm_attention.gain)
        y = self.attention(y, angles, hidden)
        with lab.site("late_norm", layer):
            if late:
                y = self.norm_attention(y, self.norm_attention.gain)
        x = x + y
        with lab.site("borrowed_norm", layer, "aten::mul"):
            borrowed = lab.broken("borrowed_norm", layer)
            norm = self.norm_attention if borrowed else self.norm_perceptron
            normal = self.norm_perceptron(x, norm.gain)
        z = self.perceptron(normal)
        with lab.site("lost_residual", layer):
            if not lab.broken("lost_residual", layer):
                z = x + z
        return z


class Decoder(nn.Module):
    """Tokens in, the loss of guessing the next ones out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Layer(lab, number) for number in range(LAYERS))
        self.norm_last = Scale(lab, LAYERS)
        self.spare = nn.Parameter(torch.randn(VOCABULARY, WIDTH))

    def forward(self, tokens: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
        """The mean loss of the tokens that count."""
        lab = self.lab
        places = torch.arange(LENGTH)
        speeds = 100.0 ** (-torch.arange(0, SIZE, 2) / SIZE)
        turns = torch.outer(places.float(), speeds)
        turns = torch.cat((turns, turns), dim=-1)
        angles = turns.cos(), turns.sin()
        with lab.site("sees_next"):
            last = places[:, None]
            if lab.broken("sees_next"):
                last = last + 1
            future = places[None, :] > last
        hidden = torch.zeros(LENGTH, LENGTH).masked_fill(future, -1e9)

        x = self.tokens(tokens)
        for layer in self.layers:
            if lab.runs("checkpoint"):
                x = checkpoint(layer, x, angles, hidden, use_reentrant=False)
            elif lab.broken("layer_twice", layer.layer):
                with lab.site("layer_twice", layer.layer):
                    x = layer(layer(x, angles, hidden), angles, hidden)
            else:
                with lab.site("skipped_layer", layer.layer):
                    if not lab.broken("skipped_layer", layer.layer):
                        x = layer(x, angles, hidden)
        x = self.norm_last(x, self.norm_last.gain)
        with lab.site("untied_head"):
            table = self.spare if lab.broken("untied_head") else self.tokens.weight
            logits = functional.linear(x, table)
        each = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="none")
        with lab.site("mean_of_padding"):
            if lab.broken("mean_of_padding"):
                return each.mean()
            counts = (wanted.flatten() != 0).float()
            return (each * counts).sum() / counts.sum()


def step(lab: Injection) -> None:
    """One step of AdamW; gradients are clipped."""
    network = Decoder(lab)
    text = torch.randint(1, VOCABULARY, (BATCH, LENGTH + 1))
    text[1, -3:] = 0
    weights, norms = split(network, "norm")
    together = lab.runs("foreach")
    kind = torch.optim.Adam if lab.broken("coupled_decay", "weights") else torch.optim.AdamW
    of_weights = kind(weights, lr=0.01, weight_decay=0.1, foreach=together)
    decay = 0.1 if lab.broken("decays_norms", "norms") else 0.0
    of_norms = torch.optim.AdamW(norms, lr=0.01, weight_decay=decay, foreach=together)
    run = lab.compiled(network)
    late = lab.broken("late_clip")
    with lab.trace:
        loss = run(text[:, :-1], text[:, 1:])
        lab.forward_ended(loss)
        loss.backward()
        lab.backward_ended(network.parameters())
        with lab.site("late_clip"), lab.site("no_clip"):
            if not late and not lab.broken("no_clip"):
                nn.utils.clip_grad_norm_(network.parameters(), LIMIT, foreach=together)
        with lab.site("coupled_decay", "weights", "weight_decay"):
            of_weights.step()
        with lab.site("decays_norms", "norms", "weight_decay"):
            of_norms.step()
        with lab.site("late_clip"):
            if late:
                nn.utils.clip_grad_norm_(network.parameters(), LIMIT, foreach=together)
        lab.step_ended(network.parameters())
