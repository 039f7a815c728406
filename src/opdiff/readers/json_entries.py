"""JSON files of any size, one entry at a time, each with its lines.

A streaming parser from elsewhere would do, were it not for ``Infinity`` and ``NaN``, which msprobe
writes and ijson, orjson and msgspec all refuse. The standard library reads them, and its decoder
can begin in the middle of a text: so the file is held piece by piece and decoded entry by entry.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from opdiff.readers.formats import Input
from opdiff.readers.problems import Problems, excerpt

_PIECE = 1 << 20
_UNSURE = 16
"""A fault so near the end of what is held may be no fault: ``Infin`` and ``\\u00`` go on."""
_LONGEST_STRING = 8 << 20
_BLANKS = re.compile(r"\s*")
_BETWEEN = re.compile(r"[\s,]*")


class Entry(NamedTuple):
    """One entry of the member that is read entry by entry, or another member as a whole."""

    member: str
    """The member of the file it stands in, or is."""
    key: str | None
    """Its name there; None in a list, and for a whole member."""
    value: Any
    line: int
    last_line: int


class Shape(NamedTuple):
    """What a format's file looks like, as far as it takes to find entries, also behind damage."""

    opening: re.Pattern[str]
    """The beginning of the file, whatever other text stands before it."""
    member: str
    """The member that is read entry by entry."""
    bracket: str
    """How that member opens: ``{`` or ``[``."""
    entry: re.Pattern[str]
    """The beginning of an entry; it must not match inside one."""


class _BrokenError(Exception):
    """What stands here is no JSON; *cut* says that the file ends in the middle of it."""

    def __init__(self, *, cut: bool) -> None:
        super().__init__(cut)
        self.cut = cut


def entries(source: Input, shape: Shape) -> Iterator[Entry]:
    """All entries in the order of the file; what is no JSON becomes a problem."""
    for entry in _Entries(_JsonText(source), shape, source.problems).all():
        if entry.member == shape.member:
            source.last_line = entry.last_line
        yield entry


