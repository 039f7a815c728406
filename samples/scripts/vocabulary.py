"""A vocabulary embedding split over several devices, as one of them computes it.

``python vocabulary.py`` runs eagerly; ``python vocabulary.py ast`` compiles only the masking of
foreign words, as one does when the whole function cannot be compiled.
"""

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, jit, mint, ops

FIRST, LAST, WIDTH = 16, 32, 8


def mask_foreign_words(words):
    """The words of this device counted from 0, the others as 0; and which the others are."""
    foreign = (words < FIRST) | (words >= LAST)
    own = words - FIRST
    return own * mint.logical_not(foreign), foreign


def embed(words, weight, mask):
    """The rows of the words this device holds; zeros for the others."""
    own, foreign = mask(words)
    rows = ops.gather(weight, own, 0)
    return rows * mint.logical_not(foreign)[..., None]


if __name__ == "__main__":
    mode = sys.argv[1] if len(sys.argv) > 1 else "eager"
    mask = mask_foreign_words if mode == "eager" else jit(capture_mode=mode)(mask_foreign_words)
    random = np.random.default_rng(5)
    words = Tensor(random.integers(0, 64, (4, 2)), ms.int64)
    weight = Tensor(random.standard_normal((LAST - FIRST, WIDTH)), ms.float32)
    print(f"{mode}: {float(mint.sum(embed(words, weight, mask))):.4f}")
