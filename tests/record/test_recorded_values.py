"""What recordings of PyTorch say that tensors held, against the very tensors."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.values.measures import Measure
from opdiff.values.sidecar import read_sidecar
from opdiff.values.sketch import measure
from opdiff.values.sources import sidecar_beside
from opdiff.values.table import Values

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-torch" / "bin" / "python"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-torch: make real makes it"),
]


@dataclass(frozen=True)
class Recordings:
    """Everything that one run of the program left."""

    folder: Path
    facts: dict[str, Any]

    def read(self, name: str) -> tuple[Trace, Values]:
        trace = open_trace(self.folder / name)
        sidecar = sidecar_beside(self.folder / name)
        assert sidecar is not None
        values = read_sidecar(sidecar, trace)
        assert trace.problems == ()
        assert values.problems == ()
        assert values.notes == ()
        return trace, values

    def outputs(self, name: str, op_type: str) -> list[Measure]:
        """The first output of every op of a type."""
        trace, values = self.read(name)
        found = [values.measure(op.row, 0, outputs=True) for op in trace if op.type == op_type]
        assert all(found)
        return [measure for measure in found if measure]

    def expected(self, name: str) -> Measure:
        return measure(np.load(self.folder / f"{name}.npy"))


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Recordings:
    folder = tmp_path_factory.mktemp("contents")
    done = subprocess.run(
        [str(PYTHON), str(Path(__file__).parent / "contents.py")],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Recordings(folder, json.loads(done.stdout))


def assert_same(found: Measure, expected: Measure, tolerance: float = 2e-6) -> None:
    """Equal but for the rounding of single precision."""
    assert (found.count, found.nonfinite) == (expected.count, expected.nonfinite)
    assert expected.norm is not None
    assert found.norm == pytest.approx(expected.norm, rel=max(tolerance, 1e-7), abs=1e-300)
    scale = max(expected.norm, 1e-300)
    assert np.abs(np.subtract(found.sketch, expected.sketch)).max() <= tolerance * scale
    for mine, its in ((found.minimum, expected.minimum), (found.maximum, expected.maximum)):
        assert mine == pytest.approx(its, rel=1e-6) if mine is not None else True
    if found.mean is not None:
        assert found.mean == pytest.approx(expected.mean, abs=tolerance * scale)


def test_an_op_in_place_reads_the_old_and_writes_the_new(recordings: Recordings) -> None:
    trace, values = recordings.read("in_place.ir")
    contents = [
        (values.measure(row, 0, outputs=False), values.measure(row, 0, outputs=True))
        for row in range(len(trace))
    ]
    assert [op.type for op in trace] == ["aten::mul_", "aten::add_", "aten::sub"]
    before, after = recordings.expected("in_place_before"), recordings.expected("in_place_after")
    assert contents[0][0] is not None
    assert contents[2][1] is not None
    assert_same(contents[0][0], before)
    assert_same(contents[2][1], after)
    norms = [measure.norm for pair in contents for measure in pair if measure and before.norm]
    assert norms[1] == pytest.approx(3 * norms[0])
    assert norms[3] == pytest.approx(2 * norms[1])
    assert contents[0][1] == contents[1][0] == values.measure(1, 1, outputs=False)
    assert contents[1][1] == contents[2][0]
    # Nobody reads what a result overwrites.
    overwritten = values.measure(2, 1, outputs=False)
    assert overwritten == Measure(count=150)


def test_views_share_what_was_measured_until_one_is_written_to(recordings: Recordings) -> None:
    # The tensor, its transpose, both again after the write, and the sum.
    assert recordings.facts["views measured"] == 5
    trace, values = recordings.read("views.ir")
    reader = next(op.row for op in trace if op.type == "aten::add")
    found = values.measure(reader, 0, outputs=False)
    assert found is not None
    assert_same(found, recordings.expected("views"))
    # What an op in place leaves is what the next one reads: six contents in five ops.
    assert recordings.facts["writes measured"] == 6


def test_sizes_and_layouts(recordings: Recordings) -> None:
    found = recordings.outputs("sizes.ir.gz", "aten::view")
    assert len(found) == 10
    for number, content in enumerate(found):
        assert_same(content, recordings.expected(f"size{number}"))
    turned = recordings.outputs("sizes.ir.gz", "aten::unsqueeze")
    numbers = [6, 7, 8]
    assert len(turned) == len(numbers)
    for number, content in zip(numbers, turned, strict=True):
        assert_same(content, recordings.expected(f"turned{number}"))


def test_dtypes(recordings: Recordings) -> None:
    names = "bool uint8 int8 int32 int64 float16 float64 complex64 complex128 bfloat16".split()
    *found, imaginary = recordings.outputs("dtypes.ir", "aten::view")
    assert len(found) == len(names)
    for name, content in zip(names, found, strict=True):
        exact = name in ("bool", "uint8", "int8", "int32", "int64")
        expected = recordings.expected(f"dtype_{name}")
        double = name in ("float64", "complex128")
        assert_same(content, expected, 0.0 if exact else 1e-14 if double else 2e-6)
    assert (imaginary.minimum, imaginary.maximum) == (-1.0, -1.0)


def test_what_is_not_finite_counts_apart(recordings: Recordings) -> None:
    masked, nothing, large, small, zero = recordings.outputs("not_finite.ir", "aten::view")
    assert masked.nonfinite is not None
    assert masked.nonfinite > 500
    assert_same(masked, recordings.expected("masked"))
    assert (nothing.count, nothing.nonfinite, nothing.norm) == (7, 7, 0.0)
    assert nothing.minimum is None
    assert large.norm == pytest.approx(3e30)
    assert small.norm == pytest.approx(3e-30)
    assert max(small.sketch) == pytest.approx(1e-30)
    assert (zero.norm, zero.nonfinite, set(zero.sketch)) == (0.0, 0, {0.0})


def test_what_was_only_allocated_holds_nothing(recordings: Recordings) -> None:
    trace, values = recordings.read("allocated.ir")

    def known(row: int, *, outputs: bool) -> list[bool]:
        return [
            (content := values.measures.one(int(index))).norm is not None and bool(content.sketch)
            for index in values.side(outputs=outputs).of(row)
        ]

    types = [op.type for op in trace]
    assert known(types.index("aten::empty"), outputs=True) == [False]
    writes = [op.row for op in trace if op.type == "aten::copy_"]
    assert [known(row, outputs=False) for row in writes] == [[False, True]] * 2
    assert [known(row, outputs=True) for row in writes] == [[True]] * 2
    # Written to everywhere, all of it counts.
    assert known(types.index("aten::add"), outputs=False) == [True]
    assert known(types.index("aten::_ctc_loss"), outputs=True) == [True, False]
    assert known(types.index("aten::empty_like"), outputs=True) == [False]
    assert known(types.index("aten::fill_"), outputs=False) == [False]
    assert known(types.index("aten::fill_"), outputs=True) == [True]


def test_ops_that_write_and_do_not_say_so(recordings: Recordings) -> None:
    trace, values = recordings.read("quiet.ir")
    each = next(op for op in trace if op.type == "aten::_foreach_mul_")
    assert [operand.memory for operand in each.outputs] == [
        operand.memory for operand in each.inputs
    ]
    assert values.measure(each.row, 1, outputs=True) == values.measure(1, 0, outputs=False)
    norm = next(op for op in trace if op.type == "aten::native_batch_norm")
    before = values.measure(norm.row, 3, outputs=False)
    after = values.measure(norm.row + 1, 0, outputs=False)
    assert before is not None
    assert after is not None
    assert before.norm == 0.0
    assert after.norm != 0.0


def test_hashes_tell_every_bit(recordings: Recordings) -> None:
    first, equal, other = (
        recordings.outputs(f"hash_{name}.ir", "aten::add")[0]
        for name in ("first", "equal", "other")
    )
    assert first.digest == equal.digest
    assert first.digest != other.digest
    assert len(first.sketch) == 16


def test_equal_runs_have_equal_values_compiled_ones_too(recordings: Recordings) -> None:
    folder = recordings.folder
    text = (folder / "net.values.csv").read_bytes()
    assert text.startswith(b"# opdiff-values 1; sketch=count16 seed=1\nop,side,operand,count,")
    assert (folder / "net_again.values.csv").read_bytes() == text
    assert (folder / "net_no_stacks.values.csv").read_bytes() == text
    assert len({recordings.facts[f"net{name}"] for name in ("", "_aot", "_nodes")}) == 1
    backward = "aten::threshold_backward"
    eager = recordings.outputs("net.ir", backward)
    assert len(eager) == 1
    for name in ("net_aot.ir", "net_nodes.ir"):
        assert recordings.outputs(name, backward) == eager
        step = recordings.outputs(name, "aten::addcdiv_")
        assert step == recordings.outputs("net.ir", "aten::addcdiv_")


def test_recording_disturbs_nothing_and_is_not_disturbed(recordings: Recordings) -> None:
    assert recordings.facts["undisturbed"] is True
    (cast,) = recordings.outputs("cast.ir", "aten::view")
    assert_same(cast, recordings.expected("cast"))
    assert [content.norm for content in recordings.outputs("inference.ir", "aten::add")] == [
        pytest.approx(3 * 5**0.5)
    ]


def test_threads_of_autograd_are_recorded(recordings: Recordings) -> None:
    assert recordings.facts["threads"] > 1
    doubled = recordings.outputs("threads.ir", "aten::mul")
    assert len(doubled) == 71
    assert [content.norm for content in doubled] == [pytest.approx(2 * 3**0.5)] * 71


def test_files_beside_the_trace(recordings: Recordings) -> None:
    folder = recordings.folder
    assert (folder / "sizes.values.csv.gz").read_bytes().startswith(b"\x1f\x8b")
    assert not (folder / "stale.values.csv").exists()
    assert (folder / "foreign.values.csv").read_text() == "mine\n"
    assert not list(folder.glob(".*"))
    (warning,) = recordings.facts["warned"]
    assert warning.startswith("1 operands could not be measured: sparse.values.csv")
    assert recordings.read("sparse.ir")[1].known > 0
    assert "one of sketch, stats, hash or None" in recordings.facts["refused"]


def test_debug_mode_understands_the_sketch(recordings: Recordings) -> None:
    facts = recordings.facts
    assert f"'hash': {facts['sketch']}" in facts["debug string"]
    calls = {call for call, _, _ in facts["mismatches"]}
    assert calls == {"aten::mul.Tensor", "aten::exp"}
    assert all(0.002 < error < 0.03 for _, error, _ in facts["mismatches"])
