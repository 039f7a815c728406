"""The ``console`` blocks of the documents: commands, and what they print.

    ```console head=8
    $ opdiff info samples/rope/eager.ir
    the first eight lines of its output
    …
    ```

Words after ``console``: ``head=N`` shows only so many lines a command, ``tail=N`` the last;
``mindspore`` or ``torch`` runs the block only where that environment exists (``make real``) and
does not compare what it prints, as times and paths vary. The blocks of one page run one after
another in one directory. A command that opens the window is run as the comparison it shows; one of
them is really rendered.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper
from pathlib import Path
from textwrap import dedent, indent

from opdiff.cli.main import main

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = {name: ROOT / f".venv-{name}" for name in ("mindspore", "torch")}
MAY_FAIL = " || true"
COMMANDS = ("compare", "info", "find", "capture", "ranks", "--help", "--version")

_PROGRESS = re.compile(r"\d ?(?:of|/) ?\d+[)）]$")
_BLOCK = re.compile(
    r"^(?P<indent> *)```console(?P<words>[^\n]*)\n(?P<body>.*?)^ *```$", re.M | re.S
)


@dataclass(frozen=True, slots=True)
class Block:
    """One block: its commands with the output the page shows for each."""

    commands: tuple[tuple[str, str], ...]
    head: int | None
    tail: int | None
    environment: str | None

    @property
    def runs_here(self) -> bool:
        """Whether what it needs is installed."""
        return self.environment is None or ENVIRONMENTS[self.environment].is_dir()


def read_block(match: re.Match[str]) -> Block:
    """A block as the page has it."""
    words = match["words"].split()
    head = next((int(word[5:]) for word in words if word.startswith("head=")), None)
    tail = next((int(word[5:]) for word in words if word.startswith("tail=")), None)
    environment = next((word for word in words if word in ENVIRONMENTS), None)
    commands: list[tuple[str, str]] = []
    for line in dedent(match["body"]).splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append((line[2:].rstrip("\n"), ""))
        elif commands:
            command, output = commands[-1]
            commands[-1] = (command, output + line)
    return Block(tuple(commands), head, tail, environment)


def blocks(text: str) -> list[Block]:
    """All blocks of a page."""
    return [read_block(match) for match in _BLOCK.finditer(text)]


@dataclass(slots=True)
class Store:
    """A directory to run commands in, with ``opdiff``, ``python`` and the samples at hand."""

    folder: Path
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        (self.folder / "samples").symlink_to(ROOT / "samples")

    def run(self, command: str, environment: str | None = None) -> str:
        """What a command prints; a status of 2 or more is a failure."""
        words = shlex.split(command.removesuffix(MAY_FAIL))
        if environment is None and words[0] == "opdiff":
            status, said, complained = self._call(words[1:])
        else:
            status, said, complained = self._shell(command, environment)
        fine = (0, 1, 2) if command.endswith(MAY_FAIL) else (0, 1)
        if status not in fine or "Traceback" in complained:
            self.failures.append(f"$ {command}\nstatus {status}\n{complained[-2000:]}")
        own = [
            line
            for line in complained.splitlines(keepends=True)
            if line.startswith("opdiff: ") and not _PROGRESS.search(line)
        ]
        return (said + "".join(own)).replace(str(self.folder), "/home/user")

    def _call(self, words: list[str]) -> tuple[int, str, str]:
        """Run opdiff in this process, where everything is imported already."""
        opens_window = words[0] not in COMMANDS
        # Streams over bytes, as real ones are: some reports are written as bytes.
        said, complained = (TextIOWrapper(BytesIO(), "utf-8", newline="") for _ in range(2))
        before = Path.cwd()
        os.chdir(self.folder)
        try:
            with redirect_stdout(said), redirect_stderr(complained):
                status = main(as_comparison(words) if opens_window else words)
        finally:
            os.chdir(before)
        printed = "" if opens_window else _content(said)
        return status, printed, _content(complained)

    def _shell(self, command: str, environment: str | None) -> tuple[int, str, str]:
        self._wrap("opdiff", f'exec "{sys.executable}" -m opdiff "$@"')
        if environment:
            self._wrap("python", f'exec "{ENVIRONMENTS[environment]}/bin/python" "$@"')
        variables = {
            **os.environ,
            "PATH": f"{self.folder / '.bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
        }
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    def _wrap(self, name: str, line: str) -> None:
        bin_folder = self.folder / ".bin"
        bin_folder.mkdir(exist_ok=True)
        program = bin_folder / name
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)


def _content(stream: TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def as_comparison(words: list[str]) -> list[str]:
    """What a command that opens the window asks, without the window."""
    return ["compare", *("--direction" if word == "--compare" else word for word in words)]


def shown(output: str, head: int | None, tail: int | None = None) -> str:
    """The output as a page shows it."""
    lines = [line.rstrip() + "\n" for line in output.splitlines()]
    if head is not None and len(lines) > head:
        lines = [*lines[:head], "…\n"]
    if tail is not None and len(lines) > tail:
        lines = ["…\n", *lines[-tail:]]
    return "".join(lines)


def refreshed(text: str, store: Store, *, real: bool = False) -> str:
    """The page with what its commands print now; with *real* also those that need a framework."""

    def refresh(match: re.Match[str]) -> str:
        block = read_block(match)
        if block.environment and not (real and block.runs_here):
            return match[0]
        lines: list[str] = []
        for command, _ in block.commands:
            output = store.run(command, block.environment)
            lines += [f"$ {command}\n", shown(output, block.head, block.tail)]
        block_text = f"```console{match['words']}\n{''.join(lines)}```"
        return indent(block_text, match["indent"])

    return _BLOCK.sub(refresh, text)
