"""The entry point of ``opdiff``."""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    raise SystemExit("not wired yet")
