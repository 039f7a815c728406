"""Whether two ranks did the same: a hash of what a comparison sees, without one run's own ids."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.sides.noise import noise_of
from opdiff.regular_files import add_file
from opdiff.trace import Operands, Tables, Trace
from opdiff.trace.columns import marked, places_among

OF_A_RANK = frozenset(
    {"group", "comm_rank", "src_rank", "dst_rank", "dest_rank", "root_rank", "event"}
)
"""Attributes that rightly are others on other ranks, and events, which are addresses."""
_SIZE = 16
_Numbers = NDArray[np.integer]


def digest_of_file(path: str) -> bytes | None:
    """A hash of a file's bytes; None for what is no file."""
    if not Path(path).is_file():
        return None
    digest = hashlib.blake2b(digest_size=_SIZE)
    add_file(digest, path)
    return digest.digest()


def of_pair(left: Trace, right: Trace) -> bytes:
    """Equal for two pairs of traces whose comparisons come out alike, line by line.

    Groups and ranks count by whether they are the same ones, not by their names: shards and
    replicas that do the same name others.
    """
    digest = hashlib.blake2b(digest_size=_SIZE)
    names: dict[str, str] = {}
    for trace in (left, right):
        _add(digest, [trace.columns.line, trace.columns.last_line])
        attrs = [""] * len(trace.tables.attrs)
        for number in _in_order(trace.columns.attrs)[0].tolist():
            attrs[number] = repr(_masked(trace.tables.attrs[number], names))
        _add_rows(digest, trace, np.arange(len(trace)), attrs)
    return digest.digest()


def of_order(trace: Trace, *, shapes: bool = True) -> bytes:
    """Equal for ranks of one run that ran the same ops on the same values.

    Which ranks a rank talks to is left out, and so is what a run does for its own sake. Without
    *shapes* only the ops and their order count.
    """
    digest = hashlib.blake2b(digest_size=_SIZE)
    rows = np.flatnonzero(~noise_of(trace, trace))
    if shapes:
        attrs = [repr(_kept(printed)) for printed in trace.tables.attrs]
        _add_rows(digest, trace, rows, attrs)
    else:
        _add_words(digest, trace.type[rows], trace.types)
    return digest.digest()


def without_ranks(trace: Trace) -> Trace:
    """The same trace with nothing in it that names ranks, for a comparison of two ranks."""
    attrs = [_kept(printed) for printed in trace.tables.attrs]
    tables = trace.tables
    bare = Tables(tables.names, tables.specs, attrs, tables.stacks, tables.graphs)
    return Trace(trace.source, trace.columns, bare, trace.problems, trace.repaired, trace.notes)


def _kept(attrs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((key, value) for key, value in attrs if key not in OF_A_RANK)


def _masked(attrs: Iterable[tuple[str, str]], names: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Names of groups and ranks as numbers in the order of their first sight."""
    return tuple(
        (key, names.setdefault(f"{key}={value}", str(len(names))) if key in OF_A_RANK else value)
        for key, value in attrs
    )


def _add_rows(digest: hashlib.blake2b, trace: Trace, rows: _Numbers, attrs: Sequence[str]) -> None:
    columns, tables = trace.columns, trace.tables
    _add_words(digest, trace.type[rows], trace.types)
    _add_words(digest, trace.scope[rows], trace.scopes)
    _add_words(digest, columns.attrs[rows], attrs)
    _add_words(digest, columns.graph[rows], tables.graphs)
    _add(digest, [columns.mode[rows]])
    specs = [repr(spec) for spec in tables.specs]
    memory: list[_Numbers] = []
    for operands in (columns.outputs, columns.inputs):
        places = _places(operands, rows)
        _add(digest, [operands.counts()[rows]])
        _add_words(digest, operands.spec[places], specs)
        memory.append(operands.memory[places])
    # Memory by the order of its first sight, whatever it was.
    _add(digest, [_in_order(np.concatenate(memory))[1]])


def _places(operands: Operands, rows: _Numbers) -> _Numbers:
    """Where the operands of some rows are."""
    wanted = marked(len(operands.start) - 1, rows)
    return np.flatnonzero(np.repeat(wanted, operands.counts()))


def _add_words(digest: hashlib.blake2b, index: _Numbers, words: Iterable[str]) -> None:
    """Words by their text: their numbers depend on what else a trace holds."""
    numbers: dict[str, int] = {}
    renumbered = np.array([numbers.setdefault(word, len(numbers)) for word in words], np.int64)
    met, place = _in_order(renumbered[index] if len(renumbered) else np.zeros(0, np.int64))
    texts = list(numbers)
    for number in met.tolist():
        digest.update(texts[number].encode("utf-8", "surrogatepass") + b"\0")
    _add(digest, [place])


def _in_order(numbers: _Numbers) -> tuple[_Numbers, _Numbers]:
    """The distinct ones in the order of their first sight, and the place of each among them."""
    distinct, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = places_among(len(order), order)
    return distinct[order], place[inverse.reshape(-1)]


def _add(digest: hashlib.blake2b, arrays: Iterable[_Numbers]) -> None:
    for array in arrays:
        digest.update(len(array).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(array, np.int64).tobytes())
