"""Signals at any moment, and shells that close, redirect or take away what others leave there."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from opdiff.cli import main
from opdiff.errors import OpdiffError
from opdiff.own_folders import cache_folder, state_folder
from opdiff.readers import open_trace, ranks_in
from opdiff.report.writing import write_atomically

SAMPLES = Path(__file__).parents[2] / "samples"
EAGER, JIT = SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir"
COMPARE = f"{sys.executable} -m opdiff compare {EAGER} {JIT}"
FIRST_WORDS = b"left   "
Printed = pytest.CaptureFixture[str]


# Signals

# Interrupts itself the moment a module is about to be imported, as an impatient user may.
IMPATIENT = """
import importlib.abc, os, signal, sys

awaited, *words = sys.argv[1:]

class Impatient(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        global awaited
        if name == awaited:
            awaited = ""
            os.kill(os.getpid(), signal.SIGINT)

from opdiff.__main__ import program
sys.argv[1:] = words
sys.meta_path.insert(0, Impatient())
sys.exit(program())
"""


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("opdiff.interrupts", ["info", EAGER]),
        ("opdiff.cli", ["info", EAGER]),
        ("opdiff.cli.main", ["info", EAGER]),
        ("opdiff.wording.sentence", ["info", EAGER]),
        ("opdiff.cli.info_command", ["info", EAGER]),
        ("numpy", ["info", EAGER]),
        ("opdiff.trace.columns", ["info", EAGER]),
        ("opdiff.readers.tracker", ["info", EAGER]),
        ("opdiff.compare", ["compare", EAGER, JIT]),
        ("opdiff.report.text_report", ["compare", EAGER, JIT]),
        ("opdiff.report.html_report", ["compare", EAGER, JIT, "--format", "html"]),
        ("PySide6", [EAGER, JIT, "--screenshot", "x.png"]),
        ("opdiff.ui.main_window", [EAGER, JIT, "--screenshot", "x.png"]),
    ],
)
def test_an_interrupt_while_importing_is_quiet(
    module: str, words: list[object], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPATIENT, module, *map(str, words)],
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_who_has_interrupts_ignored_keeps_them_so() -> None:
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN);"
    done = subprocess.run(
        [sys.executable, "-c", ignoring + IMPATIENT, "opdiff.readers.tracker", "info", str(EAGER)],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"mindspore-tracker" in done.stdout


# Tells its number through a pipe, then waits to be ended; what it does then is the test's.
WAITING = """
import os, signal, sys
{prepare}
with open(sys.argv[1], "w") as told:
    told.write(str(os.getpid()))
while True:
    signal.pause()
"""


def _started(tmp_path: Path, prepare: str) -> tuple[subprocess.Popen[bytes], int]:
    """A capture whose command runs, and the command's number."""
    told = tmp_path / "told"
    os.mkfifo(told)
    command = [sys.executable, "-c", WAITING.format(prepare=prepare), str(told)]
    capture = subprocess.Popen(
        [sys.executable, "-m", "opdiff", "capture", "--out", "out", "--", *command],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
    )
    return capture, int(told.read_text())


def _is_there(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_ends_a_capture_ends_its_command(tmp_path: Path, number: signal.Signals) -> None:
    capture, command = _started(tmp_path, "")
    capture.send_signal(number)
    said = capture.communicate()[1]
    assert capture.returncode == 128 + number
    assert number.name.encode() in said
    assert not _is_there(command)


def test_what_the_command_leaves_when_it_is_asked_to_end_is_brought_home(tmp_path: Path) -> None:
    shutil.copy(EAGER, tmp_path / "source.ir")
    at_end = (
        "import shutil\n"
        "def end(*_):\n"
        "    shutil.copy('source.ir', 'tracker_graph.ir')\n"
        "    sys.exit(7)\n"
        "signal.signal(signal.SIGTERM, end)"
    )
    capture, command = _started(tmp_path, at_end)
    capture.send_signal(signal.SIGTERM)
    capture.communicate()
    assert capture.returncode == 7
    assert not _is_there(command)
    assert len(open_trace(tmp_path / "out")) == 206


def test_a_command_that_will_not_end_is_ended_the_second_time(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    os.mkfifo(heard)
    deaf = (
        "def hear(*_):\n"
        f"    open({str(heard)!r}, 'w').write('x')\n"
        "signal.signal(signal.SIGTERM, hear)"
    )
    capture, command = _started(tmp_path, deaf)
    capture.send_signal(signal.SIGTERM)
    assert heard.read_text() == "x"
    capture.send_signal(signal.SIGTERM)
    capture.communicate()
    assert capture.returncode == 128 + signal.SIGKILL
    assert not _is_there(command)


# Shells


@pytest.mark.parametrize(("asked", "told"), [([], b""), (["-W", "default"], b"in a library")])
def test_what_libraries_warn_of_is_not_put_among_our_lines(asked: list[str], told: bytes) -> None:
    warned = (
        "import sys, warnings; sys.argv[1:] = ['--version'];"
        "from opdiff.__main__ import program; program();"
        "warnings.warn('in a library')"
    )
    done = subprocess.run(
        [sys.executable, *asked, "-c", warned], capture_output=True, check=True, timeout=300
    )
    assert done.stdout.startswith(b"opdiff ")
    assert (told in done.stderr) if told else not done.stderr


def _shell(command: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, check=False, timeout=300
    )


def test_closed_streams(tmp_path: Path) -> None:
    done = _shell(f"{COMPARE} >&-", tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(b"opdiff: standard output is closed")
    done = _shell(f"{COMPARE} -o report.txt >&- 2>&- <&-", tmp_path)
    assert (done.returncode, done.stderr) == (1, b"")
    assert (tmp_path / "report.txt").read_bytes().startswith(FIRST_WORDS)
    assert _shell(f"{COMPARE} >&- 2>&-", tmp_path).returncode == 2
    assert _shell(f"{sys.executable} -m opdiff info nowhere 2>&-", tmp_path).returncode == 2


def test_streams_that_hold_no_more(tmp_path: Path) -> None:
    done = _shell(f"{COMPARE} > /dev/full", tmp_path)
    assert (done.returncode, done.stderr) == (2, b"opdiff: No space left on device\n")
    assert _shell(f"{sys.executable} -m opdiff info nowhere 2> /dev/full", tmp_path).returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        f"{COMPARE} -o /dev/stdout | cat",
        f"{COMPARE} -o /dev/fd/1 | cat",
        f"{COMPARE} -o >(cat) | cat",
        f"{COMPARE} -o /proc/self/fd/1 | cat",
        f"{COMPARE} -o /dev/stdout",
        f"mkfifo pipe; {COMPARE} -o pipe & cat pipe",
    ],
)
def test_a_report_goes_where_a_stream_leads(command: str, tmp_path: Path) -> None:
    done = _shell(command, tmp_path)
    assert done.stderr == b""
    assert done.stdout.startswith(FIRST_WORDS)
    assert [path.name for path in tmp_path.iterdir()] in ([], ["pipe"])


def test_a_stream_that_is_added_to_keeps_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"earlier\n")
    done = _shell(f"{COMPARE} -o /dev/stdout >> log", tmp_path)
    assert (done.returncode, done.stderr) == (1, b"")
    assert (tmp_path / "log").read_bytes().startswith(b"earlier\n" + FIRST_WORDS)


def test_a_folder_is_no_file_to_write(tmp_path: Path) -> None:
    with pytest.raises(OpdiffError) as error:
        write_atomically(tmp_path, b"x")
    assert error.value.sentence.code == "report.cannot-write"


def test_a_user_without_name_and_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: int) -> None:
        raise KeyError("uid not found")

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    with pytest.raises(OSError, match="home directory"):
        state_folder()
    assert main(["info", str(EAGER)]) == 0


