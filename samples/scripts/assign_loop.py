"""A compiled loop that writes a parameter three times and reads it after each write.

With MS_DEV_SAVE_GRAPHS=1 the graphs land beside it; MS_DEV_SIDE_EFFECT_LOAD_ELIM decides whether
every read gets a copy of its own (0: the gradient is 3) or none does (3: it is 6, which is wrong).
"""

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


class Counter(nn.Cell):
    """Adds up what it has just written."""

    def __init__(self):
        super().__init__()
        self.level = Parameter(Tensor(np.array(0), ms.int32), name="level")

    def construct(self, x):
        """Write 0, 1, 2; multiply by each."""
        total = 0
        step = 0
        while step < 3:
            ops.assign(self.level, step)
            total = x * self.level + total
            step = step + 1
        return total


class Gradient(nn.Cell):
    """The derivative by the input: the sum of the values read."""

    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net
        self.grad = ops.GradOperation(get_all=True)

    @ms.jit
    def construct(self, *inputs):
        """Gradients by all inputs."""
        return self.grad(self.net)(*inputs)


print(Gradient(Counter())(Tensor(np.array(1), ms.int32)))
