from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from opdiff.errors import OpdiffError
from opdiff.report.writing import write_atomically


def test_a_new_file_has_ordinary_permissions(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new", b"x")
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode
    assert (tmp_path / "new").read_bytes() == b"x"


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")
    target.chmod(0o640)
    (tmp_path / "link").symlink_to(target)
    write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_failure_leaves_the_old_file_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OpdiffError, match="No space left"):
        write_atomically(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["missing/file", "."])
def test_a_place_that_cannot_be_written_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(OpdiffError, match="cannot be written"):
        write_atomically(tmp_path / name, b"x")


def test_devices_are_written_to_not_replaced() -> None:
    write_atomically("/dev/null", b"x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