def test_a_folder_of_the_users_that_begins_nowhere_counts_as_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        for nowhere in ("relative", ".", ""):
            monkeypatch.setenv(variable, nowhere)
            assert cache_folder() == tmp_path / ".cache/opdiff"
            assert state_folder() == tmp_path / ".local/state/opdiff"
        monkeypatch.delenv(variable)


# Options


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", EAGER, JIT, f"--pin={'9' * 5000}:1"], "is no pin"),
        (["compare", EAGER, JIT, "--pin", "1:" + "9" * 5000], "is no pin"),
        (["compare", EAGER, JIT, "--pin", "٣:1"], "is no pin"),
        ([EAGER, JIT, f"--pin={'9' * 5000}:1"], "is no pin"),
        (["find", EAGER, "--nth=--"], "--nth cannot be"),
        (["info", EAGER, "--format=--"], "--format cannot be"),
        (["compare", EAGER, JIT, "-o--"], "-o cannot be"),
        (["compare", EAGER, JIT, "-o=--"], "-o cannot be"),
        ([EAGER, JIT, "--size=--"], "--size cannot be"),
        (["capture", "--out=--", "--", "true"], "--out cannot be"),
        ([EAGER, JIT, "--screenshot", "x.png", "--size", "32000x32000"], "pixels"),
        ([EAGER, JIT, "--screenshot", "x.png", "--size", "4000x4000", "--scale", "3"], "pixels"),
        (["compare", EAGER, JIT, "--left-anchor", "9" * 30, "--right-anchor", "1"], "names no op"),
    ],
)
def test_values_that_no_option_can_have(
    words: list[object], said: str, capsys: Printed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([str(word) for word in words]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert "a mistake in opdiff itself" not in complaint
    assert len(complaint) < 1000
    assert list(tmp_path.iterdir()) == []


def test_what_comes_behind_the_dashes_is_the_commands_own(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "opdiff", "capture", "--", "echo", "--x=--"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.stdout == b"--x=--\n"


def test_two_folders_of_one_rank_are_not_chosen_between(tmp_path: Path) -> None:
    for name in ("rank_0", "rank_00", "rank_1"):
        (tmp_path / name).mkdir()
        shutil.copy(EAGER, tmp_path / name / "tracker_graph.ir")
    with pytest.raises(OpdiffError) as error:
        open_trace(tmp_path, rank=0)
    assert error.value.sentence.code == "reading.same-rank"
    assert "rank_0 and rank_00" in str(error.value)
    assert len(open_trace(tmp_path, rank=1)) == 206
    assert len(open_trace(tmp_path / "rank_00", rank=0)) == 206
    assert sorted(ranks_in(tmp_path)) == [0, 1]
    shutil.rmtree(tmp_path / "rank_1")
    with pytest.raises(OpdiffError) as error:
        open_trace(tmp_path)
    assert error.value.sentence.code == "reading.same-rank"
