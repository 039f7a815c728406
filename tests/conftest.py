"""What holds for every test: no screen is needed, and a warning of Qt is a failure."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# How long an example takes depends on who else uses the machine.
settings.register_profile("untimed", deadline=None)
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let every warning that Qt prints during a test fail it."""
    for item in items:
        item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
        item.add_marker(pytest.mark.qt_log_ignore(*_HARMLESS))
