from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from opdiff.ui.source import editor


@pytest.mark.parametrize(
    ("template", "command"),
    [
        ("code", ["code", "--goto", "/a b/x.py:7"]),
        ("/usr/bin/code -r", ["/usr/bin/code", "-r", "--goto", "/a b/x.py:7"]),
        ("subl", ["subl", "/a b/x.py:7"]),
        ("gvim", ["gvim", "+7", "/a b/x.py"]),
        ("kate", ["kate", "--line", "7", "/a b/x.py"]),
        ("mine --at={line} {file} {x}", ["mine", "--at=7", "/a b/x.py", "{x}"]),
        ("unheard-of", ["unheard-of", "/a b/x.py"]),
        ("", []),
        ("'unbalanced", []),
    ],
)
def test_command_of_a_template(template: str, command: list[str]) -> None:
    assert editor.editor_command(template, "/a b/x.py", 7) == command


def test_terminal_editor_gets_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "xterm" else None)
    assert editor.editor_command("vim", "/x.py", 7) == ["xterm", "-e", "vim", "+7", "/x.py"]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert editor.editor_command("vim", "/x.py", 7) == []


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []

    def start(command: list[str]) -> bool:
        commands.append(command)
        return True

    monkeypatch.setattr(editor, "_start", start)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "missing" else f"/bin/{name}")
    return commands


def test_the_first_variable_that_names_an_editor_counts(
    started: list[list[str]], tmp_path: Path
) -> None:
    file = tmp_path / "model.py"
    file.write_text("x = 1\n")
    environment = {"EDITOR": "gedit", "VISUAL": "subl", "OPDIFF_EDITOR": "kate"}
    assert editor.open_in_editor(str(file), 3, environment)
    assert editor.open_in_editor(str(file), 3, {**environment, "OPDIFF_EDITOR": "missing"})
    assert editor.open_in_editor(str(file), 3, {"EDITOR": "gedit"})
    assert started == [
        ["/bin/kate", "--line", "3", str(file)],
        ["/bin/subl", f"{file}:3"],
        ["/bin/gedit", "+3", str(file)],
    ]


def test_shell_syntax_stays_one_argument(started: list[list[str]], tmp_path: Path) -> None:
    file = tmp_path / "a; touch gone $(id).py"
    file.write_text("")
    assert editor.open_in_editor(str(file), 1, {"EDITOR": "edit {file}"})
    assert started == [["/bin/edit", str(file)]]


def test_a_file_that_is_not_here_opens_nothing(started: list[list[str]], tmp_path: Path) -> None:
    assert not editor.open_in_editor(str(tmp_path / "gone.py"), 1, {"EDITOR": "code"})
    assert not editor.open_in_editor(str(tmp_path), 1, {"EDITOR": "code"})
    assert started == []


def test_a_relative_name_cannot_pass_for_an_option(
    started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("--help").write_text("")
    assert editor.open_in_editor("--help", 1, {"EDITOR": "subl"})
    assert started == [["/bin/subl", f"{tmp_path / '--help'}:1"]]


def test_really_starting(tmp_path: Path, qtbot: object) -> None:
    file = tmp_path / "model.py"
    file.write_text("x = 1\n")
    assert editor.open_in_editor(str(file), 1, {"EDITOR": "true"})
