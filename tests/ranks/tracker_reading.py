"""Traces from text, without keeping a file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from opdiff.readers import open_trace
from opdiff.trace import Trace


def read_ops(text: str) -> Trace:
    """The trace in a text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tracker_graph.ir"
        path.write_text(text, encoding="utf-8")
        return open_trace(path)
