"""Runs of clusters are made as those of the samples are."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2] / "samples"))
