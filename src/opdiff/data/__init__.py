"""What is known of ops by their names, as tables that ship with the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent  # ``importlib.resources`` is slow to import


@cache
def table(name: str) -> dict[str, list[list[str]]]:
    """The lines of a table, each as its words, by the ``[heading]`` above them."""
    found: dict[str, list[list[str]]] = {}
    rows: list[list[str]] = []
    for line in lines(name):
        words = line.partition("  #")[0].split()
        if words[0].startswith("["):
            rows = found[words[0].strip("[]")] = []
        else:
            rows.append(words)
    return found


def lines(name: str) -> list[str]:
    """The lines of a file, without those that are empty or a comment."""
    content = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [line for line in content.splitlines() if line and not line.startswith("#")]
