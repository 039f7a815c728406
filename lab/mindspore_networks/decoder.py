"""A decoder under MindSpore: rotary positions, grouped queries, gated perceptrons."""

from __future__ import annotations

import numpy as np
from mindspore import mint, nn, ops

from lab.bugs import Bug, Variant
from lab.mindspore_networks.weights import weight

WORDS, WIDTH, HEADS, GROUPS, BATCH, LENGTH = 40, 16, 4, 2, 2, 8
HEAD = WIDTH // HEADS

BUGS = (
    Bug("no_scale", "missing op", 1, ("jit_forward", "jit_step")),
    Bug("no_causal", "missing op", 1, ("jit_step",)),
    Bug("gate_swapped", "wiring", 0, ("jit_forward",)),
    Bug("gate_sigmoid", "missing op", 1, ("jit_step",)),
    Bug("value_of_key", "other weight", 1, ("jit_forward",)),
    Bug("sum_loss", "other op", None, ("jit_step",), shows="SumExt"),
)
VARIANTS = (Variant("jit_forward"), Variant("jit_step"))


class Norm(nn.Cell):
    """Unit mean square over the channels, scaled."""

    def __init__(self, seed: int):
        super().__init__()
        self.scale = weight(WIDTH, seed=seed)

    def construct(self, x):
        """Normalise."""
        return x * mint.rsqrt(mint.mean(mint.square(x), -1, True) + 1e-6) * self.scale


class Layer(nn.Cell):
    """Attention and a gated perceptron, each of its normalised input and added to it."""

    def __init__(self, lab, layer: int):
        super().__init__()
        seed = 100 * (layer + 1)
        self.query, self.merge = (weight(WIDTH, WIDTH, seed=seed + number) for number in range(2))
        self.key, self.value = (
            weight(GROUPS * HEAD, WIDTH, seed=seed + number) for number in (2, 3)
        )
        self.gate, self.up = (weight(2 * WIDTH, WIDTH, seed=seed + number) for number in (4, 5))
        self.down = weight(WIDTH, 2 * WIDTH, seed=seed + 6)
        self.norm_attention, self.norm_perceptron = Norm(seed + 10), Norm(seed + 20)
        self.no_scale = lab.broken("no_scale", layer)
        self.no_causal = lab.broken("no_causal", layer)
        self.gate_swapped = lab.broken("gate_swapped", layer)
        self.gate_sigmoid = lab.broken("gate_sigmoid", layer)
        self.value_of_key = lab.broken("value_of_key", layer)

    def heads(self, x, count):
        """Channels split over the heads, heads before words."""
        return mint.transpose(mint.reshape(x, (BATCH, LENGTH, count, HEAD)), 1, 2)

    def spread(self, x):
        """Each group of heads reads the same."""
        x = mint.unsqueeze(x, 2)
        x = mint.broadcast_to(x, (BATCH, GROUPS, HEADS // GROUPS, LENGTH, HEAD))
        return mint.reshape(x, (BATCH, HEADS, LENGTH, HEAD))

    def rotate(self, x, cos, sin):
        """Turned by the position."""
        first, second = x[..., : HEAD // 2], x[..., HEAD // 2 :]
        return x * cos + mint.cat((-second, first), -1) * sin

    def attend(self, x, cos, sin, mask):
        """Scores, softmax, mixture."""
        linear = mint.nn.functional.linear
        query = self.rotate(self.heads(linear(x, self.query), HEADS), cos, sin)
        key = self.rotate(self.heads(linear(x, self.key), GROUPS), cos, sin)
        made = self.key if self.value_of_key else self.value
        value = linear(x, made)  # site: value_of_key
        key, value = self.spread(key), self.spread(self.heads(value, GROUPS))
        scores = mint.matmul(query, mint.transpose(key, 2, 3))
        if not self.no_scale:
            scores = scores / HEAD**0.5  # site: no_scale
        if not self.no_causal:
            scores = ops.masked_fill(scores, mask < 1, -1e4)  # site: no_causal
        mixed = mint.matmul(mint.nn.functional.softmax(scores, dim=-1), value)
        mixed = mint.reshape(mint.transpose(mixed, 1, 2), (BATCH, LENGTH, WIDTH))
        return linear(mixed, self.merge)

    def construct(self, x, cos, sin, mask):
        """Both halves."""
        linear = mint.nn.functional.linear
        y = x + self.attend(self.norm_attention(x), cos, sin, mask)
        z = self.norm_perceptron(y)
        gate, up = linear(z, self.gate), linear(z, self.up)
        if self.gate_swapped:
            gate, up = up, gate
        bent = mint.sigmoid(gate)  # site: gate_swapped
        if not self.gate_sigmoid:
            bent = gate * bent  # site: gate_sigmoid, gate_swapped
        return y + linear(bent * up, self.down)


class Network(nn.Cell):
    """Words in, the loss of guessing the next ones out."""

    def __init__(self, lab):
        super().__init__()
        self.words, self.head = weight(WORDS, WIDTH, seed=1), weight(WORDS, WIDTH, seed=2)
        self.first, self.second, self.third = (Layer(lab, layer) for layer in range(3))
        self.norm = Norm(7)
        self.sum_loss = lab.broken("sum_loss")

    def construct(self, words, cos, sin, mask, targets):
        """The mean loss over all words."""
        x = ops.gather(self.words, words, 0)
        x = self.first(x, cos, sin, mask)  # at: 0
        x = self.second(x, cos, sin, mask)  # at: 1
        x = self.third(x, cos, sin, mask)  # at: 2
        logits = mint.nn.functional.linear(self.norm(x), self.head)
        chosen = mint.sum(ops.log_softmax(logits, -1) * targets, -1)
        reduced = mint.sum(chosen) if self.sum_loss else mint.mean(chosen)  # site: sum_loss
        return -reduced


def inputs() -> list[np.ndarray]:
    """Words, cosines and sines of positions, what may be looked at, the next words as hot ones."""
    words = np.random.default_rng(5).integers(WORDS, size=(BATCH, LENGTH))
    angles = np.outer(np.arange(LENGTH), 0.1 ** np.arange(HEAD // 2))
    angles = np.concatenate((angles, angles), -1).astype(np.float32)
    mask = np.tril(np.ones((LENGTH, LENGTH), np.float32))
    targets = np.eye(WORDS, dtype=np.float32)[(words + 1) % WORDS]
    return [words.astype(np.int32), np.cos(angles), np.sin(angles), mask, targets]
