"""What one rank calls of communication, in which order and group: small enough to send.

Calls repeat from layer to layer, so that a packed list of ten thousand takes some hundred bytes.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.trace import TensorSpec, Trace
from opdiff.trace.traits import Trait

_SENDS = re.compile(r"(?:^|::|Comm)[Ii]?[Ss]end_?$")
_RECEIVES = re.compile(r"(?:^|::|Comm)[Ii]?(?:[Rr]ecv|[Rr]eceive)(?:_any_source)?_?$")
_OWN_SIZES = re.compile(r"all_?to_?all|gather|scatter(?!_?reduce)", re.IGNORECASE)
"""Calls whose tensors may be of another size on every rank."""
_SAME_SIZES = re.compile(r"all_?gather|reduce_?scatter", re.IGNORECASE)
_NO_CALLS = re.compile(r"::wait(?:_tensor)?$")
_PEER = {True: ("dst_rank", "dest_rank"), False: ("src_rank",)}
_MOST_TENSORS = 4
_MOST_MEMBERS = 1 << 20


@dataclass(frozen=True, slots=True)
class CallList:
    """Calls of one sort, in order: numbers of words, and lines."""

    words: tuple[str, ...]
    count: int
    packed_words: bytes
    packed_lines: bytes
    digest: bytes
    """Equal for equal words in the same order."""

    @classmethod
    def of(cls, words: Sequence[str], lines: Iterable[int]) -> CallList:
        """Pack calls."""
        numbers: dict[str, int] = {}
        index = np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int32)
        steps = np.diff(np.array(list(lines), np.int64), prepend=0).astype(np.int32)
        text = "\n".join(words).encode("utf-8", "surrogatepass")
        return cls(
            tuple(numbers),
            len(index),
            zlib.compress(index.tobytes(), 6),
            zlib.compress(steps.tobytes(), 6),
            hashlib.blake2b(text, digest_size=12).digest(),
        )

    def numbers(self) -> NDArray[np.int32]:
        """Of each call, the place of its word."""
        return np.frombuffer(zlib.decompress(self.packed_words), np.int32)

    def lines(self) -> NDArray[np.int64]:
        """Of each call, its line."""
        steps = np.frombuffer(zlib.decompress(self.packed_lines), np.int32)
        return np.cumsum(steps.astype(np.int64))


class GroupCalls(NamedTuple):
    """What a rank calls in one communication group."""

    group: str
    """As the trace names it; empty where it does not."""
    runs: tuple[range, ...]
    """The ranks of the group, as far as the trace tells."""
    calls: CallList

    @property
    def members(self) -> list[int]:
        """The ranks themselves."""
        return [*chain.from_iterable(self.runs)]


class PeerCalls(NamedTuple):
    """What a rank sends to, or receives from, another."""

    peer: int
    sends: bool
    calls: CallList


class Calls(NamedTuple):
    """All communication of one rank."""

    groups: tuple[GroupCalls, ...]
    peers: tuple[PeerCalls, ...]
    first_peer: tuple[bool, int | None] | None = None
    """Whether the first word to another rank is sent or received, and the other: the first stage
    of a pipeline begins by sending, all others by receiving."""
    exchanges: bool = False
    """Whether tensors go from all to all, as between experts."""


def calls_of(trace: Trace) -> Calls:
    """What a trace says of communication."""
    rows = np.flatnonzero(trace.has_trait(Trait.COMMUNICATION)).tolist()
    groups: dict[tuple[str, str], list[int]] = {}
    peers: dict[tuple[int, bool], list[int]] = {}
    first_peer: tuple[bool, int | None] | None = None
    exchanges = False
    for row in rows:
        name = trace.type_name(row)
        if _NO_CALLS.search(name):
            continue
        attrs = dict(trace.tables.attrs[trace.columns.attrs[row]])
        sends, receives = bool(_SENDS.search(name)), bool(_RECEIVES.search(name))
        if sends or receives:
            peer = _peer(attrs, sends=sends)
            if first_peer is None:
                first_peer = (sends, peer)
            if peer is not None:
                peers.setdefault((peer, sends), []).append(row)
            continue
        exchanges |= bool(re.search("all_?to_?all", name, re.IGNORECASE))
        key = (attrs.get("group", ""), attrs.get("comm_rank", ""))
        groups.setdefault(key, []).append(row)
    words = _Words(trace)
    return Calls(
        tuple(
            GroupCalls(group, _runs(ranks), words.listed(found))
            for (group, ranks), found in groups.items()
        ),
        tuple(PeerCalls(*key, words.listed(found, bare=True)) for key, found in peers.items()),
        first_peer,
        exchanges,
    )


def _peer(attrs: dict[str, str], *, sends: bool) -> int | None:
    for key in _PEER[sends]:
        text = attrs.get(key, "")
        if text.isascii() and text.isdigit():
            return int(text[:18])
    return None


class _Words:
    """What a call is, in words: type, dtype and shape of what goes in."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[tuple[object, ...], str] = {}

    def listed(self, rows: Sequence[int], *, bare: bool = False) -> CallList:
        """Some calls; *bare* ones without their type, as a send and its receive have two."""
        lines = self._trace.columns.line[rows]
        return CallList.of([self._word(row, bare=bare) for row in rows], lines.tolist())

    def _word(self, row: int, *, bare: bool) -> str:
        trace = self._trace
        inputs, outputs = trace.inputs, trace.outputs
        read = tuple(inputs.spec[inputs.of(row)].tolist())
        made = tuple(outputs.spec[outputs.of(row)].tolist())
        key = (int(trace.type[row]), read, made, bare)
        word = self._known.get(key)
        if word is None:
            name = trace.type_name(row)
            # A receive has nothing to read; what it makes is what was sent.
            used = made or read if bare and not _SENDS.search(name) else read or made
            specs = [trace.tables.specs[spec] for spec in used]
            word = self._known[key] = _text("" if bare else name, specs)
        return word


def _text(name: str, specs: Sequence[TensorSpec]) -> str:
    own_sizes = _OWN_SIZES.search(name) and not _SAME_SIZES.search(name)
    if own_sizes:
        texts = list(dict.fromkeys(spec.dtype for spec in specs))
    else:
        texts = [spec.text for spec in specs]
    more = [f"… {len(texts)}"] if len(texts) > _MOST_TENSORS else []
    return " ".join([*filter(None, [name]), ", ".join(texts[:_MOST_TENSORS]), *more]).strip()


def _runs(text: str) -> tuple[range, ...]:
    """``0 1 2 3`` or ``0-1-2-3`` as few ranges; nothing where it is no list of ranks."""
    parts = re.split(r"[\s,-]+", text.strip("()[] "))
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        return ()
    ranks = sorted({int(part) for part in parts[:_MOST_MEMBERS]})
    runs: list[range] = []
    place = 0
    while place < len(ranks):
        step = ranks[place + 1] - ranks[place] if place + 1 < len(ranks) else 1
        end = place + 1
        while end < len(ranks) and ranks[end] - ranks[end - 1] == step:
            end += 1
        runs.append(range(ranks[place], ranks[end - 1] + 1, step))
        place = end
    return tuple(runs)
