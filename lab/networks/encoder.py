"""A BERT-like encoder: learned positions, norms after the residuals, a tied head."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from lab.bugs import NEEDS_SCALARS, Bug, Variant
from lab.injection import Injection
from lab.networks.optimizers import AdamW, clip, split

WORDS, WIDTH, HEADS, LAYERS, BATCH, LENGTH = 50, 32, 4, 3, 2, 10
COMPILED = ("aot_eager", "decomposed")

BUGS = (
    Bug("no_scale", "missing op", 1, COMPILED),
    Bug("no_mask", "missing op", None, ("aot_eager",)),
    Bug("relu", "other op", 2, COMPILED),
    Bug("lost_residual", "missing op", 1, COMPILED, held_out=True),
    Bug("swapped_weights", "other weight", 0),
    Bug("pre_norm", "moved op", 1, ("aot_eager",), held_out=True),
    Bug("detached_attention", "detach", 1),
    Bug("untied_head", "other weight", None, ("decomposed",)),
    Bug("no_clip", "phase", None, ("aot_eager",)),
    Bug("rounded_softmax", "cast", 0, ("core_aten",)),
    Bug("reads_input", "wiring", 2, COMPILED),
    Bug("other_decay", "optimizer", "norms", held_out=True),
    Bug("skipped_layer", "missing layer", 1, ("aot_eager",), alike=True),
    Bug("softmax_dim", "scalar", 1, note=NEEDS_SCALARS),
)
VARIANTS = (
    Variant("rerun"),
    Variant("aot_eager"),
    Variant("recording"),
    Variant("checkpoint"),
    Variant("decomposed", held_out=True),
)


class Attention(nn.Module):
    """Every word looks at every other that is no padding."""

    def __init__(self, lab: Injection, layer: int):
        super().__init__()
        self.lab, self.layer = lab, layer
        self.query, self.key, self.value, self.merge = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def heads(self, x: torch.Tensor) -> torch.Tensor:
        """Channels split over the heads, heads before words."""
        return x.view(BATCH, LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2)

    def forward(self, x: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
        """Scores, softmax, mixture."""
        lab, layer = self.lab, self.layer
        with lab.site("swapped_weights", layer):
            if lab.broken("swapped_weights", layer):
                query, key = self.key(x), self.query(x)
            else:
                query, key = self.query(x), self.key(x)
        query, key, value = self.heads(query), self.heads(key), self.heads(self.value(x))
        scores = query @ key.transpose(-2, -1)
        with lab.site("no_scale", layer):
            if not lab.broken("no_scale", layer):
                scores = scores / (WIDTH // HEADS) ** 0.5
        with lab.site("no_mask", layer):
            if not lab.broken("no_mask", layer):
                scores = scores.masked_fill(padding[:, None, None, :], -1e4)
        with lab.site("softmax_dim", layer):
            if lab.broken("softmax_dim", layer):
                weights = scores.softmax(dim=-2)
            else:
                with lab.site("rounded_softmax", layer):
                    if lab.broken("rounded_softmax", layer):
                        weights = scores.bfloat16().softmax(dim=-1).float()
                    else:
                        weights = scores.softmax(dim=-1)
        mixed = (weights @ value).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
        with lab.site("detached_attention", layer):
            if lab.broken("detached_attention", layer):
                mixed = mixed.detach()
        return self.merge(mixed)


class Layer(nn.Module):
    """Attention and a perceptron, each added to its input and then normalised."""

    def __init__(self, lab: Injection, layer: int):
        super().__init__()
        self.lab, self.layer = lab, layer
        self.attention = Attention(lab, layer)
        self.norm_attention, self.norm_perceptron = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.widen, self.narrow = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
        """Both halves."""
        lab, layer = self.lab, self.layer
        early = lab.broken("pre_norm", layer)
        attention_input = x
        with lab.site("pre_norm", layer):
            if early:
                attention_input = self.norm_attention(x)
        y = x + self.attention(attention_input, padding)
        with lab.site("pre_norm", layer):
            if not early:
                y = self.norm_attention(y)
        with lab.site("reads_input", layer):
            wide = self.widen(x if lab.broken("reads_input", layer) else y)
        with lab.site("relu", layer):
            wide = wide.relu() if lab.broken("relu", layer) else functional.gelu(wide)
        z = self.narrow(wide)
        with lab.site("lost_residual", layer):
            if not lab.broken("lost_residual", layer):
                z = y + z
        return self.norm_perceptron(z)


class Encoder(nn.Module):
    """Words with holes in; the loss of guessing what was there out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.words, self.positions = nn.Embedding(WORDS, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.norm_embedding = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Layer(lab, number) for number in range(LAYERS))
        self.transform, self.norm_head = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.bias = nn.Parameter(torch.zeros(WORDS))
        self.spare = nn.Parameter(torch.randn(WORDS, WIDTH))

    def forward(
        self, words: torch.Tensor, padding: torch.Tensor, targets: torch.Tensor
    ) -> torch.Tensor:
        """The mean loss over the holes."""
        lab = self.lab
        x = self.words(words) + self.positions(torch.arange(LENGTH))
        x = self.norm_embedding(x)
        for layer in self.layers:
            with lab.site("skipped_layer", layer.layer):
                if lab.runs("checkpoint"):
                    x = checkpoint(layer, x, padding, use_reentrant=False)
                elif not lab.broken("skipped_layer", layer.layer):
                    x = layer(x, padding)
        x = self.norm_head(functional.gelu(self.transform(x)))
        with lab.site("untied_head"):
            table = self.spare if lab.broken("untied_head") else self.words.weight
            logits = functional.linear(x, table, self.bias)
        return functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


def step(lab: Injection) -> None:
    """One step of AdamW on one batch, its gradients clipped."""
    network = Encoder(lab)
    words = torch.randint(WORDS, (BATCH, LENGTH))
    padding = torch.arange(LENGTH).expand(BATCH, LENGTH) >= torch.tensor([[LENGTH], [LENGTH - 3]])
    targets = torch.where(torch.rand(BATCH, LENGTH) < 0.5, words, -100)
    weights, norms = split(network, "norm bias")
    optimizer = AdamW(lab, [("weights", weights, 0.1), ("norms", norms, 0.0)])
    run = lab.compiled(network)
    with lab.trace:
        loss = run(words, padding, targets)
        lab.forward_ended(loss)
        loss.backward()
        lab.backward_ended(network.parameters())
        with lab.site("no_clip"):
            if not lab.broken("no_clip"):
                clip(network.parameters(), 0.5)
        optimizer.step()
        lab.step_ended(network.parameters())
