"""Saved traces as text: their records, and their stacks without the paths of this machine."""

from __future__ import annotations

import linecache
import re
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

_HEADER = re.compile(r"\((?P<outputs>[^)]*)\) = (?P<name>\S+?)\((?P<inputs>[^)]*)\), task_info")
_FRAME = re.compile(r"File:([^;|]*);Line:(\d+);")
_NUMBERED = re.compile(r"-op\d+$")
_GENERATED = re.compile(r"<eval_with_key>\.\d+")


class Record:
    """One op of a saved trace."""

    def __init__(self, header: str, stack: str) -> None:
        found = _HEADER.match(header)
        assert found is not None, header
        self.name = found["name"]
        self.outputs = found["outputs"].split(", ") if found["outputs"] else []
        self.inputs = found["inputs"].split(", ") if found["inputs"] else []
        self.stack = stack

    @property
    def op(self) -> str:
        """What ran: the name without its scope and its number."""
        return _NUMBERED.sub("", self.name.rsplit("/", 1)[-1])

    def frames(self) -> list[tuple[str, int]]:
        """Files and lines, outermost first."""
        return [(file, int(line)) for file, line in _FRAME.findall(self.stack)]

    def code(self) -> str:
        """The line of Python that called the op."""
        frames = self.frames()
        return linecache.getline(*frames[-1]) if frames else ""


def read_records(path: Path) -> list[Record]:
    """What a saved trace holds; records have three lines each."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) % 3 == 0, path
    return [Record(lines[first], lines[first + 2]) for first in range(0, len(lines), 3)]


def make_neutral(path: Path) -> None:
    """Take out of a trace what says only where and after how many others it was recorded."""
    text = path.read_text(encoding="utf-8")
    folders = {
        sysconfig.get_path("purelib"): "/env/site-packages",
        sysconfig.get_path("stdlib"): "/env/python",
        str(ROOT / "lab"): "/lab",
    }
    for folder, name in folders.items():
        text = text.replace(f"File:{folder}/", f"File:{name}/").replace(
            f" from {folder}/", f" from {name}/"
        )
    numbers: dict[str, str] = {}
    text = _GENERATED.sub(
        lambda found: numbers.setdefault(found[0], f"<eval_with_key>.{len(numbers)}"), text
    )
    path.write_text(text, encoding="utf-8", newline="\n")
