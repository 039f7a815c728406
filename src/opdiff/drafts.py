"""Files that are made beside their place and then take it: nobody ever finds half of one."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from opdiff.file_locks import is_free, lock

_LOCKS_ARE_ADVICE = sys.platform != "win32"
"""Elsewhere what is locked can be neither written by another hand nor renamed."""
_OLD = 24 * 3600.0
"""Seconds after which the number of a process may have gone to another."""


@contextlib.contextmanager
def drafted(target: Path) -> Iterator[Path]:
    """A file to make, which takes the target's place once it is whole; else it is removed.

    What is left of one whose process was killed meanwhile is removed the next time.
    """
    _remove_abandoned(target)
    # In the same folder, else the rename would not be atomic; a name that nobody can have taken.
    name = f"{_draft_name(target)}{os.getpid()}-{os.urandom(4).hex()}.part"
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
