"""The small file beside a captured trace that says how it came about."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path

from opdiff import __version__
from opdiff.capture.diagnosis import why_no_trace
from opdiff.capture.environment import what_matters
from opdiff.capture.running import Run
from opdiff.wording import say

NAME = "capture.json"
SCHEMA = "opdiff-capture/1"


def write_manifest(run: Run) -> Path:
    """Write what is known of a run beside its trace; returns where."""
    reason = why_no_trace(run)
    home = run.request.home
    started = datetime.fromtimestamp(run.started, timezone.utc)
    content = {
        "schema": SCHEMA,
        "command": list(run.request.command),
        "directory": str(run.request.directory),
        "started": started.isoformat(timespec="seconds"),
        "seconds": round(run.seconds, 3),
        "exit_status": run.status,
        "environment": what_matters(run.environment),
        "versions": {"opdiff": __version__, **run.versions},
        "files": [str(path.relative_to(home)) for path in run.files],
        "problem": say(reason) if reason else None,
    }
    path = home / NAME
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path
