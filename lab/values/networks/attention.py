"""A small language model with switches for mistakes, as people make them.

A comment ``@name`` marks the lines on which a mistake shows first: what should be found;
``@@name`` calls that it leaves out, with all within them; ``@elsewhere`` calls within which none is
made.
"""

from collections.abc import Callable

import torch
from mistakes import WRONG_LAYER, Mistakes
from torch import nn
from torch.nn import functional

WORDS, WIDTH, HEADS, LAYERS, SEQUENCE, BATCH = 96, 64, 4, 3, 24, 2
HEAD = WIDTH // HEADS


class Norm(nn.Module):
    """Root mean square normalisation."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(1.0 + 0.2 * torch.randn(WIDTH))
        self.mistakes, self.layer = mistakes, layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scale every row."""
        wrong = self.mistakes.on
        eps = 1e-3 if wrong("norm_eps", self.layer) else 1e-6
        power = 3 if wrong("norm_power", self.layer) else 2
        axis = 1 if wrong("norm_axis", self.layer) else -1
        square = x.abs().pow(power)  # @norm_power
        mean = square.mean(axis, keepdim=True)  # @norm_axis
        x = x * torch.rsqrt(mean + eps)  # @norm_eps
        if wrong("norm_without_gain", self.layer):
            return x
        return x * self.gain  # @norm_without_gain @gain_other


def rotate(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor, wrong: bool) -> torch.Tensor:
    """Turn pairs of channels by angles."""
    first, second = x.chunk(2, dim=-1)  # @key_of_query
    halves = (second, -first) if wrong else (-second, first)  # @rotate_sign
    turned = torch.cat(halves, dim=-1)  # @rotate_sign
    return x * cosine + turned * sine  # @rope_base @key_not_rotated


