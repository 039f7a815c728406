"""``stack.json`` and ``construct.json`` beside a dump: Python stacks, and what encloses what."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from opdiff.errors import system_reason
from opdiff.readers.arguments import whole
from opdiff.readers.formats import Input
from opdiff.readers.json_entries import Entry, Shape, entries
from opdiff.readers.msprobe.entries import MODULE, read_name
from opdiff.trace import Frame
from opdiff.wording import Sentence

_FRAME = re.compile(
    r'^\s*File "?(?P<file>.*?)"?, line (?P<line>\d{1,9}), in (?P<function>.*?),?\s*(?:\n|$)'
)
_WHOLE = Shape(re.compile(r"\{"), "", "{", re.compile(r'(?<=[\s,{])"[^"\n]*"\s*:'))
_DEEPEST = 100


@dataclass(slots=True)
class Beside:
    """What the files beside a dump tell of its entries."""

    files: list[str] = field(default_factory=list)
    notes: list[Sentence] = field(default_factory=list)
    parents: Mapping[str, str] = field(default_factory=dict)
    stacks: Mapping[str, tuple[Frame, ...]] = field(default_factory=dict)

    def stack(self, name: str) -> tuple[Frame, ...]:
        """The Python stack of an entry, outermost frame first."""
        return self.stacks.get(name, ())

    def scope(self, name: str) -> str:
        """The path of the innermost module around an entry."""
        for _ in range(_DEEPEST):
            parent = self.parents.get(name)
            if parent is None:
                return ""
            taken = read_name(parent)
            if taken is not None and taken.level == MODULE:
                return taken.path or taken.type
            name = parent
        return ""


def read_beside(dump: Path) -> Beside:
    """Both files, where they are there."""
    beside = Beside()
    beside.parents = {
        entry.member: parent
        for entry in _members(dump, "construct.json", beside)
        if (parent := _parent(entry.value)) is not None
    }
    beside.stacks = dict(_stacks(_members(dump, "stack.json", beside)))
    return beside


def _parent(value: object) -> str | None:
    """Newer versions write a list of the parent and what else they know."""
    if isinstance(value, list) and value:
        value = value[0]
    return whole(value) if isinstance(value, str) else None


def _members(dump: Path, name: str, beside: Beside) -> Iterator[Entry]:
    """The members of a file beside the dump; a note where it cannot be read."""
    path = next(
        (p for p in (dump.with_name(name), dump.with_name(name + ".gz")) if p.is_file()), None
    )
    if path is None:
        return
    try:
        with Input.opened(path) as source:
            for entry in entries(source, _WHOLE):
                # Behind damage they come as entries of a member without a name.
                name_of = entry.member if entry.key is None else entry.key
                yield entry._replace(member=whole(name_of))
    except OSError as error:
        reason = system_reason(error)
        beside.notes.append(Sentence.of("reading.beside-unreadable", file=name, reason=reason))
        return
    beside.files.append(str(path))
    found = source.problems.all()
    if found or source.cut:
        line = found[0].line if found else 1
        beside.notes.append(Sentence.of("reading.beside-damaged", file=path.name, line=int(line)))


def _stacks(members: Iterable[Entry]) -> Iterator[tuple[str, tuple[Frame, ...]]]:
    """Old files give a name its frames; newer ones give names that share a stack a number."""
    for entry in members:
        value = entry.value
        if not isinstance(value, list):
            continue
        if len(value) == 2 and all(isinstance(part, list) for part in value):
            frames = _frames(value[1])
            for name in value[0]:
                if isinstance(name, str):
                    yield whole(name), frames
        else:
            yield entry.member, _frames(value)


def _frames(texts: Iterable[object]) -> tuple[Frame, ...]:
    """Frames as traces have them: the files list the innermost one first."""
    found = [
        Frame(whole(match["file"]), int(match["line"]), whole(match["function"]))
        for text in texts
        if isinstance(text, str) and (match := _FRAME.match(text))
    ]
    return tuple(reversed(found))
