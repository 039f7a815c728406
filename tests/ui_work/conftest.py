from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bench_driving import Bench
from pytestqt.qtbot import QtBot


@pytest.fixture
def bench(qtbot: QtBot, tmp_path: Path) -> Iterator[Bench]:
    """A window on which nothing is open yet."""
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.window.close()


@pytest.fixture
def compared(bench: Bench) -> Bench:
    """A window on the rope pair, compared upward."""
    bench.compare()
    return bench
