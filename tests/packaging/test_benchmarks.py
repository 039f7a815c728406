"""The benchmark of painting runs: else nobody notices when a part of the panes is renamed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_the_benchmark_of_painting_runs_and_tells() -> None:
    command = [sys.executable, "-m", "benchmarks", "painting", "--ops", "300"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("painting")
