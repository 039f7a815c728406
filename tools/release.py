"""``make release VERSION=x.y.z``: set the version, close the changelog's open section, commit, tag.

Everything is checked before anything is changed, and nothing is pushed: that is said at the end.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
from pathlib import Path

VERSION_FILE = Path("src/opdiff/__init__.py")
CHANGELOG = Path("CHANGELOG.md")
NOTHING = "Nothing yet."

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_VERSION_LINE = re.compile(r'^__version__ = "([^"]+)"$', re.M)
_OPEN = re.compile(r"^## Unreleased\b[^\n]*\n(.*?)(?=^## |\Z)", re.M | re.S)


class RefusedError(Exception):
    """Why there is no release."""


def main(argv: list[str] | None = None) -> int:
    """Release; the exit status is 2 where something speaks against it, and nothing is changed."""
    parser = argparse.ArgumentParser(prog="release", description=__doc__)
    parser.add_argument("version", metavar="X.Y.Z")
    parser.add_argument("--root", type=Path, default=Path(), help="the repository")
    parser.add_argument("--date", default=datetime.date.today().isoformat(), help="YYYY-MM-DD")
    options = parser.parse_args(argv)
    try:
        release(options.root, options.version, datetime.date.fromisoformat(options.date))
    except (RefusedError, ValueError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 2
    print(f"v{options.version} is tagged; publish it with: git push --follow-tags")
    return 0


def release(root: Path, version: str, date: datetime.date) -> None:
    """Check, write both files, commit and tag."""
    check_repository(root, version)
    source, changelog = root / VERSION_FILE, root / CHANGELOG
    code, history = source.read_text("utf-8"), changelog.read_text("utf-8")
    new_code, new_history = with_version(code, version), with_section(history, version, date)
    files = (str(VERSION_FILE), str(CHANGELOG))
    try:
        source.write_text(new_code, "utf-8")
        changelog.write_text(new_history, "utf-8")
        git(root, "add", "--", *files)
        git(root, "commit", "--quiet", "--message", f"Release {version}")
    except BaseException:
        source.write_text(code, "utf-8")
        changelog.write_text(history, "utf-8")
        git(root, "reset", "--quiet", "--", *files)
        raise
    notes = f"opdiff {version}\n\n{notes_of(history)}\n"
    git(root, "tag", "--annotate", "--cleanup=verbatim", "--message", notes, f"v{version}")


def check_repository(root: Path, version: str) -> None:
    """Refuse what could not be undone in silence, or would not be what was tested."""
    if not _VERSION.fullmatch(version):
        raise RefusedError(f"{version!r} is no version: three numbers, as 1.2.3")
    changed = git(root, "status", "--porcelain")
    if changed:
        raise RefusedError(f"the working folder is not clean:\n{changed}")
    released = [tag[1:] for tag in git(root, "tag", "--list", "v*").split()]
    numbers = [_numbers(one) for one in released if _VERSION.fullmatch(one)]
    if numbers and _numbers(version) <= max(numbers):
        newest = ".".join(map(str, max(numbers)))
        raise RefusedError(f"{version} does not come after {newest}, which is released")


def with_version(code: str, version: str) -> str:
    """The module with another version in it."""
    if len(_VERSION_LINE.findall(code)) != 1:
        raise RefusedError(f"{VERSION_FILE} has no single line __version__ = …")
    return _VERSION_LINE.sub(f'__version__ = "{version}"', code)


def with_section(history: str, version: str, date: datetime.date) -> str:
    """The changelog with its open section closed, and a new one above it."""
    text = notes_of(history)
    section = f"## Unreleased\n\n{NOTHING}\n\n## {version} ({date.isoformat()})\n\n{text}\n\n"
    return _OPEN.sub(lambda _: section, history, count=1).rstrip("\n") + "\n"


def notes_of(history: str) -> str:
    """What the open section says."""
    found = _OPEN.search(history)
    text = found[1].strip() if found else ""
    if text in ("", NOTHING):
        raise RefusedError(f"{CHANGELOG} has nothing under '## Unreleased' to release")
    return text


def git(root: Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise RefusedError(f"git {arguments[0]}: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout.strip()


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


if __name__ == "__main__":
    sys.exit(main())
