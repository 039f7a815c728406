"""Rewrite the console blocks of the documents with what their commands print now."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "docs"))

from console_blocks import Store, refreshed  # noqa: E402 - only importable after the line above


def main(words: list[str]) -> int:
    """Refresh the pages named, or all; the status tells whether a command failed."""
    real = "--real" in words
    named = [Path(word) for word in words if word != "--real"]
    failed = False
    for page in named or [*ROOT.glob("README*.md"), *sorted(ROOT.glob("docs/**/*.md"))]:
        text = page.read_text(encoding="utf-8")
        if "```console" not in text:
            continue
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder))
            now = refreshed(text, store, real=real)
        if now != text:
            page.write_text(now, encoding="utf-8")
            print(f"{page}: refreshed")
        for failure in store.failures:
            failed = True
            print(f"{page}: {failure}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
