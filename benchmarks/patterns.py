"""Sequences made to be hard against a benign pair of the same size: none may grow out of hand."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from opdiff.compare import Request, compare
from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace

Pair = tuple[list[str], list[str]]
"""The names of the ops on both sides."""

_SPEC = TensorSpec("Float32", (64, 2), (2, 1), 0)
_LAYER = (
    "Norm MatMul Add Reshape Transpose Slice Mul Sin Cos Concat Softmax Dropout Cast Gelu".split()
)
_RECORD = (
    "(%{0}) = {1}(%{2}), task_info: {0}, attrs {{stream_id=0}} \n"
    "    (Float32:[64, 2]) <- (Float32:[64, 2])\n    # \n"
)
_MOST = 50_000
"""Larger ones tell no more."""


def _benign(size: int) -> Pair:
    """Layers, with an op in a hundred of another name."""
    names = [_LAYER[at % len(_LAYER)] for at in range(size)]
    return names, [f"{name}Ext" if at % 100 == 50 else name for at, name in enumerate(names)]


def _letters(size: int) -> Pair:
    chance = random.Random(1)
    return chance.choices("ABCD", k=size), chance.choices("ABCD", k=size)


def _words(size: int) -> Pair:
    """Many names, each often, in no order."""
    chance = random.Random(1)
    names = [f"Op{at}" for at in range(200)]
    return chance.choices(names, k=size), chance.choices(names, k=size)


def _permuted(size: int) -> Pair:
    names = [f"Op{at}" for at in range(size)]
    return names, random.Random(1).sample(names, size)


def _reversed(size: int) -> Pair:
    names = [f"Op{at}" for at in range(size)]
    return names, names[::-1]


def _rotated(size: int) -> Pair:
    """A de Bruijn sequence, in which no word of some letters occurs twice, from its middle on."""
    names = _de_bruijn(size)
    return names, names[size // 2 :] + names[: size // 2]


def _de_bruijn(size: int) -> list[str]:
    """Of two letters, by joining Lyndon words."""
    length = max(1, (size - 1).bit_length())
    found: list[int] = []
    word = [-1]
    while word and len(found) < size:
        word[-1] += 1
        if length % len(word) == 0:
            found += word
        word = (word * (length // len(word) + 1))[:length]
        while word and word[-1] == 1:
            word.pop()
    return ["AB"[letter] for letter in found[:size]]


def _interleaved(size: int) -> Pair:
    return list("AB" * (size // 2)), list("AAB" * (size // 3))


def _alike(size: int) -> Pair:
    return ["A"] * size, ["A"] * (size + size // 5)


def _unlike(size: int) -> Pair:
    return [f"Op{at}" for at in range(size)], [f"Ip{at}" for at in range(size)]


PATTERNS: dict[str, Callable[[int], Pair]] = {
    "benign": _benign,
    "letters": _letters,
    "words": _words,
    "permuted": _permuted,
    "reversed": _reversed,
    "rotated": _rotated,
    "interleaved": _interleaved,
    "alike": _alike,
    "unlike": _unlike,
}


def chain(names: Sequence[str], path: str) -> Trace:
    """Ops that each read what the one before wrote, all tensors alike."""
    builder = ColumnsBuilder()
    for row, name in enumerate(names):
        builder.add(name, [Operand(row, _SPEC)], [Operand(row - 1, _SPEC)] if row else [])
    return Trace(Source(path, "mindspore-tracker"), *builder.build())


def run(ops: list[int]) -> None:
    """Print a row a pattern: seconds of the processor against a benign pair, and memory.

    First those of comparing alone, then those of the whole command with reading and report.
    """
    for size in sorted({min(size, _MOST) for size in ops}):
        benign = benign_whole = 0.0
        for name in PATTERNS:
            seconds, megabytes, divergences = measured(name, size)
            whole = min(_command(name, size) for _ in range(2))
            benign, benign_whole = benign or seconds, benign_whole or whole
            print(
                f"{size:>9,} {name:>12} {seconds:>6.2f} s {seconds / benign:>5.1f} x"
                f" {whole:>6.2f} s {whole / benign_whole:>5.1f} x"
                f" {megabytes:>5,} MB {divergences:>8,} differences",
                flush=True,
            )


def _command(name: str, size: int) -> float:
    """Seconds of ``opdiff compare`` as JSON on one pattern, written to files."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for names in PATTERNS[name](size):
            paths.append(Path(folder, f"{len(paths)}.ir"))
            paths[-1].write_text("".join(map(_RECORD.format, count(1), names, count())))
        before = getrusage(RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "opdiff", "compare", "--no-cache", *map(str, paths)]
        subprocess.run([*command, "--format", "json"], check=False, stdout=subprocess.DEVNULL)
        after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(name: str, size: int) -> tuple[float, int, int]:
    """Seconds, megabytes and differences of one pattern, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.patterns", name, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, megabytes, divergences = json.loads(done.stdout)
    return seconds, megabytes, divergences


def _measure(name: str, size: int) -> tuple[float, int, int]:
    left, right = (
        chain(names, path)
        for names, path in zip(PATTERNS[name](size), ("left", "right"), strict=True)
    )
    before = getrusage(RUSAGE_SELF)
    divergences = len(compare(left, right, Request()).divergences)
    after = getrusage(RUSAGE_SELF)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, after.ru_maxrss // 1024, divergences


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], int(sys.argv[2]))))
