"""The samples: made by their script, read without problems, with anchors that name ops."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from opdiff.readers import open_trace

SAMPLES = Path(__file__).parents[2] / "samples"
SYNTHESISED = ("rope", "vocab", "activation", "identical", "ranks")
PAIRS = {
    "rope/anchors": ("rope/eager.ir", "rope/jit.ir", "BatchMatMul"),
    "vocab/anchors": ("vocab/eager.ir", "vocab/jit.ir", "InnerCommAllReduce"),
    "activation/anchors": ("activation/silu.ir", "activation/gelu.ir", "CrossEntropyLoss"),
    "identical/anchors": ("identical/first.ir", "identical/second.ir", "CrossEntropyLoss"),
    "real/rope/anchors-jit_ast": ("real/rope/eager", "real/rope/jit_ast", "SumExt"),
    "real/rope/anchors-jit_trace": ("real/rope/eager", "real/rope/jit_trace", "SumExt"),
    "real/cnn/anchors": ("real/cnn/relu", "real/cnn/gelu", "ApplyMomentum"),
    "real/static/anchors": ("real/static/assign_elim0", "real/static/assign_elim3", "Add"),
}


def test_the_script_makes_the_very_files(tmp_path: Path) -> None:
    script = SAMPLES / "make_samples.py"
    subprocess.run([sys.executable, str(script), "--out", str(tmp_path)], check=True)
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    kept = sorted(
        path.relative_to(SAMPLES)
        for name in SYNTHESISED
        for path in (SAMPLES / name).rglob("*")
        if path.is_file()
    )
    assert made == kept
    for path in made:
        assert (tmp_path / path).read_bytes() == (SAMPLES / path).read_bytes(), path


@pytest.mark.parametrize("anchors", PAIRS)
def test_anchors_name_the_same_op_on_both_sides(anchors: str) -> None:
    left, right, kind = PAIRS[anchors]
    options = (SAMPLES / anchors).read_text().split()
    assert options[::2] == ["--left-anchor", "--right-anchor"]
    for path, line in ((left, options[1]), (right, options[3])):
        trace = open_trace(SAMPLES / path)
        assert trace.problems == ()
        row = trace.row_at(int(line))
        assert row is not None
        assert (trace.type_name(row), trace.line_of(row)) == (kind, int(line))


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_the_page_tells_the_anchors_of_every_pair(page: str) -> None:
    text = (SAMPLES / page).read_text()
    for anchors, (left, right, _) in PAIRS.items():
        assert left in text
        assert right in text
        if not anchors.startswith("real/"):
            _, first, _, second = (SAMPLES / anchors).read_text().split()
            assert f"{first}, {second}" in text or f"{first}、{second}" in text
