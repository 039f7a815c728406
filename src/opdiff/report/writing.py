"""Writing a file so that nobody ever finds half of it."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.file_locks import is_free, lock
from opdiff.wording import Sentence

_LOCKS_ARE_ADVICE = sys.platform != "win32"
"""Elsewhere what is locked can be neither written by another hand nor renamed."""
_OLD = 24 * 3600.0
"""Seconds after which the number of a process may have gone to another."""


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
        reason = error.strerror or type(error).__name__
        raise OpdiffError(
            Sentence.of("report.cannot-write", reason=reason), path=str(path)
        ) from error


def refuse_to_overwrite(path: str | Path, reads: Iterable[str | Path]) -> None:
    """Raise OpdiffError where the path leads to one of these files, by whatever name or link."""
    for read in reads:
        try:
            same = os.path.samefile(path, read)
        except (OSError, ValueError):  # one of them does not exist, or never can
            continue
        if same:
            raise OpdiffError(Sentence.of("report.own-input", file=str(read)), path=str(path))


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


@contextlib.contextmanager
def drafted(target: Path) -> Iterator[Path]:
    """A file to make, which takes the target's place once it is whole; else it is removed.

    What is left of one whose process was killed meanwhile is removed the next time.
    """
    _remove_abandoned(target)
    # In the same folder, else the rename would not be atomic; a name that nobody can have taken.
    name = f"{_draft_name(target)}{os.getpid()}-{secrets.token_hex(4)}.part"
    draft = target.with_name(name)
    with draft.open("xb") as held:
        try:
            if _LOCKS_ARE_ADVICE:
                with contextlib.suppress(OSError):  # not every file system has locks
                    lock(held)
            else:
                held.close()
            yield draft
            draft.replace(target)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise


def _draft_name(target: Path) -> str:
    # Cut by bytes, as the longest names are.
    return f".{os.fsencode(target.name)[:100].decode('utf-8', 'ignore')}."


def _remove_abandoned(target: Path) -> None:
    drafts = re.compile(re.escape(_draft_name(target)) + r"([0-9]{1,9})-[0-9a-f]{8}\.part")
    with contextlib.suppress(OSError):  # the folder may be missing: that is told elsewhere
        for path in target.parent.iterdir():
            match = drafts.fullmatch(path.name)
            if match and _is_abandoned(path, int(match[1])):
                path.unlink(missing_ok=True)


def _is_abandoned(draft: Path, process: int) -> bool:
    """Whether nobody works on a draft any more, on this machine or, by its lock, on another."""
    is_old = time.time() - draft.stat().st_ctime > _OLD
    return (is_old or not _runs(process)) and is_free(draft)


def _runs(process: int) -> bool:
    if sys.platform == "win32":  # where asking like this would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # somebody else's
    return True
