"""Any file at all: a trace or an error of our own, and nothing lost without a word."""

from __future__ import annotations

import random
import re
import zlib
from pathlib import Path

import numpy as np
from tests.soak.damage import damaged, packed
from tests.soak.samples import any_content

from opdiff.cli.info_command import as_json
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.tracker import blocks
from opdiff.trace import Trace
from opdiff.trace.columns import Operands
from opdiff.trace.search import find_rows
from opdiff.trace.summary import summarise

# What nobody can take for anything else: these lines are in an op, or a problem tells of them.
_RECORDS = {
    "mindspore-tracker": re.compile(rb"^\([^()]*\) = \w+\([^()]*\), task_info: [0-9]+, attrs \{"),
    "mindspore-graph-ir": re.compile(rb"^\s+%\d+\([\w.]*\) = \w+\("),
}
_BY_TIME = {"torch-profiler", "pytorch-et"}
"""Formats whose ops are put in order by what they say of it, not by where they stand."""


def one_round(chance: random.Random, scratch: Path) -> None:
    """Read a damaged sample, plain or packed."""
    content = damaged(any_content(chance), chance, any_content(chance))
    file = scratch / "trace.ir"
    is_packed = chance.random() < 0.15
    file.write_bytes(packed(content, chance) if is_packed else content)
    trace = _read(file, chance)
    if trace is None:
        return
    check_trace(trace)
    if not is_packed or _unpacks_to(file.read_bytes(), content):
        _check_nothing_is_lost(trace, content)
    again = _read(file, chance)
    assert again is not None
    assert [tuple(map(str, op.inputs)) for op in again] == [
        tuple(map(str, op.inputs)) for op in trace
    ]
    assert [op.name for op in again] == [op.name for op in trace]
    summary = summarise(trace)
    for language in ("en", "zh"):
        as_json(trace, summary, language)
    find_rows(trace, op="*a*", scope="*", function="?*")


def _read(file: Path, chance: random.Random) -> Trace | None:
    """Read in blocks of whatever size: where one ends must not matter."""
    usual = blocks.TrackerBlocks.__init__.__defaults__
    assert usual is not None
    blocks.TrackerBlocks.__init__.__defaults__ = (chance.choice((*usual, 64, 4096, 65536)),)
    try:
        return open_trace(file)
    except OpdiffError as error:
        error.text("zh")
        return None
    finally:
        blocks.TrackerBlocks.__init__.__defaults__ = usual


def _unpacks_to(archive: bytes, content: bytes) -> bool:
    try:
        return zlib.decompress(archive, 31) == content
    except zlib.error:
        return False


def check_trace(trace: Trace) -> None:
    """What holds for every trace, whatever it was read from."""
    columns, tables = trace.columns, trace.tables
    count = len(trace)
    assert count > 0
    order = np.argsort(columns.line)  # some files do not list their records as they ran
    assert (np.diff(columns.line[order]) > 0).all()
    assert (columns.last_line >= columns.line).all()
    assert (columns.last_line[order][:-1] < columns.line[order][1:]).all()
    assert (np.diff(order) > 0).all() or trace.source.format in _BY_TIME
    for operands in (columns.outputs, columns.inputs):
        _check_operands(operands, count, len(tables.specs))
    for indices, table in (
        (columns.name, tables.names),
        (columns.attrs, tables.attrs),
        (columns.stack, tables.stacks),
        (columns.graph, tables.graphs),
    ):
        assert len(indices) == count
        assert indices.min() >= 0
        assert indices.max() < len(table)
    lines = [problem.line for problem in trace.problems]
    assert lines == sorted(lines) or trace.source.format != "mindspore-tracker"
    for problem in trace.problems:
        assert 1 <= problem.line <= problem.last_line
        assert str(problem.sentence)
    for op in trace:
        assert op.type
        assert op.name.encode("utf-8", "surrogatepass")


def _check_operands(operands: Operands, count: int, specs: int) -> None:
    assert len(operands.start) == count + 1
    assert operands.start[0] == 0
    assert (np.diff(operands.start) >= 0).all()
    assert operands.start[-1] == len(operands.spec) == len(operands.memory)
    assert not len(operands.spec) or 0 <= operands.spec.min() <= operands.spec.max() < specs


def _check_nothing_is_lost(trace: Trace, content: bytes) -> None:
    pattern = _RECORDS.get(trace.source.format)
    if pattern is None or b"\r" in content:  # there, other characters end lines too
        return
    told = np.zeros(content.count(b"\n") + 3, bool)
    for first, last in zip(trace.columns.line, trace.columns.last_line, strict=True):
        told[first : last + 1] = True
    for problem in trace.problems:
        told[problem.line : problem.last_line + 1] = True
    lines = enumerate(content.split(b"\n"), 1)
    lost = [number for number, line in lines if pattern.match(line) and not told[number]]
    assert not lost, f"lines {lost[:5]} are in no op, and no problem tells of them"
