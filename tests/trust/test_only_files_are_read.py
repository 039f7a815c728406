"""Sessions, rules and traces come from regular files of a bounded size, and from nothing else."""

from __future__ import annotations

import json
import os
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
from tests.trust.bounds import opdiff

from opdiff.compare import Request, Rules
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.regular_files import open_regular, read_bounded
from opdiff.session import Work, document, read_session, save_session
from opdiff.session.rules_text import MOST_BYTES, load_rules, read_rules, rules_of

SAMPLES = Path(__file__).parents[2] / "samples"
EAGER, JIT = SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir"


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _folder(path: Path) -> None:
    path.mkdir()


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket may only be short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


NO_FILES = pytest.mark.parametrize(
    ("make", "what"),
    [(_pipe, "a pipe"), (_device, "a device"), (_folder, "a folder"), (_socket, "a socket")],
)


@NO_FILES
def test_no_session_comes_from_what_is_no_file(make, what: str, tmp_path: Path) -> None:
    path = tmp_path / "s.opdiff"
    make(path)
    done = opdiff("compare", path)
    assert done.returncode == 2
    assert f"is {what}, and nothing is read from there" in done.stderr.decode()


@NO_FILES
def test_no_rules_come_from_what_is_no_file(make, what: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    make(path)
    done = opdiff("compare", EAGER, JIT, "--rules", path)
    assert done.returncode == 2
    assert f"is {what}, and nothing is read from there" in done.stderr.decode()


@pytest.mark.parametrize("make", [_pipe, _device, _socket])
def test_no_trace_comes_from_what_is_no_file(make, tmp_path: Path) -> None:
    path = tmp_path / "t.ir"
    make(path)
    done = opdiff("info", path)
    assert done.returncode == 2
    assert b"neither a file nor a directory" in done.stderr


@pytest.mark.parametrize("make", [_pipe, _device, _socket, _folder])
def test_what_stands_beside_a_trace_and_is_no_file_is_left_alone(make, tmp_path: Path) -> None:
    shutil.copy(EAGER, tmp_path / "tracker_graph.ir")
    make(tmp_path / "task.csv")
    make(tmp_path / "capture.json")
    assert len(open_trace(tmp_path)) == 206
    done = opdiff("capture", "--out", tmp_path, "--", "true")
    assert done.returncode == 2


@pytest.mark.parametrize(("make", "what"), [(_pipe, "a pipe"), (_device, "a device")])
@pytest.mark.parametrize("name", ["x.values.csv", "statistic.csv", "d/statistic.csv"])
def test_no_values_come_from_what_is_no_file(make, what: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    make(path)
    named = path.parent if name.startswith("d/") else path
    done = opdiff("compare", EAGER, JIT, "--left-values", named)
    assert done.returncode == 2
    assert f"is {what}, and nothing is read from there" in done.stderr.decode()


@pytest.mark.parametrize("make", [_pipe, _device, _socket, _folder])
def test_names_of_a_dump_come_from_a_file_only(make, tmp_path: Path) -> None:
    name = "Add.Default_Add-op0.0.0.{}.output.0.DefaultFormat.Float32.npy"
    for time in (1, 2):
        np.save(tmp_path / name.format(time), np.ones(3, np.float32))
    make(tmp_path / "mapping.csv")
    assert len(open_trace(tmp_path)) == 2


def test_a_file_that_becomes_a_pipe_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.touch()
    os.mkfifo(pipe)
    before = os.stat(file)
    monkeypatch.setattr(os, "stat", lambda _: before)
    with pytest.raises(OpdiffError) as error:
        open_regular(pipe)
    assert error.value.sentence.code == "file.not-regular"


def test_files_are_read_up_to_their_bound(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x" * 10)
    assert read_bounded(file, 10) == b"x" * 10
    with pytest.raises(OpdiffError) as error:
        read_bounded(file, 9)
    assert str(error.value) == f"{file}: holds 10 bytes; a file of this kind may hold 9"


def test_a_session_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.opdiff"
    with path.open("wb") as file:
        file.truncate(document.MOST_BYTES + 1)  # a hole: it takes no place
    with pytest.raises(OpdiffError) as error:
        read_session(path)
    assert error.value.sentence.code == "file.too-large"


def test_a_session_that_could_not_be_opened_again_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s.opdiff"
    left, right = open_trace(EAGER), open_trace(JIT)
    save_session(path, Work(Request()), left, right)
    before = path.read_bytes()
    monkeypatch.setattr(document, "MOST_BYTES", 100)
    with pytest.raises(OpdiffError) as error:
        save_session(path, Work(Request()), left, right)
    assert error.value.sentence.code == "file.too-large"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        "ignore: [" + "a," * (MOST_BYTES // 2 - 10) + "]",
        "same:\n" + "- [a,b]\n" * (MOST_BYTES // 8 - 10),
        "[" * MOST_BYTES,
        "[a," * (MOST_BYTES // 3),
        "? " * (MOST_BYTES // 2),
    ],
    ids=["flow", "block", "brackets", "nested", "keys"],
)
def test_the_largest_rules_end_within_bounds(text: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    done = opdiff("compare", EAGER, JIT, "--rules", path, "--format", "csv")
    assert done.returncode in (1, 2), done.stderr


def test_rules_beyond_that_are_refused_wherever_they_come_from(tmp_path: Path) -> None:
    text = "ignore: [" + "a," * MOST_BYTES + "]"
    path = tmp_path / "rules.yaml"
    path.write_text(text)
    for refused in (lambda: load_rules(path), lambda: rules_of(text), lambda: read_rules(path)):
        with pytest.raises(OpdiffError) as error:
            refused()
        assert error.value.sentence.code == "file.too-large"
        assert f"{MOST_BYTES:,}" in str(error.value)
    left, right = open_trace(EAGER), open_trace(JIT)
    session = tmp_path / "s.opdiff"
    save_session(session, Work(Request()), left, right)
    content = json.loads(session.read_bytes())
    session.write_text(json.dumps({**content, "rules": {"text": text}}))
    with pytest.raises(OpdiffError) as error:
        read_session(session).restore(left, right)
    assert error.value.sentence.code == "file.too-large"


def test_rules_are_read_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "rules.yaml"
    path.write_bytes("\ufeffsame:\n- [注, b]\n".encode())
    assert load_rules(path) == Rules(same=(("注", "b"),))
    path.write_bytes(b"same:\n- [\xff, b]\n")
    with pytest.raises(OpdiffError) as error:
        load_rules(path)
    assert (error.value.sentence.code, error.value.line) == ("rules.not-utf8", 2)
    with pytest.raises(OpdiffError) as error:
        load_rules(tmp_path / "gone")
    assert error.value.sentence.code == "rules.cannot-read"
