"""The ``console`` blocks of the documents: commands, and what they print.

    ```console head=8
    $ opdiff info samples/rope/eager.ir
    the first eight lines of its output
    …
    ```

Words after ``console``: ``head=N`` shows only so many lines a command; ``mindspore`` or ``torch``
runs the block only where that environment exists (``make real``) and does not compare what it
prints, as times and paths vary. The blocks of one page run one after another in one directory.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from textwrap import dedent, indent

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = {name: ROOT / f".venv-{name}" for name in ("mindspore", "torch")}
COMMANDS = ("compare", "info", "find", "capture", "--help", "--version")

_PROGRESS = re.compile(r"\d ?(?:of|/) ?\d+[)）]$")
_BLOCK = re.compile(
    r"^(?P<indent> *)```console(?P<words>[^\n]*)\n(?P<body>.*?)^ *```$", re.M | re.S
)


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its commands with the output the page shows for each."""

    commands: tuple[tuple[str, str], ...]
    head: int | None
    environment: str | None

    @property
    def runs_here(self) -> bool:
        """Whether what it needs is installed."""
        return self.environment is None or ENVIRONMENTS[self.environment].is_dir()


def read_block(match: re.Match[str]) -> Block:
    """A block as the page has it."""
    words = match["words"].split()
    head = next((int(word[5:]) for word in words if word.startswith("head=")), None)
    environment = next((word for word in words if word in ENVIRONMENTS), None)
    commands: list[tuple[str, str]] = []
    for line in dedent(match["body"]).splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append((line[2:].rstrip("\n"), ""))
        elif commands:
            command, output = commands[-1]
            commands[-1] = (command, output + line)
    return Block(tuple(commands), head, environment)


def blocks(text: str) -> list[Block]:
    """All blocks of a page."""
    return [read_block(match) for match in _BLOCK.finditer(text)]


@dataclass(slots=True)
class Desk:
    """A directory to run commands in, with ``opdiff``, ``python`` and the samples at hand."""

    folder: Path
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.folder / "samples").symlink_to(ROOT / "samples")
        self._wrap("opdiff", f'exec "{sys.executable}" -m opdiff "$@"')

    def _wrap(self, name: str, line: str) -> None:
        bin_folder = self.folder / ".bin"
        bin_folder.mkdir(exist_ok=True)
        program = bin_folder / name
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)

    def run(self, command: str, environment: str | None = None) -> str:
        """What a command prints; a status of 2 or more is a failure."""
        if environment:
            self._wrap("python", f'exec "{ENVIRONMENTS[environment]}/bin/python" "$@"')
        variables = {
            **os.environ,
            "PATH": f"{self.folder / '.bin'}{os.pathsep}{os.environ['PATH']}",
            "QT_QPA_PLATFORM": "offscreen",
            "PYTHONPATH": str(ROOT / "src"),
            "COLUMNS": "100",
        }
        done = subprocess.run(
            ["sh", "-c", _without_window(command)],
            cwd=self.folder,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1) or "Traceback" in done.stderr:
            self.failures.append(f"$ {command}\nstatus {done.returncode}\n{done.stderr[-2000:]}")
        own = [
            line
            for line in done.stderr.splitlines(keepends=True)
            if line.startswith("opdiff: ") and not _PROGRESS.search(line)
        ]
        return (done.stdout + "".join(own)).replace(str(self.folder), "/home/user")


def _without_window(command: str) -> str:
    """The command; one that would open the window renders it instead and ends."""
    words = shlex.split(command)
    opens = words[:1] == ["opdiff"] and words[1:2] and words[1] not in COMMANDS
    if opens and "--screenshot" not in words:
        return f"{command} --screenshot .window.png"
    return command


def shown(output: str, head: int | None) -> str:
    """The output as a page shows it."""
    lines = [line.rstrip() + "\n" for line in output.splitlines()]
    if head is not None and len(lines) > head:
        lines = [*lines[:head], "…\n"]
    return "".join(lines)


class Real(Enum):
    """What to do with blocks that need MindSpore or PyTorch."""

    SKIP = "leave them alone"
    RUN = "run them and keep what the page shows"
    REFRESH = "run them and show what they print now"


def refreshed(text: str, desk: Desk, real: Real) -> str:
    """The page with what its commands print now."""

    def refresh(match: re.Match[str]) -> str:
        block = read_block(match)
        if block.environment and (real is Real.SKIP or not block.runs_here):
            return match[0]
        lines: list[str] = []
        for command, before in block.commands:
            output = desk.run(command, block.environment)
            keep = block.environment is not None and real is Real.RUN
            lines += [f"$ {command}\n", before if keep else shown(output, block.head)]
        block_text = f"```console{match['words']}\n{''.join(lines)}```"
        return indent(block_text, match["indent"])

    return _BLOCK.sub(refresh, text)
