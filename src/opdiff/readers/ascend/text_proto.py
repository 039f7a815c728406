"""The text format of protocol buffers, as far as graphs are printed in it; no schema is needed.

name: "Mul"
input: "Cast:0"
attr { key: "axis" value { i: 0 } }
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Union

_TOKEN = re.compile(
    r"""\s*(?:(?P<comment>\#.*)|(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<sign>[{}<>:;,\[\]])|"""
    r"""(?P<word>[^\s{}<>:;,\[\]"'\#]+)|(?P<other>\S.*))"""
)
_ESCAPE = re.compile(r"\\(?:(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{1,2})|(?P<char>.))")
_CHARS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_LONGEST = 1 << 16
"""Of a string: the bytes of a large constant are cut."""
_DEEPEST = 200

Value = Union[str, "Message"]


@dataclass(slots=True)
class Message:
    """A message: the values of each field in order."""

    fields: dict[str, list[Value]] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        """The first value of a field, where that is plain."""
        for value in self.fields.get(name, ()):
            if isinstance(value, str):
                return value
        return default

    def texts(self, name: str) -> list[str]:
        """All plain values of a field."""
        return [value for value in self.fields.get(name, ()) if isinstance(value, str)]

    def message(self, name: str) -> Message:
        """The first message of a field; an empty one where there is none."""
        return next(iter(self.messages(name)), Message())

    def messages(self, name: str) -> list[Message]:
        """All messages of a field."""
        return [value for value in self.fields.get(name, ()) if isinstance(value, Message)]

    def entries(self, name: str) -> dict[str, Message]:
        """A map, which is printed as messages of a key and a value."""
        return {entry.text("key"): entry.message("value") for entry in self.messages(name)}


class ReadField(NamedTuple):
    """A field that was closed: one of those asked for, or a plain one at the top, or of a graph."""

    name: str
    value: Value
    line: int
    last_line: int


@dataclass(slots=True)
class _OpenMessage:
    name: str
    message: Message
    line: int


class MessageReader:
    """Takes lines; gives the messages that stand at the top, or in a ``graph`` there."""

    def __init__(self, wanted: Iterable[str], root: Message | None = None) -> None:
        self._wanted = frozenset(wanted)
        self._stack = [] if root is None else [_OpenMessage("", root, 1)]
        self._name = ""
        self._expects_value = False

    @property
    def unclosed(self) -> int | None:
        """The line of the outermost message that is still open."""
        return self._stack[0].line if self._stack else None

    def take(self, number: int, line: str) -> Iterator[ReadField]:
        """The fields that end in this line; raises ValueError for what is no such text."""
        place = 0
        while place < len(line):
            match = _TOKEN.match(line, place)
            if match is None:  # blanks at the end
                return
            place = match.end()
            if match["other"] is not None:
                self._name, self._expects_value = "", False
                raise ValueError(match["other"])
            if match["sign"] is not None:
                yield from self._take_sign(match["sign"], number)
            elif match["comment"] is None:
                yield from self._take_word(match["word"], match["string"], number)

    def _take_sign(self, sign: str, number: int) -> Iterator[ReadField]:
        if sign in "{<":
            if len(self._stack) >= _DEEPEST:
                raise ValueError(sign)
            self._stack.append(_OpenMessage(self._name, Message(), number))
            self._name, self._expects_value = "", False
        elif sign in "}>":
            if not self._stack:
                raise ValueError(sign)
            done = self._stack.pop()
            if self._is_wanted(done.name):
                yield ReadField(done.name, done.message, done.line, number)
            elif self._stack:
                self._stack[-1].message.fields.setdefault(done.name, []).append(done.message)
        elif sign == ":":
            self._expects_value = True

    def _is_wanted(self, name: str) -> bool:
        return name in self._wanted and all(one.name == "graph" for one in self._stack)

    def _take_word(self, word: str | None, string: str | None, number: int) -> Iterator[ReadField]:
        if not self._expects_value:
            if string is not None:
                raise ValueError(string[:80])
            self._name = word or ""
            return
        value = unescaped(string[1:-1]) if string is not None else word or ""
        self._expects_value = False
        if any(one.name != "graph" for one in self._stack):
            self._stack[-1].message.fields.setdefault(self._name, []).append(value)
        else:
            yield ReadField(self._name, value, number, number)

    def forget(self) -> None:
        """Let go of what is open: what follows begins anew."""
        self._stack.clear()
        self._name, self._expects_value = "", False


def read_message(text: str) -> Message:
    """A whole text as one message, up to where it is no such text."""
    root = Message()
    reader = MessageReader((), root)
    try:
        for number, line in enumerate(text.split("\n"), 1):
            for _ in reader.take(number, line):
                pass
    except ValueError:
        pass
    return root


def unescaped(text: str) -> str:
    """A string without its quotes and escapes; bytes beyond ASCII are spelled in octal."""
    if "\\" not in text:
        return text[:_LONGEST]
    pieces: list[bytes] = []
    place = 0
    text = text[:_LONGEST]
    for match in _ESCAPE.finditer(text):
        pieces.append(text[place : match.start()].encode("utf-8", "surrogatepass"))
        place = match.end()
        if match["octal"]:
            pieces.append(bytes([int(match["octal"], 8) & 0xFF]))
        elif match["hex"]:
            pieces.append(bytes([int(match["hex"], 16)]))
        else:
            pieces.append(_CHARS.get(match["char"], match["char"]).encode("utf-8", "surrogatepass"))
    pieces.append(text[place:].encode("utf-8", "surrogatepass"))
    return b"".join(pieces).decode("utf-8", "backslashreplace")
