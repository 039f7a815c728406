"""One step of a small network as a compiled graph; run by the tests under a real MindSpore."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_device("CPU")
ms.set_context(mode=ms.GRAPH_MODE)
random = np.random.default_rng(0)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(random.standard_normal((16, 8)).astype(np.float32)))

    def construct(self, x):
        scaled = x * ops.rsqrt(ops.mean(x * x, -1, True) + 1e-5)
        return ops.sum(ops.relu(ops.matmul(scaled, self.weight)))


network = Network()
data = Tensor(random.standard_normal((4, 16)).astype(np.float32))
ms.value_and_grad(network, None, weights=network.trainable_params())(data)
