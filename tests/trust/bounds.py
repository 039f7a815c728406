"""Running the program where it may use only so much: what grows faster than its input fails."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

CPU_SECONDS = 20
"""Many times what each of these inputs takes, on any machine: a bound, not a measurement."""
MEMORY = 2 << 30


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def opdiff(
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    limit: Callable[[], None] = _limited,
) -> subprocess.CompletedProcess[bytes]:
    """The program in a process of its own, ended where it uses too much."""
    return bounded("opdiff", *arguments, environment=environment, limit=limit)


def bounded(
    module: str,
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    limit: Callable[[], None] = _limited,
) -> subprocess.CompletedProcess[bytes]:
    """A module of ours likewise."""
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=600,  # for what waits instead of computing
        preexec_fn=limit,
        # One thread: each of those that a library starts reserves address space.
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", **(environment or {})},
    )
