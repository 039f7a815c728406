"""What an op was called with, as text: ``(_, 1e-05, keepdim=True)``, ``_`` for a tensor.

All formats spell it alike, and as the recorder does, so that the same call is the same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

TENSOR = "_"
_DEEPEST = 60
_MOST = 100_000
"""Of the signs in one line: brackets beyond are not opened."""
_LONGEST_TEXT = 2000
_TOKEN = re.compile(
    # A string that is not closed ends with the text: it must not be looked for again and again.
    r"""[^\s,()\[\]{}'":=]+|'(?:[^'\\]|\\.)*(?:'|\\?\Z)|"(?:[^"\\]|\\.)*(?:"|\\?\Z)|\s+|.""",
    re.DOTALL,
)
_OPENING, _CLOSING = "([{", ")]}"
_SIGNS = frozenset("([{)]},=:")
_DEVICE = re.compile(r"^(?:cpu|cuda|npu|xpu|mps|meta|privateuseone)(?::\d+)?$")


def whole(text: str) -> str:
    """A text without halves of characters, which JSON can spell and nothing can print."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def called_with(texts: Iterable[str], named: Iterable[tuple[str, str]] = ()) -> str:
    """The arguments of a call, each spelled already."""
    spelled = f"({', '.join([*texts, *(f'{name}={text}' for name, text in named)])})"
    return spelled if len(spelled) <= _LONGEST_TEXT else spelled[:_LONGEST_TEXT] + "…"


def scalar_text(value: object, depth: int = 0) -> str:
    """A value that is no tensor, as JSON gives it."""
    if isinstance(value, (list, tuple)):
        if depth == _DEEPEST:
            return "…"
        return f"[{', '.join([scalar_text(item, depth + 1) for item in value])}]"
    return string_text(value) if isinstance(value, str) else repr(value)


def string_text(text: str) -> str:
    """A string, in the recorder's quotes."""
    return '"' + whole(text).replace('"', r"\x22") + '"'


def leaf_text(text: str) -> str:
    """A word as files print it: dtypes without ``torch.``, devices without their number."""
    text = whole(text.removeprefix("torch."))
    return text.partition(":")[0] if _DEVICE.match(text) else text


class Term(NamedTuple):
    """A piece of a printed call: a word, or something in brackets with words before it."""

    word: str
    """The word itself, or what stands before the bracket: ``slice`` of ``slice(0, 3)``."""
    items: tuple[Term, ...] | None = None
    bracket: str = ""
    name: str = ""
    """Of ``dim=-1`` and ``{'dim': -1}``."""

    @property
    def is_string(self) -> bool:
        """Whether this is a quoted string."""
        quote = self.word[:1]
        closed = len(self.word) > 1 and self.word.endswith(quote)
        return self.items is None and quote in ("'", '"') and closed

    def words(self) -> Iterable[str]:
        """All words within, in order."""
        if self.items is None:
            yield self.word
            return
        for item in self.items:
            yield from item.words()


def read_terms(text: str, start: int = 0) -> tuple[tuple[Term, ...], int]:
    """The terms of a list whose bracket was opened just before *start*, and where it closes.

    Without a bracket before, the terms of the whole text. An unclosed list ends with the text, and
    then the place is that of no character: the length of the text.
    """
    reader = _TermReader()
    take = reader.take
    for token in _TOKEN.finditer(text, start):
        if take(token[0]):
            return reader.terms(), token.start()
    reader.close_all()
    return reader.terms(), len(text)


@dataclass(slots=True)
class _OpenBracket:
    """A bracket that is open: what stood before it, and the terms within so far."""

    word: str = ""
    name: str = ""
    bracket: str = ""
    items: list[Term] = field(default_factory=list)


class _TermReader:
    def __init__(self) -> None:
        self._stack = [_OpenBracket()]
        self._word: list[str] = []
        self._name = ""
        self._term: Term | None = None
        self._left = _MOST

    def terms(self) -> tuple[Term, ...]:
        return tuple(self._stack[0].items)

    def take(self, token: str) -> bool:
        """Take in the next token; True if it closes the outermost bracket."""
        if token not in _SIGNS:
            self._take_word(token)
            return False
        self._left -= 1
        if token in _OPENING and len(self._stack) < _DEEPEST and self._left > 0:
            self._open(token)
        elif token in _CLOSING:
            self._finish()
            if len(self._stack) == 1:
                return True
            self._close()
        elif token == ",":
            self._finish()
        elif token in "=:" and self._ends_name(token):
            self._name, self._word = "".join(self._word).strip().strip("'\""), []
        else:
            self._take_word(token)
        return False

    def _take_word(self, token: str) -> None:
        if self._term is None:
            self._word.append(token)
        elif not token.isspace():
            self._respell()
            self._word.append(token)

    def close_all(self) -> None:
        """The text ends: so does everything that is open."""
        while len(self._stack) > 1:
            self._finish()
            self._close()
        self._finish()

    def _open(self, bracket: str) -> None:
        self._respell()
        self._stack.append(_OpenBracket("".join(self._word).strip(), self._name, bracket))
        self._word, self._name = [], ""

    def _respell(self) -> None:
        """Make one word of what seemed to be complete: ``x.size()[0]``, ``f(x).y``."""
        if self._term is not None:
            self._name = self._term.name
            self._word = [spelled_as_printed(self._term, named=False)[:_LONGEST_TEXT]]
            self._term = None

    def _close(self) -> None:
        done = self._stack.pop()
        self._term = Term(done.word, tuple(done.items), done.bracket, done.name)

    def _finish(self) -> None:
        """The term before a comma or a bracket is complete."""
        spelled = "".join(self._word).strip()
        term = self._term or (Term(spelled, name=self._name) if spelled else None)
        if term is not None:
            self._stack[-1].items.append(term)
        self._word, self._name, self._term = [], "", None

    def _ends_name(self, sign: str) -> bool:
        """Whether ``=`` or ``:`` ends the name of an argument."""
        if self._term is not None or not self._word or self._name:
            return False
        bracket = self._stack[-1].bracket
        return bracket == "{" if sign == ":" else bracket != "["


def spelled_as_printed(term: Term, *, named: bool = True) -> str:
    """The text of a term, roughly as it was; without its name where that is not wanted."""
    prefix = f"{term.name}=" if named and term.name else ""
    if term.items is None:
        return prefix + term.word
    inner = ", ".join(map(spelled_as_printed, term.items))
    return f"{prefix}{term.word}{term.bracket}{inner}{_CLOSING[_OPENING.index(term.bracket)]}"


def argument_text(term: Term, is_tensor: Callable[[str], bool]) -> str:
    """A term as the recorder spells it; words that name tensors are ``_``."""
    if term.items is None:
        if is_tensor(term.word):
            return TENSOR
        if term.is_string:
            return string_text(term.word[1:-1])
        return leaf_text(term.word)
    if term.word == "device":
        kinds = [item.word.strip("'\"") for item in term.items if item.name in ("", "type")]
        return leaf_text(kinds[0]) if kinds else "device"
    inner = [
        (f"{item.name}=" if item.name else "") + argument_text(item, is_tensor)
        for item in term.items
    ]
    if term.word:
        return f"{leaf_text(term.word)}({', '.join(inner)})"
    return f"[{', '.join(inner)}]"


def call_text(terms: Iterable[Term], is_tensor: Callable[[str], bool]) -> str:
    """The arguments of a printed call."""
    terms = tuple(terms)
    return called_with(
        [argument_text(term, is_tensor) for term in terms if not term.name],
        [(term.name, argument_text(term, is_tensor)) for term in terms if term.name],
    )
