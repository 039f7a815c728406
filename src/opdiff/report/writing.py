"""Writing a file so that nobody ever finds half of it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from opdiff.drafts import drafted
from opdiff.errors import OpdiffError


def write_atomically(path: str | Path, content: bytes, *, reads: Iterable[str | Path] = ()) -> None:
    """Put the content where the path leads, all or nothing; permissions and links are kept.

    A file that the same work *reads* is never replaced.
    """
    refuse_to_overwrite(path, reads)
    try:
        if _is_special(Path(path)):
            _write_special(Path(path), content)
        else:
            _replace(Path(os.path.realpath(path)), content)
    except OSError as error:
        raise OpdiffError.of_system("report.cannot-write", error, path) from error


def refuse_to_overwrite(path: str | Path, reads: Iterable[str | Path]) -> None:
    """Raise OpdiffError where the path leads to one of these files, by whatever name or link."""
    for read in reads:
        try:
            same = os.path.samefile(path, read)
        except (OSError, ValueError):  # one of them does not exist, or never can
            continue
        if same:
            raise OpdiffError("report.own-input", file=str(read), path=path)


def _is_special(path: Path) -> bool:
    """Whether a path names something other than a file to replace: a device, a pipe, a stream.

    A stream such as ``/dev/stdout`` may lead to a file that others write to as well.
    """
    if os.path.abspath(path).startswith(("/dev/", "/proc/")):
        return True
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _write_special(target: Path, content: bytes) -> None:
    """Devices and pipes cannot be replaced, only written to; a folder says so itself."""
    with target.open("ab") as out:  # behind what is there, where others write to it too
        out.write(content)


def _replace(target: Path, content: bytes) -> None:
    if target.exists() and not os.access(target, os.W_OK):
        # Replacing asks the folder only; a file that was made read-only shall stay as it is.
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with drafted(target) as draft:
        with draft.open("wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        with contextlib.suppress(FileNotFoundError):
            draft.chmod(stat.S_IMODE(target.stat().st_mode))
