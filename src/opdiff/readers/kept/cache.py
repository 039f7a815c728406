"""Large files that were read before, kept in the user's cache folder in a form that is mapped.

Entries are named by the content of the file, of what was read beside it and of the code that read
them. A file is taken for the one read before where the system says that nothing has touched it
since (its place on the disk, size and times); else its content is looked at. The folder never
holds more than so much: what was not used for longest goes first.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import opdiff
from opdiff.drafts import drafted
from opdiff.errors import OpdiffError
from opdiff.own_folders import cache_folder
from opdiff.readers.kept.arrays import Form, NotKeptError
from opdiff.regular_files import read_bounded

MOST_BYTES = 2 << 30
"""Of all entries together."""
_JUST_NOW = 2_000_000_000
"""Nanoseconds within which a file may change without its times telling."""
_CHUNK = 1 << 20
_MOST_RECORDS = 1000
_RECORD = ".json"

Identity = list[int]
T = TypeVar("T")


class CachedReading(Generic[T]):
    """One file on its way: looked for among those kept, or else read and then kept."""

    def __init__(self, file: Path, form: Form[T], folder: Path) -> None:
        self._file = file
        self._form = form
        self._folder = folder
        self._beside = file.parent / form.beside if form.beside else None
        self._before = self._identities()
        self._digest: str | None = None
        self._given_up = False
        self._digesting: threading.Thread | None = None

    def found(self) -> T | None:
        """What it holds, where that is kept."""
        name = self._recorded() or self._by_content()
        if name is None:
            return None
        entry = self._folder / name
        try:
            companions = (str(self._beside),) if self._before["beside"] else ()
            thing = self._form.read(entry, str(self._file), companions)
        except (NotKeptError, OpdiffError, OSError):
            with contextlib.suppress(OSError):
                entry.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(entry)  # what was used last goes last
            self._record(name)
        return thing

    def is_known(self) -> bool:
        """Whether the system says that this very file is kept."""
        return self._recorded() is not None

    def begin(self) -> None:
        """Look at the content, on another thread, while the file is read."""
        if self._digest is None:
            self._digesting = threading.Thread(target=self._make_digest, name="digest")
            self._digesting.start()

    def give_up(self) -> None:
        """It was not read after all."""
        self._given_up = True
        if self._digesting is not None:
            self._digesting.join()

    def keep(self, thing: T) -> None:
        """Keep what was read, on another thread; whatever goes wrong there costs time later."""
        if self._form.fits(thing):
            threading.Thread(target=self._keep, args=(thing,), name="keep").start()
        else:
            self._given_up = True

    def _keep(self, thing: T) -> None:
        if self._digesting is not None:
            self._digesting.join()
        if self._digest is None or not self._is_settled():
            return
        with contextlib.suppress(OSError):
            name = self._name(self._digest)
            entry = self._folder / name
            if not entry.exists():
                with drafted(entry) as draft, draft.open("wb") as out:
                    self._form.write(out, thing)
            self._record(name)
            _make_room(self._folder)

    # What a file is

    def _identities(self) -> dict[str, Identity | None]:
        beside = None if self._beside is None else _identity(self._beside)
        return {"file": _identity(self._file), "beside": beside}

    def _is_settled(self) -> bool:
        """Whether it is still the file that was there at first, and was so for a while."""
        now = self._identities()
        times = [time_ for each in now.values() if each for time_ in each[-2:]]
        return now == self._before and max(times) < time.time_ns() - _JUST_NOW

    def _record_file(self) -> Path:
        where = os.path.realpath(self._file).encode("utf-8", "surrogateescape")
        return self._folder / (hashlib.blake2b(where, digest_size=16).hexdigest() + _RECORD)

    def _record(self, name: str) -> None:
        content = json.dumps({"entry": name, **self._before})
        with drafted(self._record_file()) as draft:
            draft.write_text(content)

    def _recorded(self) -> str | None:
        """The entry of this very file, untouched since."""
        try:
            record: Any = json.loads(read_bounded(self._record_file(), 10_000))
        except (OpdiffError, OSError, RecursionError, ValueError):
            return None
        if not isinstance(record, dict) or not self._is_settled():
            return None
        same = all(record.get(key) == value for key, value in self._before.items())
        name = record.get("entry")
        return name if same and isinstance(name, str) and self._is_ours(name) else None

    def _is_ours(self, name: str) -> bool:
        """Whether an entry is there, and was made by this very code."""
        plain = Path(name).name == name
        return plain and name.endswith(self._ending()) and (self._folder / name).is_file()

    # What is in it

    def _by_content(self) -> str | None:
        """The entry of the same content, where one of that size makes it worth looking."""
        size = self._before["file"]
        if size is None or not any(self._folder.glob(f"{size[2]}-*{self._ending()}")):
            return None
        self._make_digest()
        return None if self._digest is None else self._name(self._digest)

    def _make_digest(self) -> None:
        digest = hashlib.blake2b(digest_size=20)
        try:
            for path in (self._file, self._beside):
                if path is not None and path.is_file():
                    self._add(digest, path)
                digest.update(b"\0end\0")
        except OSError:
            return
        if not self._given_up:
            self._digest = digest.hexdigest()

    def _add(self, digest: hashlib.blake2b, path: Path) -> None:
        with path.open("rb") as file:
            while not self._given_up and (chunk := file.read(_CHUNK)):
                digest.update(chunk)

    def _name(self, digest: str) -> str:
        size = self._before["file"]
        return f"{size[2] if size else 0}-{digest}{self._ending()}"

    def _ending(self) -> str:
        return f"-{_code()}.{self._form.name}"


def _way_past(file: Path, form: Form[T]) -> CachedReading[T] | None:
    """None where there is no place to keep anything."""
    try:
        folder = cache_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(folder):
            return None
        return CachedReading(file, form, folder)
    except OSError:
        return None


def is_kept(file: Path, form: Form[T]) -> bool:
    """Whether a file need not be read, as far as can be told without looking at its content."""
    way = _way_past(file, form)
    return way is not None and way.is_known()


def through_cache(file: Path, form: Form[T], read: Callable[[], T]) -> T:
    """What *read* gives, or what it gave when this content was read before."""
    way = _way_past(file, form)
    if way is None:
        return read()
    kept = way.found()
    if kept is not None:
        return kept
    way.begin()
    try:
        thing = read()
    except BaseException:
        way.give_up()
        raise
    way.keep(thing)
    return thing


def _identity(path: Path) -> Identity | None:
    try:
        now = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(now.st_mode):
        return None
    return [now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns]


def _is_private(folder: Path) -> bool:
    """Whether nobody else can put anything there."""
    if sys.platform == "win32":
        return True
    now = folder.stat()
    return now.st_uid == os.getuid() and not now.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _make_room(folder: Path) -> None:
    """Remove what was not used for longest, until the rest is small enough."""
    entries = sorted(
        ((path.stat(), path) for path in folder.glob("[0-9]*-*") if path.suffix != _RECORD),
        key=lambda each: each[0].st_mtime_ns,
        reverse=True,
    )
    total = 0
    for state, path in entries:
        total += state.st_size
        if total > MOST_BYTES:
            path.unlink(missing_ok=True)
    records = sorted(folder.glob(f"*{_RECORD}"), key=lambda path: path.stat().st_mtime_ns)
    for path in records[:-_MOST_RECORDS]:
        path.unlink(missing_ok=True)


@cache
def _code() -> str:
    """A digest of the code that reads: what other code has made is of no use."""
    digest = hashlib.blake2b(opdiff.__version__.encode(), digest_size=6)
    root = Path(opdiff.__file__).parent
    for folder in ("readers", "trace", "values"):
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
