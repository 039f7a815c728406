"""Two ranks of MindSpore on the CPU, one of which may do something more. Run by msrun."""

from __future__ import annotations

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, ops
from mindspore.communication import get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
init()
hidden = ops.relu(ops.matmul(Tensor(np.ones((4, 8), np.float32)), Tensor(np.eye(8, dtype="f"))))
hidden = ops.AllReduce()(hidden)
if get_rank() == 1 and sys.argv[1:] == ["wrong"]:
    hidden = ops.exp(hidden)
print(hidden.asnumpy().sum())
