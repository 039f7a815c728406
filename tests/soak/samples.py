"""Traces to begin from: everything in the repository that any reader reads."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.readers import open_trace

ROOT = Path(__file__).parents[2]
_LARGEST = 200_000
_NO_TRACES = {".md", ".py", ".yaml", ".opdiff", ".pyc"}


@cache
def contents() -> dict[str, tuple[bytes, ...]]:
    """The samples and the data of the tests by their format."""
    found: dict[str, list[bytes]] = {}
    for folder in ("samples", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in _NO_TRACES or not path.is_file() or path.stat().st_size > _LARGEST:
                continue
            try:
                trace = open_trace(path)
            except OpdiffError:
                continue
            found.setdefault(trace.source.format, []).append(path.read_bytes())
    return {name: tuple(texts) for name, texts in found.items()}


def any_content(chance: random.Random) -> bytes:
    """One of them, each format as often as any other."""
    return chance.choice(contents()[chance.choice(sorted(contents()))])


def tracker_records(chance: random.Random) -> list[bytes]:
    """The records of an execution order, three lines each."""
    while True:
        lines = chance.choice(contents()["mindspore-tracker"]).split(b"\n")
        records = [b"\n".join(lines[at : at + 3]) + b"\n" for at in range(0, len(lines) - 2, 3)]
        if len(records) > 4 and all(b"task_info" in record for record in records):
            return records
