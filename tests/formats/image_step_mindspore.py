"""Forward and backward of a small residual network on images; run under a real MindSpore."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_device("CPU")
ms.set_context(mode=ms.PYNATIVE_MODE)
random = np.random.default_rng(0)


class Block(nn.Cell):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, pad_mode="pad", padding=1, has_bias=True)
        self.norm = nn.GroupNorm(2, channels)
        self.second = nn.Conv2d(channels, channels, 1, has_bias=True)

    def construct(self, x):
        return x + self.second(ops.relu(self.norm(self.first(x))))


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, stride=2, pad_mode="pad", padding=1, has_bias=True)
        self.blocks = nn.CellList([Block(8), Block(8)])
        self.gate = nn.Dense(8, 8)
        self.head = nn.Dense(8, 5)

    def construct(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        x = ops.mean(x, (2, 3))
        x = x * ops.sigmoid(self.gate(x))
        return self.head(ops.tanh(x))


network = Network()
images = Tensor(random.standard_normal((4, 3, 16, 16)).astype(np.float32))
labels = Tensor(random.integers(0, 5, 4).astype(np.int32))


def forward(x, y):
    return ops.cross_entropy(network(x), y)


ms.value_and_grad(forward, None, network.trainable_params())(images, labels)
