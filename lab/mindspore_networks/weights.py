"""Parameters for the networks under MindSpore."""

from __future__ import annotations

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor


def weight(*shape: int, seed: int) -> Parameter:
    """A parameter whose values depend on the seed alone."""
    values = np.random.default_rng(seed).standard_normal(shape) / shape[-1] ** 0.5
    return Parameter(Tensor(values, ms.float32))


def kernel(written: int, read: int, side: int, seed: int) -> Parameter:
    """The weights of a convolution, as small as all that one place reads wants them."""
    values = weight(written, read * side * side, seed=seed).asnumpy()
    return Parameter(Tensor(values.reshape(written, read, side, side)))