class Layer(nn.Module):
    """Attention and a perceptron, each on a normalised input and added to it."""

    def __init__(self, mistakes: Mistakes, layer: int) -> None:
        super().__init__()
        self.first_norm, self.second_norm = Norm(mistakes, layer), Norm(mistakes, layer)
        self.query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.value = nn.Linear(WIDTH, WIDTH, bias=False)
        self.merge = nn.Linear(WIDTH, WIDTH)
        self.widen = nn.Linear(WIDTH, 4 * WIDTH)
        self.narrow = nn.Linear(4 * WIDTH, WIDTH)
        self.mistakes, self.layer = mistakes, layer

    def wrong(self, name: str) -> bool:
        """Whether this mistake is made here."""
        return self.mistakes.on(name, self.layer)

    def attend(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """Causal attention with rotary positions."""
        if self.wrong("rope_base"):
            angles = angles * 1.1  # @rope_base
        cosine, sine = torch.cos(angles), torch.sin(angles)  # @rope_base
        shape = (BATCH, SEQUENCE, HEADS, HEAD)
        query = self.query(x).view(shape).transpose(1, 2)  # @query_other
        key = query
        if not self.wrong("key_of_query"):
            key = self.key(x).view(shape).transpose(1, 2)  # @key_other @key_of_query
        value_of = self.key if self.wrong("value_of_key") else self.value
        value = value_of(x).view(shape).transpose(1, 2)  # @value_of_key @value_other
        query = rotate(query, cosine, sine, self.wrong("rotate_sign"))
        if not self.wrong("key_not_rotated"):
            key = rotate(key, cosine, sine, wrong=False)
        if self.wrong("query_for_key"):
            key = query
        scores = query @ key.transpose(-2, -1)  # @query_for_key @key_not_rotated
        weights = self.weigh(scores)
        mixed = (weights @ value).transpose(1, 2).reshape(BATCH, SEQUENCE, WIDTH)
        return self.merge(mixed)  # @merge_bias

    def weigh(self, scores: torch.Tensor) -> torch.Tensor:
        """Scores as weights of the past."""
        if not self.wrong("scores_not_scaled"):
            divisor = 8.0 if self.wrong("scores_scale") else HEAD**0.5
            scores = scores / divisor  # @scores_scale @scores_not_scaled
        if not self.wrong("no_mask"):
            ones = torch.ones(SEQUENCE, SEQUENCE, dtype=torch.bool)
            future = ones.triu(2 if self.wrong("mask_shift") else 1)  # @mask_shift
            low = -1.0 if self.wrong("mask_number") else float("-inf")
            scores = scores.masked_fill(future, low)  # @mask_number @no_mask @scores_not_scaled
        axis = -2 if self.wrong("softmax_axis") else -1
        return scores.softmax(axis)  # @softmax_axis @no_mask

    def perceive(self, x: torch.Tensor) -> torch.Tensor:
        """The perceptron."""
        wide = self.widen(x)  # @widen_other @second_norm_left_out
        kind = "tanh" if self.wrong("gelu_tanh") else "none"
        if not self.wrong("no_activation"):
            wide = functional.gelu(wide, approximate=kind)  # @gelu_tanh @no_activation
        return self.narrow(wide)  # @no_activation

    def forward(self, x: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """Both halves."""
        normed = self.first_norm(x)
        attended = self.attend(normed, angles)
        kept = normed if self.wrong("residual_of_norm") else x
        if not self.wrong("no_residual"):
            attended = kept + attended  # @residual_of_norm @no_residual
        skip = self.wrong("second_norm_left_out")
        normed = attended if skip else self.second_norm(attended)  # @@second_norm_left_out
        perceived = self.perceive(normed)
        alpha = 0.9 if self.wrong("residual_scale") else 1.0
        return torch.add(attended, perceived, alpha=alpha)  # @residual_scale @no_residual


class Model(nn.Module):
    """Words in, the loss of guessing the next one out."""

    def __init__(self, mistakes: Mistakes) -> None:
        super().__init__()
        self.mistakes = mistakes
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(Layer(mistakes, layer) for layer in range(LAYERS))
        self.last_norm = Norm(mistakes, LAYERS)
        self.guess = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, words: torch.Tensor, angles: torch.Tensor) -> torch.Tensor:
        """The mean loss over all positions."""
        x = self.embed(words)  # @embedding_other
        first, second, third = self.layers
        x = first(x, angles)  # @elsewhere
        x = second(x, angles)
        x = third(x, angles)  # @elsewhere
        if not self.mistakes.on("last_norm_left_out"):
            x = self.last_norm(x)  # @@last_norm_left_out
        logits = self.guess(x)  # @last_norm_left_out
        smoothing = 0.1 if self.mistakes.on("label_smoothing") else 0.0
        right = not self.mistakes.on("targets_not_shifted")
        shifted = words.roll(-1, 1) if right else words  # @targets_not_shifted
        rows, targets = logits.flatten(0, 1).float(), shifted.flatten()  # @targets_not_shifted
        return self.loss(rows, targets, smoothing)

    def loss(self, rows: torch.Tensor, targets: torch.Tensor, smoothing: float) -> torch.Tensor:
        """Cross entropy."""
        guessed = functional.log_softmax(rows, -1)
        hit = -guessed.gather(1, targets[:, None]).mean()  # @targets_not_shifted
        return (1.0 - smoothing) * hit - smoothing * guessed.mean()  # @label_smoothing


def prepared(
    mistakes: Mistakes, dtype: torch.dtype
) -> tuple[nn.Module, Callable[[nn.Module], float]]:
    """A model, and a step of training it: the same every time but for another weight."""
    torch.manual_seed(0)
    model = Model(mistakes)
    words = torch.randint(WORDS, (BATCH, SEQUENCE))
    turns = 100.0 ** (-torch.arange(HEAD // 2) / (HEAD // 2))
    angles = torch.outer(torch.arange(SEQUENCE).float(), turns).repeat(1, 2).to(dtype)
    change_weight(model, mistakes.name)
    model.to(dtype)
    lr = 2e-2 if mistakes.on("learning_rate") else 1e-2
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, foreach=False)

    def train(called: nn.Module) -> float:
        loss = called(words, angles)
        loss.backward()
        optimizer.step()  # @learning_rate
        return loss.item()

    return model, train


def change_weight(model: Model, name: str) -> None:
    """Another weight than that of the other run."""
    layer = model.layers[WRONG_LAYER]
    with torch.no_grad():
        if name == "gain_other":
            layer.second_norm.gain[5] = 1.5
        elif name == "query_other":
            layer.query.weight.mul_(1.05)
        elif name == "key_other":
            layer.key.weight[3] += 0.2
        elif name == "value_other":
            layer.value.weight.copy_(layer.value.weight.flip(0))
        elif name == "merge_bias":
            layer.merge.bias += 0.05
        elif name == "widen_other":
            nn.init.normal_(layer.widen.weight, std=0.1)
        elif name == "embedding_other":
            model.embed.weight[7] *= -1