class _JsonText:
    """The part of the file that is held, and how far it has been read."""

    def __init__(self, source: Input) -> None:
        self._source = source
        self._decode = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._decoder = json.JSONDecoder()
        self._ended = False
        self.text = ""
        self.place = 0
        self.line = 1
        """The line that the place is in."""

    def more(self) -> bool:
        """Hold more of the file, as much again as is needed already; False at its end."""
        if self._ended:
            return False
        held = self.text[self.place :]
        source = self._source
        source.progress.report("reading", min(source.on_disk.tell(), source.size), source.size)
        piece = source.stream.read(max(_PIECE, len(held)))
        self._ended = not piece
        self.text = held + self._decode.decode(piece, final=self._ended)
        self.place = 0
        return not self._ended

    def go_to(self, place: int) -> None:
        """Everything before a place has been read."""
        self.line += self.text.count("\n", self.place, place)
        self.place = place

    def skip(self, pattern: re.Pattern[str]) -> str:
        """Go past what a pattern matches here; returns the next character, none at the end."""
        while True:
            match = pattern.match(self.text, self.place)
            assert match is not None, "the pattern matches nothing at all, too"
            self.go_to(match.end())
            if self.place < len(self.text):
                return self.text[self.place]
            if not self.more():
                return ""

    def find(self, pattern: re.Pattern[str]) -> tuple[re.Match[str] | None, str]:
        """Go to the next match; also the first words of what was passed over."""
        passed = ""
        while True:
            match = pattern.search(self.text, self.place)
            # A match that touches the end might be a longer one, or none, with more text.
            if match is not None and (match.end() < len(self.text) or self._ended):
                passed = (passed + self.text[self.place : match.start()][:400]).strip()
                self.go_to(match.start())
                return match, passed
            kept = len(self.text) if self._ended else max(self.place, len(self.text) - 4096)
            passed = (passed + self.text[self.place : kept][:400]).strip()[:400]
            self.go_to(kept)
            if self._ended:
                return None, passed
            self.more()

    def value(self) -> Any:
        """The value that begins here."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self.text, self.place)
            except json.JSONDecodeError as error:
                if self._may_go_on(error) and self.more():
                    continue
                raise _BrokenError(cut=self._ended and self._may_go_on(error)) from None
            except (ValueError, RecursionError):  # a number or a nesting beyond reason
                raise _BrokenError(cut=False) from None
            if end == len(self.text) and self.text[-1] not in '}]"' and self.more():
                continue  # the number may go on
            self.go_to(end)
            return value

    def _may_go_on(self, error: json.JSONDecodeError) -> bool:
        left = len(self.text) - error.pos
        return left < _UNSURE or (
            error.msg.startswith("Unterminated string") and left < _LONGEST_STRING
        )


class _Entries:
    def __init__(self, text: _JsonText, shape: Shape, problems: Problems) -> None:
        self._text = text
        self._shape = shape
        self._problems = problems
        self._at_end = False
        """Whether the end of the file has been told of as a problem."""
        self._found = False
        """Whether the member was there; before it may be other documents, as logs print them."""

    def all(self) -> Iterator[Entry]:
        text, shape = self._text, self._shape
        text.more()
        while True:
            line = text.line
            text.skip(_BLANKS)
            # A newer version may begin with a member that nobody knows yet.
            begins = _OBJECT.match(text.text, text.place)
            _, passed = (begins, "") if begins else text.find(shape.opening)
            if passed:
                self._problem("unexpected-text", line, text.line, excerpt=passed)
            opened = text.text[text.place : text.place + 1]
            if not opened:
                return
            text.go_to(text.place + 1)
            if opened == "[":
                self._found = True
                yield from self._within(shape.member, shape.bracket)
            else:
                yield from self._members()
            if self._found or not shape.member:
                break
        if text.skip(_BLANKS):
            line = text.line
            _, passed = text.find(_NOTHING)
            self._problem("unexpected-text", line, text.line, excerpt=passed)

    def _members(self) -> Iterator[Entry]:
        """The members of the whole; goes on with an entry where one of them is broken."""
        text, shape = self._text, self._shape
        while not self._at_end:
            following = text.skip(_BETWEEN)
            line = text.line
            try:
                if not following:
                    raise _BrokenError(cut=True)
                if following == "}":
                    text.go_to(text.place + 1)
                    return
                name = self._name()
                opened = text.skip(_BLANKS)
                if name == shape.member and opened == shape.bracket:
                    self._found = True
                    text.go_to(text.place + 1)
                    yield from self._within(name, opened)
                else:
                    value = text.value()
                    yield Entry(name, None, value, line, text.line)
            except _BrokenError as broken:
                if not self._go_on(line, broken):
                    return
                self._found = True
                yield from self._within(shape.member, shape.bracket)

    def _within(self, member: str, bracket: str) -> Iterator[Entry]:
        """The entries of an opened member, up to its end."""
        text = self._text
        closing = "}" if bracket == "{" else "]"
        while True:
            following = text.skip(_BETWEEN)
            line = text.line
            try:
                if not following:
                    raise _BrokenError(cut=True)
                if following == closing:
                    text.go_to(text.place + 1)
                    return
                key = self._name() if bracket == "{" else None
                value = text.value()
            except _BrokenError as broken:
                if not self._go_on(line, broken):
                    return
                continue
            yield Entry(member, key, value, line, text.line)

    def _name(self) -> str:
        text = self._text
        name = text.value()
        if not isinstance(name, str) or text.skip(_BLANKS) != ":":
            raise _BrokenError(cut=text.skip(_BLANKS) == "")
        text.go_to(text.place + 1)
        text.skip(_BLANKS)
        return name

    def _go_on(self, line: int, broken: _BrokenError) -> bool:
        """Say what is broken, and go to the next entry; False if there is none."""
        text = self._text
        begun = text.text[text.place : text.place + 80]
        text.go_to(min(text.place + 1, len(text.text)))
        match, _ = text.find(self._shape.entry)
        last = text.line - (match is not None and text.line > line)
        if broken.cut and match is None:
            self._problem("cut-entry", line, last)
        else:
            self._problem("broken-entry", line, max(line, last), excerpt=begun)
        self._at_end = match is None
        return match is not None

    def _problem(self, code: str, line: int, last_line: int, **args: str) -> None:
        if "excerpt" in args:
            args["excerpt"] = excerpt(args["excerpt"])
        self._problems.add(code, line, last_line, **args)


_NOTHING = re.compile(r"(?!)")
_OBJECT = re.compile(r'\{\s*"')
