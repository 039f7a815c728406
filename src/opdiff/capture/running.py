"""Running a command with the tracker on and bringing its trace home."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from opdiff.capture import collecting
from opdiff.capture.children import CHILDREN
from opdiff.capture.environment import (
    ALLOC_CONF,
    TRACKER_PATH,
    read_alloc_conf,
    tracker_environment,
)
from opdiff.capture.launchers import launched_by, ranks_without
from opdiff.errors import OpdiffError, system_reason

_PYTHON = re.compile(r"^python[\d.]*(?:\.exe)?$")
_PROBE = """
import importlib.metadata, json, platform
found = {"python": platform.python_version()}
for name in ("mindspore", "mindspore-ascend", "mindspore-gpu", "torch", "numpy"):
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""


@dataclass(frozen=True, slots=True)
class CaptureRequest:
    """What to run and where its trace goes."""

    command: tuple[str, ...]
    home: Path
    stacks: bool = False
    rank: int | None = None
    directory: Path = field(default_factory=Path.cwd)
    """Where the command runs."""
    log: Path | None = None
    """A file for the command's output; without it, the output goes where ours goes."""
    probe: bool = True
    """Whether to ask the command's Python what it has installed."""


class CaptureRun(NamedTuple):
    """What happened."""

    request: CaptureRequest
    status: int
    """The exit status; the negative number of the signal that ended it."""
    started: float
    seconds: float
    environment: Mapping[str, str]
    versions: Mapping[str, str]
    """What the command's Python has installed; empty where the command is no Python."""
    left: frozenset[str]
    """The names of the tracker's files that the run left, wherever they are now."""
    files: tuple[Path, ...]
    """What was brought home."""
    kept_earlier: bool = False
    """Whether home still holds the trace of an earlier run, because this one left none."""

    @property
    def traces(self) -> tuple[Path, ...]:
        """The execution orders that hold something, one a rank."""
        return tuple(path for path in self.files if collecting.is_trace(path))

    @property
    def ranks(self) -> frozenset[int]:
        """The ranks of which there is a trace."""
        found = [collecting.rank_of(path.parent) for path in self.traces]
        return frozenset(rank for rank in found if rank is not None)

    @property
    def ranks_without(self) -> tuple[int, ...]:
        """The ranks that were started and left nothing."""
        if self.request.rank is not None or not self.traces:
            return ()
        return ranks_without(launched_by(self.request.command), self.ranks)

    @property
    def exit_status(self) -> int:
        """The status as a shell tells it."""
        return 128 - self.status if self.status < 0 else self.status


def run_and_collect(request: CaptureRequest, base: Mapping[str, str] | None = None) -> CaptureRun:
    """Run the command in the tracker's environment and collect what the tracker wrote."""
    environment = tracker_environment(os.environ if base is None else base, stacks=request.stacks)
    own_path = read_alloc_conf(environment[ALLOC_CONF]).get(TRACKER_PATH)
    roots = [request.directory]
    if own_path:
        roots.append(request.directory / own_path)
    request.home.mkdir(parents=True, exist_ok=True)
    before = collecting.snapshot(roots)
    started, clock = time.time(), time.monotonic()
    status = _run(request, environment)
    seconds = time.monotonic() - clock
    found = collecting.changed(before, collecting.snapshot(roots), request.rank)
    has_trace = any(each.holds_ops for each in found)
    kept_earlier = not has_trace and bool(collecting.traces_in(request.home))
    brought: list[Path] = []
    if not kept_earlier:
        for each in found:
            brought += collecting.bring_home(each, request.home, keep=bool(own_path))
    return CaptureRun(
        request=request,
        status=status,
        started=started,
        seconds=seconds,
        environment=environment,
        versions=python_versions(request.command, environment) if request.probe else {},
        left=frozenset(path.name for each in found for path in each.files),
        files=tuple(brought),
        kept_earlier=kept_earlier,
    )


def _run(request: CaptureRequest, environment: Mapping[str, str]) -> int:
    log = request.log.open("wb") if request.log else None
    try:
        return CHILDREN.run(
            request.command, output=log, directory=request.directory, environment=environment
        )
    except OSError as error:
        command, why = request.command[0], system_reason(error)
        raise OpdiffError("capture.cannot-start", command=command, why=why) from error
    finally:
        if log:
            log.close()


def python_versions(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """What the Python that runs the command has installed; empty if it is none we know."""
    if not _PYTHON.match(os.path.basename(command[0])):
        return {}
    try:
        probe = subprocess.run(
            [command[0], "-c", _PROBE],
            env=environment,
            capture_output=True,
            timeout=60,
            check=True,
        )
        found = json.loads(probe.stdout.decode().strip().rpartition("\n")[2])
        return {str(name): str(version) for name, version in found.items()}
    except (OSError, subprocess.SubprocessError, ValueError):
        return {}


def signal_name(number: int) -> str:
    """``SIGTERM`` for 15, ``signal 99`` for one the system does not know."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
