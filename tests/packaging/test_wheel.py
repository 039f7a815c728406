"""What is installed is whole: all modules, all data, the samples; Qt where it can be had."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
TREES = {"src/opdiff": "opdiff", "samples": "opdiff/samples"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def metadata(wheel: zipfile.ZipFile) -> list[Requirement]:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    fields = message_from_string(wheel.read(name).decode())
    return [Requirement(text) for text in fields.get_all("Requires-Dist", [])]


@pytest.mark.parametrize("tree", TREES)
def test_every_file_is_in_the_wheel(wheel: zipfile.ZipFile, tree: str) -> None:
    files = [file for file in (ROOT / tree).rglob("*") if file.is_file()]
    ours = {
        f"{TREES[tree]}/{file.relative_to(ROOT / tree).as_posix()}"
        for file in files
        if "__pycache__" not in file.parts
    }
    assert len(ours) > 50
    assert ours - set(wheel.namelist()) == set()


def test_a_type_checker_believes_the_annotations(wheel: zipfile.ZipFile) -> None:
    assert "opdiff/py.typed" in wheel.namelist()


@pytest.mark.parametrize(
    ("system", "machine", "extra", "comes"),
    [
        ("linux", "x86_64", "", True),
        ("darwin", "arm64", "", True),
        ("win32", "AMD64", "", True),
        ("linux", "aarch64", "", False),
        ("linux", "aarch64", "gui", True),
    ],
)
def test_qt_comes_along_where_it_can(
    wheel: zipfile.ZipFile, system: str, machine: str, extra: str, comes: bool
) -> None:
    place = {"sys_platform": system, "platform_machine": machine, "extra": extra}
    names = {
        one.name.lower()
        for one in metadata(wheel)
        if one.marker is None or one.marker.evaluate(place)
    }
    assert ("pyside6-essentials" in names) is comes
    assert {"numpy", "rich"} <= names


def test_the_window_is_the_same_by_both_ways(wheel: zipfile.ZipFile) -> None:
    ranges = {
        str(one.specifier) for one in metadata(wheel) if one.name.lower().startswith("pyside")
    }
    assert len(ranges) == 1
