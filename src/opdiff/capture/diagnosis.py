"""Why a run left no trace: the causes known, most telling first."""

from __future__ import annotations

import re

from opdiff.capture.collecting import TABLES, TRACE
from opdiff.capture.environment import ALLOC_CONF, SIMPLE_TRACKER, is_on, read_alloc_conf
from opdiff.capture.running import Run, signal_name
from opdiff.wording import Sentence

_FIRST_VERSION = (2, 5)
"""Versions before it write the tables and no trace."""


def why_no_trace(run: Run) -> Sentence | None:
    """The reason there is no trace, or None where there is one."""
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


def _signal(run: Run) -> int:
    """The signal that ended the command, also where a shell around it reports 128 + signal."""
    if run.status < 0:
        return -run.status
    return run.status - 128 if 128 < run.status < 160 else 0


def _mindspore(run: Run) -> str:
    names = (name for name in run.versions if name.startswith("mindspore"))
    return next((run.versions[name] for name in names), "")


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:2])
