"""What the programs of both frameworks share: the runs that cases need, and how they are kept."""

from __future__ import annotations

import fnmatch
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from lab.bugs import EAGER, Bug

Recorder = Callable[[ModuleType, Bug | None, str, Path], dict[str, Any]]


def runs_of(network: ModuleType) -> Iterator[tuple[Bug | None, str]]:
    """Every run that a case needs: the good one in all ways in use, each bug in its own."""
    bugs: tuple[Bug, ...] = network.BUGS
    ways = {variant.way for variant in network.VARIANTS}
    ways.update(way for bug in bugs for way in bug.ways)
    yield None, EAGER
    for way in sorted(ways):
        yield None, way
    for bug in bugs:
        for way in (EAGER, *bug.ways):
            yield bug, way


def run_name(network: str, bug: str | None, way: str) -> str:
    """What the files of a run are called."""
    return f"{network}-{bug or 'good'}-{way}"


def record_all(prefix: str, modules: Sequence[str], record: Recorder) -> None:
    """Record what the command line asks for: ``FOLDER [GLOB]``.

    A trace and what is known about it are written for each run, and for each network a file that
    lists its bugs and ways of running: whoever puts the cases together needs no framework.
    """
    folder = Path(sys.argv[1])
    wanted = sys.argv[2] if len(sys.argv) > 2 else "*"
    folder.mkdir(parents=True, exist_ok=True)
    for module in modules:
        network = import_module(module)
        name = f"{prefix}{module.rsplit('.', 1)[-1]}"
        _write(
            folder / f"{name}.network.json",
            {
                "name": name,
                "held_out": getattr(network, "HELD_OUT", False),
                "bugs": [asdict(bug) for bug in network.BUGS],
                "variants": [asdict(variant) for variant in network.VARIANTS],
            },
        )
        for bug, way in runs_of(network):
            run = run_name(name, bug.key if bug else None, way)
            if fnmatch.fnmatch(run, wanted):
                facts = record(network, bug, way, folder / f"{run}.ir")
                _write(folder / f"{run}.json", facts)
                print(f"{run}: loss {facts['loss']:.6f}, {facts['ops']} ops", flush=True)


def _write(path: Path, what: dict[str, Any]) -> None:
    path.write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")
