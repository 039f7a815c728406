"""Opening a source file at a line in the user's own editor, never through a shell."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices

VARIABLES = ("OPDIFF_EDITOR", "VISUAL", "EDITOR")
"""Asked in this order; a value may hold {file} and {line}, else the program's own way is used."""

_GOTO = ("--goto", "{file}:{line}")
_COLON = ("{file}:{line}",)
_PLUS = ("+{line}", "{file}")
_LINE_OPTION = ("--line", "{line}", "{file}")
_PLAIN = ("{file}",)

_ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys("code code-insiders codium vscodium cursor windsurf".split(), _GOTO),
    **dict.fromkeys("subl sublime_text zed hx helix micro".split(), _COLON),
    **dict.fromkeys("vi vim nvim gvim nano emacs emacsclient gedit kak joe".split(), _PLUS),
    **dict.fromkeys("kate pycharm charm idea clion".split(), _LINE_OPTION),
    "notepad++": ("-n{line}", "{file}"),
}
_TERMINAL_EDITORS = frozenset("vi vim nvim nano kak joe hx helix micro".split())
_TERMINALS = (
    ("x-terminal-emulator", "-e"),
    ("gnome-terminal", "--"),
    ("konsole", "-e"),
    ("xterm", "-e"),
)
_LIKELY_EDITORS = ("code", "codium", "cursor", "pycharm", "subl", "zed", "kate", "gedit", "gvim")


def editor_command(template: str, file: str, line: int) -> list[str]:
    """Program and arguments that open the file at the line; empty for an unusable template."""
    words = _words(template)
    if not words:
        return []
    name = _program_name(words[0])
    if not any("{file}" in word for word in words):
        words = [*words, *_ARGUMENTS.get(name, _PLAIN)]
    # Replaced, not formatted: other braces of the template are the user's.
    command = [word.replace("{file}", file).replace("{line}", str(line)) for word in words]
    if name in _TERMINAL_EDITORS or (name == "emacs" and "-nw" in words):
        return [*_terminal(), *command] if _terminal() else []
    return command


def open_in_editor(file: str, line: int, environment: Mapping[str, str] = os.environ) -> bool:
    """Open an existing file at a line; False where the file or a way to open it is missing."""
    path = Path(file)
    if not os.path.isfile(path):
        return False
    # A resolved path starts with a root, so that no file name can pass for an option.
    place = str(path.resolve())
    wishes = [environment.get(name, "") for name in VARIABLES]
    likely = [name for name in _LIKELY_EDITORS if shutil.which(name)]
    for wish in (*filter(None, wishes), *likely):
        command = editor_command(wish, place, line)
        program = shutil.which(command[0]) if command else None
        if program and _start([program, *command[1:]]):
            return True
    return _open_as_text(place)


def _words(template: str) -> list[str]:
    try:
        return shlex.split(template, posix=os.name != "nt")
    except ValueError:
        return []


def _program_name(word: str) -> str:
    name = word.strip('"').replace("\\", "/").rsplit("/", 1)[-1].lower()
    return name.removesuffix(".exe").removesuffix(".cmd")


def _terminal() -> list[str]:
    for program, option in _TERMINALS:
        if shutil.which(program):
            return [program, option]
    return []


def _open_as_text(place: str) -> bool:
    """Hand the file to the desktop as text: its default action may be to run the script."""
    if sys.platform == "win32":
        return _start(["notepad.exe", place])
    if sys.platform == "darwin":
        return _start(["open", "-t", place])
    return QDesktopServices.openUrl(QUrl.fromLocalFile(place))


def _start(command: list[str]) -> bool:
    started = QProcess.startDetached(command[0], command[1:])
    return bool(started[0]) if isinstance(started, tuple) else bool(started)
