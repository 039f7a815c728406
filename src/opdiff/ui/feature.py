"""A feature of the window that brings its own actions, what they do and when they are possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

Handlers = Mapping[str, Callable[[], object]]
"""What each action does, by its name."""


class Feature(Protocol):
    """Put into the window's list of features, it is connected and asked by itself."""

    def handlers(self) -> Handlers:
        """What each of its actions does."""

    def possible(self) -> frozenset[str]:
        """Which of its actions can be done now, by name."""
