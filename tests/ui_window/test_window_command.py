from __future__ import annotations

import os
import shlex
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox
from window_driving import SAMPLES, Driver

from opdiff.cli import main
from opdiff.cli.window_command import choose_platform
from opdiff.compare import Direction, Side
from opdiff.errors import OpdiffError
from opdiff.ui import remembered
from opdiff.ui.files.opening import Opening

ROPE = [str(SAMPLES / "rope/eager.ir"), str(SAMPLES / "rope/jit.ir")]
ANCHORS = ["--left-anchor", "550", "--right-anchor", "649"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own, where there is no display."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    }
    return subprocess.run(
        [sys.executable, "-m", "opdiff", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def size_of(picture: Path) -> tuple[int, int]:
    header = picture.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", header[16:24])
    return width, height


def test_a_picture_needs_no_display(tmp_path: Path) -> None:
    picture = tmp_path / "window.png"
    done = run(
        *ROPE, *ANCHORS, "--compare", "up", "--screenshot", str(picture), "--size", "1200x700"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert size_of(picture) == (1200, 700)


def test_a_window_needs_a_display() -> None:
    done = run(*ROPE)
    assert done.returncode == 2
    assert done.stderr.startswith("opdiff: there is no display")


def test_a_picture_of_what_cannot_be_opened_is_trouble(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], qapp: object
) -> None:
    picture = tmp_path / "window.png"
    assert main(["nowhere.ir", ROPE[1], "--screenshot", str(picture)]) == 2
    assert capsys.readouterr().err.startswith("opdiff: nowhere.ir: ")
    assert not picture.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--left-anchor", "99999", "--right-anchor", "649"], "line 99999 names no op"),
        (["--compare", "up"], "needs --left-anchor and --right-anchor"),
        (["--pin", "12"], "12 is no pin"),
        (["--size", "large"], "large is no size"),
        (["--rules", "nowhere.yaml"], "nowhere.yaml"),
        (["--rank", "3"], "rank"),
        (["third.ir"], "give two traces"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    qapp: object,
) -> None:
    picture = tmp_path / "window.png"
    assert main([*ROPE, *arguments, "--screenshot", str(picture)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("opdiff: ")
    assert said in error
    assert "Traceback" not in error


def test_a_picture_that_cannot_be_written_is_trouble(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], qapp: object
) -> None:
    assert main(["--screenshot", str(tmp_path / "no/such/folder.png")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_picture_can_be_finer(tmp_path: Path, qapp: object) -> None:
    picture = tmp_path / "empty.png"
    arguments = ["--screenshot", str(picture), "--size", "900x600", "--scale", "2"]
    assert main([*arguments, "--lang", "zh", "--theme", "dark"]) == 0
    assert size_of(picture) == (1800, 1200)
    assert main([*arguments, "--lang", "en", "--theme", "light"]) == 0


def test_a_picture_does_not_tell_how_large_the_screen_is(
    tmp_path: Path, qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    pictures = []
    for height in (800, 300):
        monkeypatch.setattr(remembered, "fitting_size", lambda _, h=height: QSize(2 * h, h))
        picture = tmp_path / f"{height}.png"
        arguments = [*ANCHORS, "--compare", "up", "--screenshot", str(picture)]
        assert main([*ROPE, *arguments, "--size", "1366x768"]) == 0
        pictures.append(picture.read_bytes())
    assert pictures[0] == pictures[1], "the details were low where the screen was"


@pytest.mark.skipif(sys.platform != "linux", reason="displays are asked for on Linux only")
def test_the_platform_is_chosen_only_where_there_is_no_display(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":7")
    monkeypatch.delenv("QT_QPA_PLATFORM")
    choose_platform(picture=True)
    assert "QT_QPA_PLATFORM" not in os.environ
    monkeypatch.delenv("DISPLAY")
    with pytest.raises(OpdiffError):
        choose_platform(picture=False)
    choose_platform(picture=True)
    assert os.environ["QT_QPA_PLATFORM"] == "offscreen"


def test_the_copied_command_opens_this_very_view(driver: Driver, tmp_path: Path) -> None:
    folder = tmp_path / "two words; 'quoted'"
    folder.mkdir()
    left, right = folder / "left.ir", folder / "right.ir"
    left.write_bytes(Path(ROPE[0]).read_bytes())
    right.write_bytes(Path(ROPE[1]).read_bytes())
    opening = Opening(
        {Side.LEFT: left, Side.RIGHT: right},
        lines={Side.LEFT: 550, Side.RIGHT: 649},
        pins=((514, 601),),
        ignore=("Cos*",),
        ancestors=True,
        compare=Direction.UP,
    )
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.window.open(opening)
    driver.window.commands["copyCommand"].trigger()
    words = shlex.split(QGuiApplication.clipboard().text())
    assert words == [
        "opdiff",
        str(left),
        str(right),
        *ANCHORS,
        "--pin",
        "514:601",
        "--ignore",
        "Cos*",
        "--ancestors",
        "--compare",
        "up",
        "--goto",
        "550:649",
    ]


def test_a_row_can_be_copied(compared: Driver) -> None:
    compared.window.commands["copyRow"].trigger()
    text = QGuiApplication.clipboard().text()
    assert any(str(line) in text for line in compared.lines() if line is not None)


def test_switches_hold_the_panes_and_the_boxes_together(rope: Driver) -> None:
    box = rope.named("foldEqualBox", QCheckBox)
    action = rope.window.commands["foldEqual"]
    assert box.isChecked()
    assert action.isChecked()
    rope.click("foldEqualBox")
    assert not action.isChecked()
    action.trigger()
    assert box.isChecked()


@pytest.mark.parametrize("more", [[], ["--left-anchor", "1", "--right-anchor", "1"]])
def test_a_picture_of_training_steps_does_not_wait_for_a_choice(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], qapp: object
) -> None:
    runs, picture = SAMPLES / "real/training", tmp_path / "steps.png"
    arguments = [str(runs / "right"), str(runs / "wrong"), *more, "--compare", "whole"]
    status = main([*arguments, "--screenshot", str(picture)])
    assert (status, picture.exists()) == ((2, False) if more else (0, True))
    assert ("choose one" in capsys.readouterr().err) is bool(more)
