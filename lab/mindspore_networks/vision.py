"""Vision under MindSpore: depthwise convolutions, norms over the batch, squeezed gates."""

from __future__ import annotations

import numpy as np
from mindspore import mint, nn, ops

from lab.bugs import Bug, Variant
from lab.mindspore_networks.weights import weight

BATCH, CHANNELS, SIZE, CLASSES = 2, 8, 8, 5
WIDE = 2 * CHANNELS

BUGS = (
    Bug("squeeze_relu", "other op", 0, ("jit_forward",)),
    Bug("spare_weight", "other weight", 2, ("jit_forward", "jit_step")),
    Bug("max_pool", "other op", None, ("jit_step",)),
)
VARIANTS = (Variant("jit_forward"), Variant("jit_step"))


class Block(nn.Cell):
    """Wide in between, with a gate for each channel; added to its input."""

    def __init__(self, lab, number: int):
        super().__init__()
        seed = 50 * (number + 1)
        self.widen = weight(WIDE, CHANNELS, 1, 1, seed=seed)
        self.deep = weight(WIDE, 1, 3, 3, seed=seed + 1)
        self.narrow, self.spare = (
            weight(CHANNELS, WIDE, 1, 1, seed=seed + each) for each in (2, 3)
        )
        self.squeeze, self.excite = weight(4, WIDE, seed=seed + 4), weight(WIDE, 4, seed=seed + 5)
        self.scale, self.shift = weight(WIDE, seed=seed + 6), weight(WIDE, seed=seed + 7)
        self.squeeze_relu = lab.broken("squeeze_relu", number)
        self.spare_weight = lab.broken("spare_weight", number)

    def norm(self, x):
        """Zero mean and unit variance of each channel, scaled and shifted."""
        x = x - mint.mean(x, (0, 2, 3), True)
        x = x / mint.sqrt(mint.mean(mint.square(x), (0, 2, 3), True) + 1e-5)
        return x * mint.reshape(self.scale, (1, -1, 1, 1)) + mint.reshape(self.shift, (1, -1, 1, 1))

    def construct(self, x):
        """One block."""
        relu, linear = mint.nn.functional.relu, mint.nn.functional.linear
        y = self.norm(ops.conv2d(x, self.widen))
        y = y * mint.sigmoid(y)
        y = ops.conv2d(y, self.deep, pad_mode="pad", padding=1, groups=WIDE)
        gate = linear(relu(linear(mint.mean(y, (2, 3)), self.squeeze)), self.excite)
        gate = relu(gate) if self.squeeze_relu else mint.sigmoid(gate)  # site: squeeze_relu
        y = y * mint.reshape(gate, (BATCH, WIDE, 1, 1))
        kernel = self.spare if self.spare_weight else self.narrow
        return x + ops.conv2d(y, kernel)  # site: spare_weight


class Network(nn.Cell):
    """Images in, the loss of guessing their classes out."""

    def __init__(self, lab):
        super().__init__()
        self.stem, self.head = weight(CHANNELS, 3, 3, 3, seed=1), weight(CLASSES, CHANNELS, seed=2)
        self.first, self.second, self.third = (Block(lab, number) for number in range(3))
        self.max_pool = lab.broken("max_pool")

    def construct(self, images, targets):
        """The mean loss over all images."""
        x = ops.conv2d(mint.flip(images, (3,)), self.stem, pad_mode="pad", padding=1)
        x = self.first(x)  # at: 0
        x = self.second(x)  # at: 1
        x = self.third(x)  # at: 2
        pooled = mint.amax(x, (2, 3)) if self.max_pool else mint.mean(x, (2, 3))  # site: max_pool
        logits = mint.nn.functional.linear(pooled, self.head)
        return -mint.mean(mint.sum(ops.log_softmax(logits, -1) * targets, -1))


def inputs() -> list[np.ndarray]:
    """Images, and their classes as hot ones."""
    random = np.random.default_rng(5)
    images = random.standard_normal((BATCH, 3, SIZE, SIZE)).astype(np.float32)
    return [images, np.eye(CLASSES, dtype=np.float32)[random.integers(CLASSES, size=BATCH)]]
