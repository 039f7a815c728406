"""Damage as disks, editors and people do it."""

from __future__ import annotations

import gzip
import random

_TOKENS = [
    b"\n", b"\r\n", b"\r", b"\0", b"(", b")", b"{", b"}", b"[", b"]", b"<", b">", b"%", b"|", b",",
    b":", b";", b"=", b" = ", b"<-", b"->", b"#", b"    # ", b"    (", b"() = ", b"), task_info: ",
    b", attrs {", b"}", b"subgraph @", b"Return(", b"%0", b"File:", b";Line:", b";Function:",
    b"9" * 25, b"-1", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[2J", "注".encode(), b"Tuple[" * 40,
    b'"', b"\\", b"\\u0000", b"null", b"1e999", b"- ", b"? ", b"&a ", b"*a", b"!!python/name:os ",
]  # fmt: skip


def damaged(content: bytes, chance: random.Random, others: bytes = b"") -> bytes:
    """The content with a few things wrong."""
    for _ in range(chance.choice((1, 1, 2, 3, 6, 12))):
        content = chance.choice(_WAYS)(content, chance, others)
    return content


def packed(content: bytes, chance: random.Random) -> bytes:
    """The content gzipped, now and then damaged as an archive."""
    archive = gzip.compress(content, chance.choice((0, 1, 6)))
    if chance.random() < 0.5:
        return archive
    return chance.choice((_flip, _cut, _drop_bytes))(archive, chance, b"")


def _place(content: bytes, chance: random.Random) -> int:
    return chance.randrange(len(content) + 1)


def _flip(content: bytes, chance: random.Random, _: bytes) -> bytes:
    if not content:
        return content
    at = chance.randrange(len(content))
    return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]


def _insert(content: bytes, chance: random.Random, _: bytes) -> bytes:
    at = _place(content, chance)
    return content[:at] + chance.choice(_TOKENS) * chance.choice((1, 1, 1, 30)) + content[at:]


def _drop_bytes(content: bytes, chance: random.Random, _: bytes) -> bytes:
    at = _place(content, chance)
    return content[:at] + content[at + chance.choice((1, 2, 7, 60, 500)) :]


def _cut(content: bytes, chance: random.Random, _: bytes) -> bytes:
    at = _place(content, chance)
    return content[:at] if chance.random() < 0.7 else content[at:]


def _repeat(content: bytes, chance: random.Random, _: bytes) -> bytes:
    at = _place(content, chance)
    piece = content[at : at + chance.choice((1, 20, 300, 3000))]
    return content[:at] + piece * chance.choice((1, 2, 5)) + content[at:]


def _splice(content: bytes, chance: random.Random, others: bytes) -> bytes:
    at, start = _place(content, chance), _place(others, chance)
    return content[:at] + others[start : start + chance.choice((40, 400, 4000))] + content[at:]


def _lines(content: bytes, chance: random.Random, _: bytes) -> bytes:
    lines = content.split(b"\n")
    one, two = chance.randrange(len(lines)), chance.randrange(len(lines))
    word = chance.choice(("drop", "double", "swap", "indent", "move"))
    if word == "drop":
        del lines[one]
    elif word == "double":
        lines.insert(one, lines[two])
    elif word == "swap":
        lines[one], lines[two] = lines[two], lines[one]
    elif word == "indent":
        lines[one] = lines[one].strip() if chance.random() < 0.5 else b"    " + lines[one]
    else:
        lines.insert(two, lines.pop(one))
    return b"\n".join(lines)


def _word(content: bytes, chance: random.Random, _: bytes) -> bytes:
    """One of the words replaced by another one of the same file."""
    words = content.split(b" ")
    words[chance.randrange(len(words))] = words[chance.randrange(len(words))]
    return b" ".join(words)


_WAYS = (_flip, _insert, _drop_bytes, _cut, _repeat, _splice, _lines, _lines, _word)
