"""Killed at any moment while saving: the session is one of those saved, and whole."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.soak.samples import ROOT

from opdiff.readers import open_trace
from opdiff.session import Work, read_session, save_session

# Saves with ever more pins, for as long as it lives.
_SAVER = """
import sys
from dataclasses import replace
from opdiff.compare import Request
from opdiff.readers import open_trace
from opdiff.session import Work, save_session

left, right = open_trace(sys.argv[1]), open_trace(sys.argv[2])
count = 0
while True:
    pins = tuple((row, row) for row in range(count % 150))
    save_session(sys.argv[3], Work(Request(pins=pins)), left, right)
    if count == 0:
        print("saving", flush=True)
    count += 1
"""
_KILLS = 6


def one_round(chance: random.Random, scratch: Path) -> None:
    """Kill a few in a row, then save in peace."""
    files = ROOT / "samples/rope/eager.ir", ROOT / "samples/rope/jit.ir"
    left, right = map(open_trace, files)
    session = scratch / "work.opdiff"
    command = [sys.executable, "-c", _SAVER, *map(str, files), str(session)]
    for _ in range(_KILLS):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as saver:
            assert saver.stdout is not None
            assert saver.stdout.readline() == b"saving\n"
            time.sleep(chance.uniform(0, 0.05))
            saver.send_signal(signal.SIGKILL)
        work = read_session(session).restore(left, right).work
        pins = work.request.pins
        assert pins == tuple((row, row) for row in range(len(pins))), "half of a session"
        drafts = [path.name for path in scratch.glob(".*.part")]
        assert len(drafts) <= 1, f"left behind and not removed: {drafts}"
    save_session(session, Work(), left, right)
    names = [path.name for path in scratch.iterdir()]
    assert names == ["work.opdiff"], names
    assert read_session(session).restore(left, right).work == Work()
