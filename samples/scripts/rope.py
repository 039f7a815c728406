"""Two attention blocks whose rotary embedding can be compiled by mindspore.jit.

``python rope.py`` runs eagerly; ``python rope.py ast`` (or bytecode, trace) compiles the rotary
embedding that way. ``apply_rotary`` is also the function the walk-through gives to
``opdiff capture --jit-matrix``: ``example_inputs`` tells what to call it with.
"""

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, jit, mint

SEQUENCE, BATCH, HEADS, WIDTH, ROTARY = 16, 2, 4, 32, 16


def rotate_half(x):
    """The second half, negated, before the first."""
    first, second = mint.chunk(x, 2, dim=-1)
    return mint.cat((-second, first), dim=-1)


def apply_rotary(x, angles):
    """Turn the leading channels by the angles and leave the others alone."""
    width = angles.shape[-1]
    turned, rest = x[..., :width], x[..., width:]
    turned = turned * mint.cos(angles) + rotate_half(turned) * mint.sin(angles)
    return mint.cat((turned, rest), dim=-1)


def example_inputs():
    """Two sets of arguments: the function must be right for the second one too."""
    random = np.random.default_rng(7)
    shape = (SEQUENCE, BATCH, HEADS, WIDTH)
    angles = Tensor(random.standard_normal((SEQUENCE, 1, 1, ROTARY)), ms.float32)
    return [(Tensor(random.standard_normal(shape), ms.float32), angles) for _ in range(2)]


def block(x, weight, angles, rotary):
    """Normalise, project to query, key and value, turn the first two, attend."""
    x = x * mint.rsqrt(mint.mean(x * x, dim=-1, keepdim=True) + 1e-6)
    query, key, value = mint.split(mint.matmul(x, weight), HEADS * WIDTH, dim=-1)
    shape = (SEQUENCE, BATCH, HEADS, WIDTH)
    query = rotary(mint.reshape(query, shape), angles)
    key = rotary(mint.reshape(key, shape), angles)
    query, key, value = (mint.permute(t, (1, 2, 0, 3)) for t in (query, key, value.reshape(shape)))
    scores = mint.matmul(query, mint.permute(key, (0, 1, 3, 2))) / WIDTH**0.5
    attended = mint.matmul(mint.nn.functional.softmax(scores, dim=-1), value)
    return mint.reshape(mint.permute(attended, (2, 0, 1, 3)), (SEQUENCE, BATCH, HEADS * WIDTH))


def run(rotary):
    """Two blocks, one after the other; the sum of what comes out."""
    random = np.random.default_rng(3)
    x = Tensor(random.standard_normal((SEQUENCE, BATCH, HEADS * WIDTH)), ms.float32) * 1.0
    weight = Tensor(random.standard_normal((HEADS * WIDTH, 3 * HEADS * WIDTH)) * 0.1, ms.float32)
    angles = Tensor(random.standard_normal((SEQUENCE, 1, 1, ROTARY)), ms.float32) * 1.0
    for _ in range(2):
        x = block(x, weight, angles, rotary)
    return float(mint.sum(x))


if __name__ == "__main__":
    mode = sys.argv[1] if len(sys.argv) > 1 else "eager"
    rotary = apply_rotary if mode == "eager" else jit(capture_mode=mode)(apply_rotary)
    print(f"{mode}: {run(rotary):.4f}")
