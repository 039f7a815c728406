"""A U-Net that takes noise out of pictures: told the time and words, it looks at both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from lab.bugs import Bug, Variant
from lab.injection import Injection
from lab.networks.optimizers import split

BATCH, COLOURS, SIDE, CHANNELS, DEEP = 2, 3, 8, 8, 16
WORDS, LENGTH, WIDTH, HEADS = 24, 5, 12, 2
LIMIT, LOSS_SCALE = 0.5, 64.0

HELD_OUT = True
BUGS = (
    Bug("no_time", "missing op", "middle", ("decomposed",)),
    Bug("weaker_skip", "extra op", "last"),
    Bug("smooth", "other op", None, ("aot_eager", "decomposed")),
    Bug("late_norm", "moved op", "deep", ("aot_eager",)),
    Bug("same_skip", "wiring", "last", ("aot_eager",)),
    Bug("stale_time", "wiring", "up", ("decomposed",)),
    Bug("swapped_weights", "other weight"),
    Bug("untied_words", "other weight"),
    Bug("detached_words", "detach"),
    Bug("rounded_attention", "cast", None, ("core_aten",)),
    Bug("inverted_mask", "mask", None, ("aot_eager",)),
    Bug("lost_residual", "missing op", "attention"),
    Bug("skipped_block", "missing layer", "middle", ("core_aten",)),
    Bug("early_clip", "phase"),
    Bug("clips_apart", "phase"),
    Bug("decays_norms", "optimizer", "norms"),
)
VARIANTS = (
    Variant("aot_eager"),
    Variant("recording"),
    Variant("foreach"),
    Variant("checkpoint"),
    Variant("rerun"),
)


class Block(nn.Module):
    """Two convolutions, each of what a group norm leaves, around the time."""

    def __init__(self, lab: Injection, place: str, read: int, written: int):
        super().__init__()
        self.lab, self.place = lab, place
        self.norm_read, self.norm_told = nn.GroupNorm(4, read), nn.GroupNorm(4, written)
        self.widen = nn.Conv2d(read, written, 3, padding=1)
        self.refine = nn.Conv2d(written, written, 3, padding=1)
        self.tell = nn.Linear(WIDTH, written)
        self.shortcut = nn.Conv2d(read, written, 1) if read != written else nn.Identity()

    def forward(self, x: torch.Tensor, waves: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        """The input, and what the convolutions add to it."""
        lab, place = self.lab, self.place
        with lab.site("late_norm", place):
            if lab.broken("late_norm", place):
                y = functional.silu(self.norm_read(self.widen(x)))
            else:
                y = self.widen(functional.silu(self.norm_read(x)))
        with lab.site("no_time", place):
            if not lab.broken("no_time", place):
                with lab.site("stale_time", place):
                    told = self.tell(waves if lab.broken("stale_time", place) else time)
                y = y + told[:, :, None, None]
        y = self.refine(functional.silu(self.norm_told(y)))
        return self.shortcut(x) + y


class CrossAttention(nn.Module):
    """Every place of the picture looks at every word that is no padding."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.norm = nn.GroupNorm(4, DEEP)
        self.query, self.merge = nn.Linear(DEEP, DEEP), nn.Linear(DEEP, DEEP)
        self.key, self.value = nn.Linear(WIDTH, DEEP), nn.Linear(WIDTH, DEEP)

    @staticmethod
    def heads(x: torch.Tensor) -> torch.Tensor:
        """Channels split over the heads, heads before places."""
        return x.view(BATCH, -1, HEADS, DEEP // HEADS).transpose(1, 2)

    def forward(self, x: torch.Tensor, words: torch.Tensor, padding: torch.Tensor) -> torch.Tensor:
        """The picture, and what the words add to it."""
        lab = self.lab
        with lab.site("detached_words"):
            if lab.broken("detached_words"):
                words = words.detach()
        query = self.heads(self.query(self.norm(x).flatten(2).transpose(1, 2)))
        with lab.site("swapped_weights"):
            if lab.broken("swapped_weights"):
                key, value = self.value(words), self.key(words)
            else:
                key, value = self.key(words), self.value(words)
        scores = query @ self.heads(key).transpose(-2, -1) * (DEEP // HEADS) ** -0.5
        with lab.site("inverted_mask"):
            hidden = ~padding if lab.broken("inverted_mask") else padding
            scores = scores.masked_fill(hidden[:, None, None, :], -1e4)
        with lab.site("rounded_attention"):
            if lab.broken("rounded_attention"):
                weights = scores.bfloat16().softmax(dim=-1).float()
            else:
                weights = scores.softmax(dim=-1)
        mixed = (weights @ self.heads(value)).transpose(1, 2).flatten(2)
        seen = self.merge(mixed).transpose(1, 2).reshape(x.shape)
        with lab.site("lost_residual", "attention"):
            return seen if lab.broken("lost_residual", "attention") else x + seen


class Painter(nn.Module):
    """A noisy picture, its time and its words in; the loss of guessing noise and words out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.words = nn.Embedding(WORDS, WIDTH)
        self.positions = nn.Parameter(0.1 * torch.randn(LENGTH, WIDTH))
        self.read, self.norm_words = nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH)
        self.time = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.SiLU(), nn.Linear(WIDTH, WIDTH))
        self.open = nn.Conv2d(COLOURS, CHANNELS, 3, padding=1)
        self.down = Block(lab, "down", CHANNELS, CHANNELS)
        self.shrink = nn.Conv2d(CHANNELS, DEEP, 3, 2, padding=1)
        self.deep = Block(lab, "deep", DEEP, DEEP)
        self.attention = CrossAttention(lab)
        self.middle = Block(lab, "middle", DEEP, DEEP)
        self.enlarge = nn.Conv2d(DEEP, CHANNELS, 3, padding=1)
        self.up = Block(lab, "up", 2 * CHANNELS, CHANNELS)
        self.last = Block(lab, "last", 2 * CHANNELS, CHANNELS)
        self.norm_drawn = nn.GroupNorm(4, CHANNELS)
        self.draw = nn.Conv2d(CHANNELS, COLOURS, 3, padding=1)
        self.guess = nn.Linear(DEEP, WIDTH)
        self.spare = nn.Parameter(torch.randn(WORDS, WIDTH))

    def block(self, block: Block, *inputs: torch.Tensor) -> torch.Tensor:
        """Run a block, in the way of this run."""
        if self.lab.runs("checkpoint"):
            return checkpoint(block, *inputs, use_reentrant=False)
        return block(*inputs)

    def enlarged(self, x: torch.Tensor) -> torch.Tensor:
        """Twice as many places a side."""
        with self.lab.site("smooth"):
            smooth = self.lab.broken("smooth")
            x = functional.interpolate(x, scale_factor=2, mode="bilinear" if smooth else "nearest")
        return self.enlarge(x)

    def forward(
        self, picture: torch.Tensor, moment: torch.Tensor, words: torch.Tensor, noise: torch.Tensor
    ) -> torch.Tensor:
        """Down, a look at the words, and up again with what was there on the way down."""
        lab = self.lab
        angles = moment[:, None] * torch.exp(-torch.arange(WIDTH // 2) / 2)
        waves = torch.cat((angles.sin(), angles.cos()), dim=-1)
        times = waves, self.time(waves)
        told = self.norm_words(self.read(self.words(words) + self.positions))

        opened = self.open(picture)
        kept = self.block(self.down, opened, *times)
        x = self.block(self.deep, self.shrink(kept), *times)
        x = self.attention(x, told, words == 0)
        with lab.site("skipped_block", "middle"):
            if not lab.broken("skipped_block", "middle"):
                x = self.block(self.middle, x, *times)
        guessed = self.guess(x.mean((2, 3)))

        x = self.block(self.up, torch.cat((self.enlarged(x), kept), dim=1), *times)
        with lab.site("weaker_skip", "last"):
            if lab.broken("weaker_skip", "last"):
                opened = opened * 2**-0.5
        with lab.site("same_skip", "last"):
            x = torch.cat((x, kept if lab.broken("same_skip", "last") else opened), dim=1)
        x = self.block(self.last, x, *times)
        drawn = self.draw(functional.silu(self.norm_drawn(x)))

        with lab.site("untied_words"):
            table = self.spare if lab.broken("untied_words") else self.words.weight
            logits = functional.linear(guessed, table)
        of_words = functional.cross_entropy(logits, words[:, 0])
        return functional.mse_loss(drawn, noise) + 0.1 * of_words


def gradients(parameters: Sequence[nn.Parameter]) -> Iterator[torch.Tensor]:
    """Those that there are."""
    yield from (parameter.grad for parameter in parameters if parameter.grad is not None)


def adjust(lab: Injection, groups: Sequence[Sequence[nn.Parameter]]) -> None:
    """Take the scale of the loss out of the gradients, then clip them all together."""
    everything = [parameter for group in groups for parameter in group]
    clipped = groups if lab.broken("clips_apart") else [everything]

    def clip() -> None:
        for some in clipped:
            nn.utils.clip_grad_norm_(some, LIMIT, foreach=lab.runs("foreach"))

    with lab.site("early_clip"):
        if lab.broken("early_clip"):
            clip()
        with torch.no_grad():
            for gradient in gradients(everything):
                gradient.mul_(1 / LOSS_SCALE)
        if not lab.broken("early_clip"):
            with lab.site("clips_apart"):
                clip()


def step(lab: Injection) -> None:
    """One step with momentum on one batch; the loss is scaled for the backward."""
    network = Painter(lab)
    picture, noise = torch.randn(2, BATCH, COLOURS, SIDE, SIDE)
    words = torch.tensor([[3, 17, 9, 5, 11], [8, 2, 20, 0, 0]])
    moment = torch.tensor([0.7, 3.1])
    groups = split(network, "norm bias")
    decays = 0.1, 0.1 if lab.broken("decays_norms", "norms") else 0.0
    weights, norms = (
        torch.optim.SGD(
            group, lr=0.1, momentum=0.9, weight_decay=decay, foreach=lab.runs("foreach")
        )
        for group, decay in zip(groups, decays, strict=True)
    )
    run = lab.compiled(network)
    with lab.trace:
        loss = run(picture, moment, words, noise) * LOSS_SCALE
        lab.forward_ended(loss)
        loss.backward()
        lab.backward_ended(network.parameters())
        adjust(lab, groups)
        weights.step()
        with lab.site("decays_norms", "norms"):
            norms.step()
        lab.step_ended(network.parameters())
