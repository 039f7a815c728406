"""An encoder and a decoder like T5's: relative positions, gated perceptrons, averaged weights."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from lab.bugs import Bug, Variant
from lab.injection import Injection

WORDS, WIDTH, HEADS, LAYERS, BATCH, LENGTH, BUCKETS = 40, 24, 4, 2, 2, 7, 8
SMOOTH = 0.1

BUGS = (
    Bug("no_bias", "missing op", "encoder.1", ("decomposed",)),
    Bug("swapped_positions", "swapped operands", "encoder", ("decomposed",)),
    Bug("inverted_mask", "mask", "cross.0", ("decomposed",)),
    Bug("sees_next", "scalar", None, ("decomposed",)),
    Bug("crosses_itself", "wiring", "cross.1", ("decomposed",)),
    Bug("centred_norm", "extra op", "cross.1", ("decomposed",)),
    Bug("relu", "other op", "decoder.0", ("decomposed",)),
    Bug("no_shift", "slice", None, ("decomposed",)),
    Bug("borrowed_bias", "other weight", "decoder.1", ("aot_eager",)),
    Bug("rounded_softmax", "cast", "decoder.0", ("core_aten",)),
    Bug("late_clip", "phase"),
    Bug("coupled_decay", "optimizer", "weights"),
)
VARIANTS = (Variant("aot_eager"), Variant("decomposed"), Variant("core_aten"))


class Norm(nn.Module):
    """Divided by the root of the mean square."""

    def __init__(self, lab: Injection, place: str):
        super().__init__()
        self.lab, self.place = lab, place
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Every word by itself."""
        with self.lab.site("centred_norm", self.place):
            if self.lab.broken("centred_norm", self.place):
                x = x - x.mean(dim=-1, keepdim=True)
        spread = x.square().mean(dim=-1, keepdim=True)
        return x * (spread + 1e-6).rsqrt() * self.weight


