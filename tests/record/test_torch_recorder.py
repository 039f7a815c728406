"""Real recordings of PyTorch programs, made by the environment of ``make real``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from opdiff.compare import Comparison, Kind, Request, compare
from opdiff.readers import open_trace
from opdiff.trace import Trace

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples" / "scripts"
PYTHON = ROOT / ".venv-torch" / "bin" / "python"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-torch: make real makes it"),
]


class Recorded:
    """What one program printed, and the traces it wrote."""

    def __init__(self, program: Path, folder: Path) -> None:
        done = subprocess.run(
            [str(PYTHON), str(program), str(folder)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        self.said = done.stdout
        self._folder = folder

    def trace(self, name: str) -> Trace:
        trace = open_trace(self._folder / name)
        assert trace.problems == ()
        return trace

    def compared(self, left: str, right: str) -> Comparison:
        return compare(self.trace(left), self.trace(right), Request())


@pytest.fixture(scope="module")
def rope(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(SAMPLES / "torch_rope.py", tmp_path_factory.mktemp("rope"))


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(SAMPLES / "torch_network.py", tmp_path_factory.mktemp("network"))


@pytest.fixture(scope="module")
def view_write(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(SAMPLES / "torch_view_write.py", tmp_path_factory.mktemp("view"))


@pytest.fixture(scope="module")
def oddities(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return Recorded(Path(__file__).parent / "oddities.py", tmp_path_factory.mktemp("odd"))


def types(trace: Trace) -> list[str]:
    return [op.type for op in trace]


def test_rope_runs_the_same_ops_compiled(rope: Recorded) -> None:
    assert "11 ops, 1 runs of compiled code" in rope.said
    assert "results are equal" in rope.said
    comparison = rope.compared("eager.ir", "aot_eager.ir")
    assert list(comparison.divergences) == []
    assert comparison.matched == 11


def test_lines_of_the_user_are_in_the_stacks(rope: Recorded) -> None:
    trace = rope.trace("eager.ir")
    functions = {frame.function for row in range(len(trace)) if (frame := trace.user_frame(row))}
    assert functions == {"apply_rotary", "rotate_half"}


def test_a_network_forward_and_backward(network: Recorded) -> None:
    losses = {line.split()[2] for line in network.said.splitlines()}
    assert len(losses) == 1
    assert network.compared("eager.ir", "node_by_node.ir").matched > 600
    # The compiler computes the cosines once where eager code does so for every query and key.
    eager, compiled = (types(network.trace(name)) for name in ("eager.ir", "aot_eager.ir"))
    assert eager.count("aten::cos") > compiled.count("aten::cos")


def test_compiled_backward_ops_keep_the_users_lines(network: Recorded) -> None:
    trace = network.trace("node_by_node.ir")
    rows = [op.row for op in trace if op.type == "aten::gelu_backward"]
    assert len(rows) == 4
    assert {str(trace.user_frame(row)).partition(":")[0] for row in rows} == {"torch_network.py"}


def test_a_write_through_a_view(view_write: Recorded) -> None:
    trace = view_write.trace("eager.ir")
    assert types(trace) == ["aten::ones", "aten::slice", "aten::mul_", "aten::add", "aten::sum"]
    written = trace.op(2).outputs[0]
    assert written.memory == trace.op(0).outputs[0].memory
    assert (written.spec.strides, written.spec.offset) == ((4, 2), 0)


def test_compiled_code_writes_through_a_view_by_copies(view_write: Recorded) -> None:
    comparison = view_write.compared("eager.ir", "aot_eager.ir")
    right = comparison.right.trace
    added = [d for d in comparison.divergences if d.kind is Kind.ONLY_RIGHT]
    assert {right.type_name(row) for d in added for row in d.right_rows} == {
        "aten::slice_scatter",
        "aten::copy_",
    }


def test_a_reused_address_gets_a_new_id(oddities: Recorded) -> None:
    assert len({op.outputs[0].memory for op in oddities.trace("reuse.ir")}) == 20


def test_inputs_are_described_before_the_call(oddities: Recorded) -> None:
    resize = next(op for op in oddities.trace("resize.ir") if op.type == "aten::resize_")
    assert resize.inputs[0].spec.shape == (2, 3)
    assert resize.outputs[0].spec.shape == (6,)


def test_dtypes_are_spelled_as_mindspore_does(oddities: Recorded) -> None:
    assert [op.outputs[0].spec.dtype for op in oddities.trace("dtypes.ir")] == (
        "Bool UInt8 Int64 Float16 BFloat16 Float64 Complex64 Float8E4M3FN".split()
    )


def test_an_exception_leaves_what_ran_until_then(oddities: Recorded) -> None:
    assert types(oddities.trace("exception.ir.gz")) == ["aten::ones", "aten::ones"]


def test_tensors_without_storage_have_ids_too(oddities: Recorded) -> None:
    trace = oddities.trace("sparse.ir")
    assert all(op.outputs or op.inputs for op in trace)


def test_code_that_was_not_compiled_is_told(oddities: Recorded) -> None:
    assert "nothing of what was recorded was compiled" in oddities.said
