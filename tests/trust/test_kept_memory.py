"""Memory that arrays gave back is not cleared by the system again and again."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import resource
import numpy as np
from opdiff.kept_memory import keep_memory

if {kept}:
    keep_memory()
for _ in range(8):
    first, second = np.ones(1 << 20), np.ones(1 << 20)
    del first, second
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
"""


def _faults(*, kept: bool) -> int:
    ran = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(kept=kept)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(ran.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the allocator is glibc's")
def test_arrays_take_the_memory_of_those_before_them() -> None:
    assert _faults(kept=True) < _faults(kept=False) - 1000
