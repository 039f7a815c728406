"""Titles in a session: a code and what fills it in, which another wording does not change."""

from __future__ import annotations

from opdiff.session.json_fields import Field
from opdiff.wording import Sentence, say

_SAID = "session.title-as-said"
_DEEPEST = 8
"""Sentences within sentences: none of ours comes near."""


def as_said(words: str) -> Sentence:
    """A title of which only the words are known."""
    return Sentence.of(_SAID, words=words)


def to_json(title: Sentence) -> dict[str, object]:
    """A title as a session keeps it; nothing where only its words are known."""
    return {} if title.code == _SAID else _encoded(title)


def from_json(field: Field) -> Sentence | None:
    """A title that a session kept; None where it kept words only, or a code that is no more."""
    if field["code"].is_absent:
        return None
    title = _decoded(field, _DEEPEST)
    try:
        say(title)
    except (KeyError, ValueError, IndexError):  # no such code, or it wants other arguments
        return None
    return title


def _encoded(sentence: Sentence) -> dict[str, object]:
    args = {
        name: _encoded(value) if isinstance(value, Sentence) else value
        for name, value in sentence.args
    }
    return {"code": sentence.code, "args": args}


def _decoded(field: Field, depth: int) -> Sentence:
    if not depth:
        raise field.wrong("session.a-text")
    args = {name: _argument(field["args"][name], depth) for name in field["args"].mapping()}
    return Sentence(field["code"].text(), tuple(args.items()))


def _argument(field: Field, depth: int) -> str | int | Sentence:
    if field.holds(dict):
        return _decoded(field, depth - 1)
    return field.number() if field.holds(int) else field.text()
