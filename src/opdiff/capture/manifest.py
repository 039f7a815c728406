"""The small file beside a captured trace that says how it came about."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from pathlib import Path

from opdiff import __version__
from opdiff.capture import collecting
from opdiff.capture.collecting import TABLES, TRACE
from opdiff.capture.environment import (
    ALLOC_CONF,
    SIMPLE_TRACKER,
    is_on,
    read_alloc_conf,
    what_matters,
)
from opdiff.capture.masking import masked_command
from opdiff.capture.running import CaptureRun, signal_name
from opdiff.errors import OpdiffError
from opdiff.regular_files import read_bounded
from opdiff.report.writing import write_atomically
from opdiff.wording import Sentence, say
from opdiff.wording.printable import json_text

_FIRST_VERSION = (2, 5)
"""Versions before it write the tables and no trace."""
NAME = "capture.json"
SCHEMA = "opdiff-capture/1"
_MOST_BYTES = 1_000_000


def why_no_trace(run: CaptureRun) -> Sentence | None:
    """The reason there is no trace, the most telling one; None where there is a trace."""
    if run.traces:
        return None
    number = _signal(run)
    if number:
        return Sentence.of("capture.killed", signal=signal_name(number))
    if is_on(read_alloc_conf(run.environment.get(ALLOC_CONF, "")), SIMPLE_TRACKER):
        return Sentence.of("capture.simple-tracker")
    version = _mindspore(run)
    if version and _number(version) < _FIRST_VERSION:
        return Sentence.of("capture.old-version", version=version)
    names = run.left
    if TRACE in names:
        return Sentence.of("capture.nothing-ran")
    if names & set(TABLES):
        return Sentence.of("capture.only-tables")
    if run.versions and not version:
        return Sentence.of("capture.no-mindspore", python=run.request.command[0])
    if run.status:
        return Sentence.of("capture.failed", status=run.status)
    if run.request.rank is not None:
        return Sentence.of("capture.no-rank", rank=run.request.rank)
    return Sentence.of("capture.no-files")


def _signal(run: CaptureRun) -> int:
    """The signal that ended the command, also where a shell around it reports 128 + signal."""
    if run.status < 0:
        return -run.status
    return run.status - 128 if 128 < run.status < 160 else 0


def _mindspore(run: CaptureRun) -> str:
    names = (name for name in run.versions if name.startswith("mindspore"))
    return next((run.versions[name] for name in names), "")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])


def write_manifest(run: CaptureRun) -> Path:
    """Write what is known of a run beside its trace; returns where.

    Of the environment only variables by name, and neither there nor in the command line what looks
    like a secret: traces are handed on.

    What an earlier run says it brought and this one did not replace goes: it would pass for this
    one's. Where one rank was asked for, those of the others stay.
    """
    reason = why_no_trace(run)
    home = run.request.home
    brought = [path.relative_to(home).as_posix() for path in run.files]
    if run.request.rank is None:
        collecting.remove(home, _brought_earlier(home) - set(brought))
    started = datetime.fromtimestamp(run.started, timezone.utc)
    content = {
        "schema": SCHEMA,
        "command": masked_command(run.request.command),
        "directory": str(run.request.directory),
        "started": started.isoformat(timespec="seconds"),
        "seconds": round(run.seconds, 3),
        "exit_status": run.status,
        "environment": what_matters(run.environment),
        "versions": {"opdiff": __version__, **run.versions},
        "files": brought,
        "ranks_without": list(run.ranks_without),
        "problem": say(reason) if reason else None,
    }
    path = home / NAME
    write_atomically(path, (json_text(content, indent=1) + "\n").encode("utf-8"))
    return path


def _brought_earlier(home: Path) -> set[str]:
    """What the manifest that is there lists; nothing where there is none that can be read."""
    try:
        content = json.loads(read_bounded(home / NAME, _MOST_BYTES))
    except (OpdiffError, OSError, RecursionError, ValueError):
        return set()
    files = content.get("files") if isinstance(content, dict) else None
    return {name for name in files if isinstance(name, str)} if isinstance(files, list) else set()
