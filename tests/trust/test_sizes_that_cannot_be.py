"""Shapes, strides and offsets that no memory could hold are no mistake of the program."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from opdiff.compare import Request, compare
from opdiff.readers import open_trace

_RECORD = (
    "(%{out}) = aten::{name}({ids}), task_info: {number}, attrs {{stream_id=0, args=(_)}} \n"
    "    ({made}) <- ({read})\n    # \n"
)
SHAPES = ("[9999999999999, 9999999999999]", "[0, 3]", "[" + "99999999, " * 60 + "7]")
STRIDES = (
    "{99999999999999999999, 1} +3",
    "{-5, 1} +3",
    "{4611686018427387904, 1} +9223372036854775807",
)


def _trace(path: Path, *ops: tuple[str, int, str, int, str]) -> Path:
    """Ops as name, output, its look, input, its look."""
    records = [
        _RECORD.format(name=name, out=out, made=made, ids=f"%{read}", read=look, number=number)
        for number, (name, out, made, read, look) in enumerate(ops, 1)
    ]
    path.write_text("".join(records))
    return path


@pytest.mark.parametrize("odd", [*SHAPES, *(f"[4, 4] {strides}" for strides in STRIDES)])
def test_any_size_may_be_printed(tmp_path: Path, odd: str) -> None:
    plain, look = "Float32:[4, 4]", f"Float32:{odd}"
    start = ("mm", 10, plain, 1, plain)
    end = (("exp", 13, look, 12, look), ("mul_backward", 14, look, 13, look))
    views = (("slice", 10, look, 10, plain), ("clone", 12, look, 10, look))
    runs = [
        _trace(tmp_path / "views.ir", start, *views, *end),
        _trace(tmp_path / "again.ir", start, *views, *end, ("clone", 15, plain, 10, look)),
        _trace(tmp_path / "repeat.ir", start, ("repeat", 12, look, 10, look), *end),
        _trace(tmp_path / "split.ir", start, ("slice", 12, plain, 10, look), *end),
    ]
    for left, right in itertools.permutations(runs, 2):
        assert compare(open_trace(left), open_trace(right), Request()).matched
