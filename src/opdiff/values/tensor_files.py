"""Whole tensors in files, whoever wrote them: NumPy, PyTorch or GE."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.values.ge_files import GeTensor
from opdiff.values.torch_files import read_torch_file

_ARCHIVE = b"PK\x03\x04"


def load_tensor(path: str, inside: GeTensor | None = None) -> NDArray[np.generic]:
    """The elements of the tensor in a file, or of one *inside* it; bfloat16 as bits.

    Raises OpdiffError, OSError, ValueError or EOFError where they cannot be read.
    """
    if inside is not None:
        return inside.load(path)
    with open(path, "rb") as file:
        if file.read(len(_ARCHIVE)) == _ARCHIVE:
            return read_torch_file(path)
    array: NDArray[np.generic] = np.load(path, mmap_mode="r", allow_pickle=False)
    return array
