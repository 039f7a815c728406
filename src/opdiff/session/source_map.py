"""Where the sources are that a trace names: the machine it was recorded on had other folders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from opdiff.errors import OpdiffError
from opdiff.wording.printable import shortened

MOST_ENTRIES = 50


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Beginnings of paths and what stands in their place here; the longest that fits holds."""

    entries: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries)

    def path_of(self, file: str) -> str:
        """Where a file of a trace is here, as far as is known; else where the trace says."""
        parts = _parts(file)
        for old, new in sorted(self.entries, key=lambda entry: -len(_parts(entry[0]))):
            start = _parts(old)
            if parts[: len(start)] == start:
                rest = parts[len(start) :]
                return "/".join((new.rstrip("/\\"), *rest)) if rest else new
        return file

    def with_entry(self, old: str, new: str) -> SourceMap:
        """The same map with a beginning said, or said otherwise."""
        kept = tuple(entry for entry in self.entries if _parts(entry[0]) != _parts(old))
        return SourceMap((*kept, (old, new))[-MOST_ENTRIES:])

    def joined(self, other: SourceMap) -> SourceMap:
        """Both maps; what the other one says holds."""
        both = self
        for old, new in other.entries:
            both = both.with_entry(old, new)
        return both

    def with_file(self, file: str, found: str) -> SourceMap:
        """The same map knowing that *file* of a trace is *found* here, and its neighbours with it.

        What both paths have in common at their ends moves along: files of other folders of the
        same tree are found as well.
        """
        old, new = _parts(file), _parts(found)
        common = 0
        # One part of each is left, so that no map says that everything is somewhere else.
        while common < min(len(old), len(new)) - 1 and old[-1 - common] == new[-1 - common]:
            common += 1
        cut = len(old) - common, len(new) - common
        return self.with_entry("/".join(old[: cut[0]]) or "/", "/".join(new[: cut[1]]) or "/")

    def as_json(self) -> list[list[str]]:
        """As a session keeps it."""
        return [[old, new] for old, new in self.entries]


def source_map_from_json(value: object) -> SourceMap:
    """What a session keeps; whatever else stands there is left out."""
    found = SourceMap()
    for entry in value if isinstance(value, list) else []:
        if (
            isinstance(entry, list)
            and len(entry) == 2
            and all(isinstance(text, str) and text for text in entry)
        ):
            found = found.with_entry(*entry)
    return found


def parse_source_maps(texts: Iterable[str]) -> SourceMap:
    """``OLD=NEW`` each, as the command line gives them."""
    found = SourceMap()
    for text in texts:
        old, equals, new = text.partition("=")
        if not (equals and old.strip() and new.strip()):
            raise OpdiffError("source.not-a-map", text=shortened(text))
        found = found.with_entry(old.strip(), os.path.abspath(os.path.expanduser(new.strip())))
    return found


def _parts(path: str) -> list[str]:
    """The parts of a path of whatever system; the root is an empty one before them."""
    plain = path.replace("\\", "/").rstrip("/")
    return plain.split("/") if plain else [""]
