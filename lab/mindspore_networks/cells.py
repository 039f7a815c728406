"""A vision transformer of MindSpore's ready-made cells, of which eager code runs some as graphs."""

from __future__ import annotations

import numpy as np
from mindspore import Tensor, nn, ops

from lab.bugs import Bug, Variant
from lab.mindspore_networks.weights import weight

BATCH, SIZE, PATCH, WIDTH, HEADS, CLASSES, LAYERS = 2, 8, 4, 16, 2, 5, 3
TOKENS = (SIZE // PATCH) ** 2 + 1

BUGS = (
    Bug("no_scale", "missing op", 1, ("jit_forward",)),
    Bug("swapped_query", "wiring", 1),
    Bug("relu", "other op", 2, ("jit_step",)),
    Bug("no_gate", "missing op", 1, ("jit_step",)),
)
VARIANTS = (Variant("jit_forward"), Variant("jit_step"))


def filled(cell, seed: int):
    """The cell, its parameters by the seed alone."""
    for number, parameter in enumerate(cell.get_parameters()):
        values = 0.3 * np.random.default_rng(seed + number).standard_normal(parameter.shape)
        values += parameter.name.endswith("gamma")
        parameter.set_data(Tensor(values.astype(np.float32)))
    return cell


class Attention(nn.Cell):
    """Query, key and value by one product."""

    def __init__(self, lab, layer: int):
        super().__init__()
        self.all = filled(nn.Dense(WIDTH, 3 * WIDTH), 10 * layer)
        self.merge = filled(nn.Dense(WIDTH, WIDTH), 10 * layer + 500)
        self.no_scale = lab.broken("no_scale", layer)
        self.swapped_query = lab.broken("swapped_query", layer)

    def construct(self, x):
        """Scores, softmax, mixture."""
        parts = self.all(x).reshape(BATCH, TOKENS, 3, HEADS, WIDTH // HEADS)
        parts = ops.transpose(parts, (2, 0, 3, 1, 4))
        query, key, value = parts[0], parts[1], parts[2]
        if self.swapped_query:
            query, key = key, query
        scores = ops.matmul(query, ops.transpose(key, (0, 1, 3, 2)))  # site: swapped_query
        if not self.no_scale:
            scores = scores * (WIDTH // HEADS) ** -0.5  # site: no_scale
        mixed = ops.matmul(ops.softmax(scores, axis=-1), value)
        return self.merge(ops.transpose(mixed, (0, 2, 1, 3)).reshape(BATCH, TOKENS, WIDTH))


class Block(nn.Cell):
    """Attention and a perceptron, each of its normalised input and added to it."""

    def __init__(self, lab, layer: int):
        super().__init__()
        self.norm_attention = filled(nn.LayerNorm((WIDTH,)), 900 + layer)
        self.norm_perceptron = filled(nn.LayerNorm((WIDTH,)), 950 + layer)
        self.attention = Attention(lab, layer)
        self.widen = filled(nn.Dense(WIDTH, 2 * WIDTH), 600 + 10 * layer)
        self.narrow = filled(nn.Dense(2 * WIDTH, WIDTH), 700 + 10 * layer)
        self.gate = weight(WIDTH, seed=30 + layer)
        self.relu, self.no_gate = lab.broken("relu", layer), lab.broken("no_gate", layer)

    def construct(self, x):
        """Both halves."""
        y = self.attention(self.norm_attention(x))
        if not self.no_gate:
            y = y * self.gate  # site: no_gate
        y = x + y
        z = self.widen(self.norm_perceptron(y))
        z = ops.relu(z) if self.relu else ops.gelu(z)  # site: relu
        return y + self.narrow(z)


class Network(nn.Cell):
    """Images in, the loss of guessing their classes out."""

    def __init__(self, lab):
        super().__init__()
        self.patches = filled(nn.Conv2d(3, WIDTH, PATCH, PATCH, has_bias=True), 1)
        self.token = weight(1, 1, WIDTH, seed=2)
        self.positions = weight(1, TOKENS, WIDTH, seed=3)
        self.blocks = nn.CellList([Block(lab, layer) for layer in range(LAYERS)])
        self.norm = filled(nn.LayerNorm((WIDTH,)), 4)
        self.head = filled(nn.Dense(WIDTH, CLASSES), 5)

    def construct(self, images, targets):
        """The mean loss over all images."""
        x = ops.transpose(self.patches(images).reshape(BATCH, WIDTH, -1), (0, 2, 1))
        x = ops.concat((ops.tile(self.token, (BATCH, 1, 1)), x), 1) + self.positions
        x = self.blocks[0](x)  # at: 0
        x = self.blocks[1](x)  # at: 1
        x = self.blocks[2](x)  # at: 2
        logits = self.head(self.norm(x)[:, 0])
        return -ops.mean(ops.reduce_sum(ops.log_softmax(logits, -1) * targets, -1))


def inputs() -> list[np.ndarray]:
    """Images, and their classes as hot ones."""
    random = np.random.default_rng(5)
    images = random.standard_normal((BATCH, 3, SIZE, SIZE)).astype(np.float32)
    return [images, np.eye(CLASSES, dtype=np.float32)[random.integers(CLASSES, size=BATCH)]]
