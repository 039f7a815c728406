"""The encoder under MindSpore: norms after the residuals, learned positions, a tied head."""

from __future__ import annotations

import numpy as np
from mindspore import mint, nn, ops

from lab.bugs import Bug, Variant
from lab.mindspore_networks.weights import weight

WORDS, WIDTH, HEADS, BATCH, LENGTH = 40, 16, 2, 2, 8

BUGS = (
    Bug("no_scale", "missing op", 1, ("jit_forward", "jit_step")),
    Bug("no_mask", "missing op", None, ("jit_forward",)),
    Bug("relu", "other op", 1, ("jit_forward",), held_out=True, shows="ReLU"),
    Bug("lost_residual", "missing op", 0, ("jit_forward",)),
    Bug("reads_input", "wiring", 1, ("jit_forward",), held_out=True),
    Bug("no_positions", "missing op", None, ("jit_step",)),
    Bug("pre_norm", "moved op", 0),
)
VARIANTS = (Variant("jit_forward"), Variant("jit_step"), Variant("rerun"))


class Norm(nn.Cell):
    """Zero mean and unit variance over the channels, scaled and shifted."""

    def __init__(self, seed: int):
        super().__init__()
        self.scale, self.shift = weight(WIDTH, seed=seed), weight(WIDTH, seed=seed + 1)

    def construct(self, x):
        """Normalise."""
        x = x - mint.mean(x, -1, True)
        return x * mint.rsqrt(mint.mean(x * x, -1, True) + 1e-5) * self.scale + self.shift


class Layer(nn.Cell):
    """Attention and a perceptron, each added to its input and then normalised."""

    def __init__(self, lab, layer: int):
        super().__init__()
        seed = 100 * (layer + 1)
        self.query, self.key, self.value, self.merge = (
            weight(WIDTH, WIDTH, seed=seed + number) for number in range(4)
        )
        self.widen = weight(2 * WIDTH, WIDTH, seed=seed + 4)
        self.narrow = weight(WIDTH, 2 * WIDTH, seed=seed + 5)
        self.norm_attention, self.norm_perceptron = Norm(seed + 10), Norm(seed + 20)
        self.no_scale = lab.broken("no_scale", layer)
        self.no_mask = lab.broken("no_mask", layer)
        self.relu = lab.broken("relu", layer)
        self.lost_residual = lab.broken("lost_residual", layer)
        self.reads_input = lab.broken("reads_input", layer)
        self.pre_norm = lab.broken("pre_norm", layer)

    def heads(self, x):
        """Channels split over the heads, heads before words."""
        x = mint.reshape(x, (BATCH, LENGTH, HEADS, WIDTH // HEADS))
        return mint.permute(x, (0, 2, 1, 3))

    def attend(self, x, mask):
        """Scores, softmax, mixture."""
        query = self.heads(mint.nn.functional.linear(x, self.query))
        key = self.heads(mint.nn.functional.linear(x, self.key))
        value = self.heads(mint.nn.functional.linear(x, self.value))
        scores = mint.matmul(query, mint.permute(key, (0, 1, 3, 2)))
        if not self.no_scale:
            scores = scores * (WIDTH // HEADS) ** -0.5  # site: no_scale
        if not self.no_mask:
            scores = scores + mask  # site: no_mask
        mixed = mint.matmul(mint.nn.functional.softmax(scores, dim=-1), value)
        mixed = mint.reshape(mint.permute(mixed, (0, 2, 1, 3)), (BATCH, LENGTH, WIDTH))
        return mint.nn.functional.linear(mixed, self.merge)

    def construct(self, x, mask):
        """Both halves."""
        read = x
        if self.pre_norm:
            read = self.norm_attention(x)  # site: pre_norm
        y = x + self.attend(read, mask)
        if not self.pre_norm:
            y = self.norm_attention(y)  # site: pre_norm
        read = x if self.reads_input else y
        wide = mint.nn.functional.linear(read, self.widen)  # site: reads_input
        wide = mint.nn.functional.relu(wide) if self.relu else ops.gelu(wide)  # site: relu
        z = mint.nn.functional.linear(wide, self.narrow)
        if not self.lost_residual:
            z = y + z  # site: lost_residual
        return self.norm_perceptron(z)


class Network(nn.Cell):
    """Words in, the loss of guessing them out."""

    def __init__(self, lab):
        super().__init__()
        self.words, self.positions = weight(WORDS, WIDTH, seed=1), weight(LENGTH, WIDTH, seed=2)
        self.first, self.second, self.third = (Layer(lab, layer) for layer in range(3))
        self.no_positions = lab.broken("no_positions")

    def construct(self, words, mask, targets):
        """The mean loss over all words."""
        x = ops.gather(self.words, words, 0)
        if not self.no_positions:
            x = x + self.positions  # site: no_positions
        x = self.first(x, mask)  # at: 0
        x = self.second(x, mask)  # at: 1
        x = self.third(x, mask)  # at: 2
        logits = mint.nn.functional.linear(x, self.words)
        likely = mint.log(mint.nn.functional.softmax(logits, dim=-1))
        return -mint.mean(mint.sum(likely * targets, -1))


def inputs() -> list[np.ndarray]:
    """Words, what may be looked at, and the words as hot ones."""
    random = np.random.default_rng(5)
    words = random.integers(WORDS, size=(BATCH, LENGTH))
    mask = np.zeros((BATCH, 1, 1, LENGTH), np.float32)
    mask[1, ..., -3:] = -1e4
    return [words.astype(np.int32), mask, np.eye(WORDS, dtype=np.float32)[words]]