class Attention(nn.Module):
    """Words look at words."""

    def __init__(self, lab: Injection, place: str):
        super().__init__()
        self.lab, self.place = lab, place
        self.norm = Norm(lab, place)
        self.query, self.key, self.value, self.merge = (
            nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4)
        )

    @staticmethod
    def heads(x: torch.Tensor) -> torch.Tensor:
        """A head before the words."""
        return x.view(BATCH, LENGTH, HEADS, WIDTH // HEADS).transpose(1, 2)

    def forward(
        self,
        x: torch.Tensor,
        seen: torch.Tensor | None,
        hidden: torch.Tensor,
        bias: torch.Tensor | None,
        other_bias: torch.Tensor | None,
    ) -> torch.Tensor:
        """Attention to these words or to those that the encoder read; added to its input."""
        lab, place = self.lab, self.place
        normal = self.norm(x)
        query = self.heads(self.query(normal))
        source = normal if seen is None else seen
        with lab.site("crosses_itself", place):
            source = normal if lab.broken("crosses_itself", place) else source
            key, value = self.key(source), self.value(source)
        key, value = self.heads(key), self.heads(value)
        scores = query @ key.transpose(-2, -1)
        if bias is not None:
            with lab.site("no_bias", place):
                if not lab.broken("no_bias", place):
                    with lab.site("borrowed_bias", place):
                        borrowed = lab.broken("borrowed_bias", place)
                        scores = scores + (other_bias if borrowed else bias)
        with lab.site("inverted_mask", place):
            if lab.broken("inverted_mask", place):
                hidden = ~hidden
            scores = scores.masked_fill(hidden, -1e4)
        with lab.site("rounded_softmax", place):
            if lab.broken("rounded_softmax", place):
                weights = scores.bfloat16().softmax(dim=-1).float()
            else:
                weights = scores.softmax(dim=-1)
        mixed = (weights @ value).transpose(1, 2).reshape(BATCH, LENGTH, WIDTH)
        mixed = self.merge(mixed)
        return x + mixed


class Perceptron(nn.Module):
    """Gated."""

    def __init__(self, lab: Injection, place: str):
        super().__init__()
        self.lab, self.place = lab, place
        self.norm = Norm(lab, f"perceptron.{place}")
        self.gate, self.widen = (nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(2))
        self.narrow = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One perceptron, added to its input."""
        lab, place = self.lab, self.place
        normal = self.norm(x)
        gate, wide = self.gate(normal), self.widen(normal)
        with lab.site("relu", place):
            if lab.broken("relu", place):
                gate = gate.relu()
            else:
                gate = functional.gelu(gate, approximate="tanh")
        return x + self.narrow(gate * wide)


class Positions(nn.Module):
    """A number for every head and distance."""

    def __init__(self, lab: Injection, place: str):
        super().__init__()
        self.lab, self.place = lab, place
        self.table = nn.Embedding(BUCKETS, HEADS)

    def forward(self) -> torch.Tensor:
        """What to add to the scores of all heads."""
        lab, place = self.lab, self.place
        numbers = torch.arange(LENGTH)
        with lab.site("swapped_positions", place):
            if lab.broken("swapped_positions", place):
                away = numbers[:, None] - numbers[None, :]
            else:
                away = numbers[None, :] - numbers[:, None]
        if place == "encoder":
            half = BUCKETS // 2
            bucket = (away > 0).long() * half + away.abs().clamp(max=half - 1)
        else:
            bucket = (-away).clamp(0, BUCKETS - 1)
        return self.table(bucket).permute(2, 0, 1)[None]


class Translator(nn.Module):
    """Words of both languages in, the loss out."""

    def __init__(self, lab: Injection):
        super().__init__()
        self.lab = lab
        self.words = nn.Embedding(WORDS, WIDTH)
        self.of_encoder, self.of_decoder = (
            Positions(lab, place) for place in ("encoder", "decoder")
        )
        self.reads = nn.ModuleList(Attention(lab, f"encoder.{n}") for n in range(LAYERS))
        self.thinks = nn.ModuleList(Perceptron(lab, f"encoder.{n}") for n in range(LAYERS))
        self.writes = nn.ModuleList(Attention(lab, f"decoder.{n}") for n in range(LAYERS))
        self.crosses = nn.ModuleList(Attention(lab, f"cross.{n}") for n in range(LAYERS))
        self.says = nn.ModuleList(Perceptron(lab, f"decoder.{n}") for n in range(LAYERS))
        self.norm_read, self.norm_said = Norm(lab, "read"), Norm(lab, "said")

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        """The smoothed loss of the next words, without padding."""
        lab = self.lab
        padding = (source == 0)[:, None, None, :]
        x = self.words(source)
        bias = self.of_encoder()
        for read, think in zip(self.reads, self.thinks, strict=True):
            x = read(x, None, padding, bias, None)
            x = think(x)
        memory = self.norm_read(x)

        with lab.site("no_shift"):
            given = target[:, 1:] if lab.broken("no_shift") else target[:, :-1]
        wanted = target[:, 1:]
        y = self.words(given)
        with lab.site("sees_next"):
            ones = torch.ones(LENGTH, LENGTH, dtype=torch.bool)
            future = ones.triu(2 if lab.broken("sees_next") else 1)
        own = self.of_decoder()
        for write, cross, say in zip(self.writes, self.crosses, self.says, strict=True):
            y = write(y, None, future, own, bias)
            y = cross(y, memory, padding, None, None)
            y = say(y)
        y = self.norm_said(y)
        logs = functional.linear(y * WIDTH**-0.5, self.words.weight).log_softmax(dim=-1)
        each = -logs.gather(2, wanted[..., None]).squeeze(-1)
        each = (1 - SMOOTH) * each - SMOOTH * logs.mean(dim=-1)
        used = (wanted != 0).float()
        return (each * used).sum() / used.sum()


class Optimizer:
    """AdamW with decoupled decay."""

    def __init__(self, lab: Injection, groups: list[tuple[str, list[nn.Parameter], float]]):
        self.lab, self.groups = lab, groups
        self.moments = {
            p: (torch.full_like(p, 0.01), torch.full_like(p, 0.01)) for _, g, _ in groups for p in g
        }

    @torch.no_grad()
    def step(self, rate: float = 1e-2, count: int = 3) -> None:
        """Decay the weights, follow the moments of the gradients, move."""
        lab = self.lab
        for name, group, decay in self.groups:
            for p in group:
                gradient = p.grad
                with lab.site("coupled_decay", name):
                    if decay and lab.broken("coupled_decay", name):
                        gradient = gradient.add(p, alpha=decay)
                    elif decay:
                        p.mul_(1 - rate * decay)
                first, second = self.moments[p]
                first.mul_(0.9).add_(gradient, alpha=0.1)
                second.mul_(0.99).addcmul_(gradient, gradient, value=0.01)
                mean, spread = first / (1 - 0.9**count), second / (1 - 0.99**count)
                p.addcdiv_(mean, spread.sqrt().add_(1e-8), value=-rate)


def average(kept: list[torch.Tensor], parameters: list[nn.Parameter]) -> None:
    """Let the kept weights follow."""
    with torch.no_grad():
        for old, p in zip(kept, parameters, strict=True):
            old.mul_(0.9).add_(p, alpha=0.1)


def step(lab: Injection) -> None:
    """One step; an average of the weights follows them."""
    network = Translator(lab)
    source = torch.randint(1, WORDS, (BATCH, LENGTH))
    target = torch.randint(1, WORDS, (BATCH, LENGTH + 1))
    source[1, 5:] = 0
    target[0, 6:] = 0
    parameters = list(network.parameters())
    tables = [p for n, p in network.named_parameters() if "table" in n or "norm" in n]
    weights = [p for p in parameters if all(p is not t for t in tables)]
    optimizer = Optimizer(lab, [("weights", weights, 2.0), ("tables", tables, 0.0)])
    kept = [p.detach().clone() + 0.01 for p in parameters]
    run = lab.compiled(network)
    with lab.trace:
        loss = run(source, target)
        lab.forward_ended(loss)
        loss.backward()
        lab.backward_ended(parameters)
        with lab.site("late_clip"):
            if not lab.broken("late_clip"):
                nn.utils.clip_grad_norm_(parameters, 0.05, foreach=False)
        optimizer.step()
        with lab.site("late_clip"):
            if lab.broken("late_clip"):
                nn.utils.clip_grad_norm_(parameters, 0.05, foreach=False)
        average(kept, parameters)
        lab.step_ended([*parameters, *kept])
