"""What looks like a secret, made unreadable before it is written down."""

from __future__ import annotations

import re
from collections.abc import Iterable

MASK = "***"

# A token only at the end of a name: programs of this field also have tokenizers and --max-tokens.
_NAME = (
    r"[\w.-]*(?:passw|passphrase|secret|token(?![\w.-])|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|credential|authorization|cookie)[\w.-]*"
)
_NAMES_A_SECRET = re.compile(rf"-{{0,2}}{_NAME}", re.IGNORECASE)
# ``--token=x``, ``HF_TOKEN=x``, ``"password": "x"``: the name stays, so that one sees what it was.
_ASSIGNED = re.compile(
    rf"(?P<name>{_NAME}[\"']?\s*(?::=|=|:)\s*)"
    r"(?P<value>\"[^\"]*\"?|'[^']*'?|(?:bearer|basic)\s+\S+|[^\s\"',;&)]+)",
    re.IGNORECASE,
)
_IN_AN_ADDRESS = re.compile(r"(?<=://)(?P<user>[^/\s:@]*):[^/\s@]+@")
_SHAPES = re.compile(
    r"\b(?:hf_\w{16,}|gh[pousr]_\w{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}|sk-[\w-]{16,}"
    r"|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{12,}|LTAI\w{12,}|eyJ[\w-]{10,}\.[\w-]+(?:\.[\w-]*)?)"
)


def masked(text: str) -> str:
    """The text without passwords, tokens and keys, as far as their names or shapes tell them."""
    text = _IN_AN_ADDRESS.sub(rf"\g<user>:{MASK}@", text)
    text = _ASSIGNED.sub(rf"\g<name>{MASK}", text)
    return _SHAPES.sub(MASK, text)


def masked_command(words: Iterable[str]) -> list[str]:
    """A command line likewise; the word behind ``--token`` is masked whatever it looks like."""
    kept: list[str] = []
    secret_follows = False
    for word in words:
        kept.append(MASK if secret_follows and not word.startswith("--") else masked(word))
        secret_follows = word.startswith("-") and _NAMES_A_SECRET.fullmatch(word) is not None
    return kept
