"""What holds for every test: no screen is needed, a warning of Qt is a failure, nothing is left."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes depends on who else uses the machine.
settings.register_profile("untimed", deadline=None, suppress_health_check=(HealthCheck.too_slow,))
settings.load_profile("untimed")

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# The desktop's language must not decide what a test sees.
os.environ["LC_ALL"] = "C.UTF-8"

_HARMLESS = [
    # Said by the platform that has no screen, whenever a window is shown.
    "This plugin does not support propagateSizeHints",
    "This plugin does not support raise",
    "This plugin does not support grabbing the keyboard",
]


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a command, which copies its process: whoever runs tests may have threads of its own."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor, or no copies of processes")
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let every warning that Qt prints during a test fail it."""
    for item in items:
        item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
        item.add_marker(pytest.mark.qt_log_ignore(*_HARMLESS))


def pytest_runtest_logfinish() -> None:
    """Collect garbage between tests where a window has left that to its event loop."""
    if not gc.isenabled():
        from opdiff.ui.main_thread import collect_due

        collect_due()


_UNTRACKED = pytest.StashKey[set[str]]()


def _untracked() -> set[str]:
    """The files of the working folder that nobody has committed; none where it is no checkout."""
    command = ["git", "ls-files", "--others", "--exclude-standard", "-z"]
    root = Path(__file__).parents[1]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return set()
    return set(done.stdout.split("\0")) - {""}


def pytest_sessionstart(session: pytest.Session) -> None:
    """Remember what was there; of several processes, in the one that waits for the others."""
    if not hasattr(session.config, "workerinput"):
        session.config.stash[_UNTRACKED] = _untracked()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Let a test that writes into the working folder fail the run."""
    left = _untracked() - session.config.stash.get(_UNTRACKED, _untracked())
    if left:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        names = ", ".join(sorted(left))
        print(f"\nERROR: a test wrote into the working folder, or somebody did meanwhile: {names}")
