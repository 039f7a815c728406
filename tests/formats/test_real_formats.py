"""What a real PyTorch and a real MindSpore write, read and held against each other.

``make real`` makes the environments.
"""

from __future__ import annotations

import json
import os
import subprocess
from itertools import combinations
from pathlib import Path

import pytest

from opdiff.cli import main
from opdiff.compare import Request, compare
from opdiff.readers import open_trace
from opdiff.readers.own_values import values_of
from opdiff.trace import Role, Trace

ROOT = Path(__file__).parents[2]
TORCH, MINDSPORE = (ROOT / f".venv-{name}" / "bin" / "python" for name in ("torch", "mindspore"))
needs_torch = [
    pytest.mark.torch,
    pytest.mark.skipif(not TORCH.exists(), reason="no .venv-torch: make real makes it"),
]
needs_mindspore = [
    pytest.mark.mindspore,
    pytest.mark.skipif(not MINDSPORE.exists(), reason="no .venv-mindspore: make real makes it"),
]


def run(python: Path, program: Path, *words: str, folder: Path, **variables: str) -> str:
    """Run a program; what it says on standard error."""
    done = subprocess.run(
        [str(python), str(program), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stderr


def harmful(left: Trace, right: Trace) -> list[str]:
    """Differences that may change a value."""
    found = compare(left, right, Request()).divergences
    return [str(divergence.sentence) for divergence in found if not divergence.harmless]


def types(trace: Trace) -> list[str]:
    return [op.type for op in trace]


@pytest.mark.parametrize("kind", [pytest.param("torch", marks=needs_torch)])
def test_all_that_pytorch_writes_of_one_step(kind: str, tmp_path: Path) -> None:
    program = ROOT / "samples" / "scripts" / "torch_formats.py"
    logs = {"TORCH_LOGS": "graph_code,aot_graphs"}
    log = run(TORCH, program, str(tmp_path), folder=tmp_path, **logs)
    (tmp_path / "graphs.log").write_text(log)
    names = ["recorded.ir", "debug.txt", "et.json", "profiler.json", "export.txt", "graphs.log"]
    traces = {name: open_trace(tmp_path / name) for name in [*names, "readable.txt", "graph.txt"]}
    assert {trace.source.format for trace in traces.values()} == {
        "mindspore-tracker", "torch-debugmode", "pytorch-et", "torch-profiler", "torch-export",
        "fx",
    }  # fmt: skip
    assert all(trace.problems == () for trace in traces.values())
    recorded, debug = traces["recorded.ir"], traces["debug.txt"]
    assert types(debug) == types(recorded)
    shapes = [[[o.spec.shape for o in op.inputs] for op in trace] for trace in (debug, recorded)]
    assert shapes[0] == shapes[1]
    execution, profile = traces["et.json"], traces["profiler.json"]
    assert types(execution) == types(profile)
    assert (
        types(traces["readable.txt"]) == types(traces["graph.txt"]) == types(traces["export.txt"])
    )
    forward = open_trace(tmp_path / "graphs.log", graph="Forward*")
    both = open_trace(tmp_path / "graphs.log", graph="Forward*+Backward*")
    assert len(both) > 2 * len(forward) - 5
    for trace in (debug, forward, traces["export.txt"]):
        adds = [op.attrs["args"] for op in trace if op.type == "aten::add"]
        assert adds.count("(_, 1e-05)") == 1
    # What ran is the same: no two formats may part where both can tell.
    whole_step = [recorded, debug, execution]
    forward_only = [traces[name] for name in ("export.txt", "readable.txt", "graph.txt")]
    pairs = [(execution, profile), *combinations(whole_step, 2), *combinations(forward_only, 2)]
    for left, right in pairs:
        assert harmful(left, right) == [], (left.source.format, right.source.format)


@pytest.mark.parametrize("kind", [pytest.param("mindspore", marks=needs_mindspore)])
def test_the_dump_and_the_tracker_of_one_run(kind: str, tmp_path: Path) -> None:
    settings = {
        "op_debug_mode": 0, "dump_mode": 0, "path": str(tmp_path / "dump"), "net_name": "Net",
        "iteration": "all", "saved_data": "tensor", "input_output": 0, "kernels": [],
        "support_device": [0],
    }  # fmt: skip
    config = {"common_dump_settings": settings, "e2e_dump_settings": {"enable": True}}
    (tmp_path / "dump.json").write_text(json.dumps(config))
    run(
        MINDSPORE,
        Path(__file__).parent / "mindspore_step.py",
        folder=tmp_path,
        MINDSPORE_DUMP_CONFIG=str(tmp_path / "dump.json"),
        MS_ALLOC_CONF="memory_tracker:True,memory_tracker_path:" + str(tmp_path / "tracked"),
    )
    dump = open_trace(tmp_path / "dump")
    tracked = open_trace(next(tmp_path.rglob("tracker_graph.ir")))
    ran = [op.name.replace("/", "_") for op in tracked if tracked.role[op.row] == Role.OP]
    assert [op.name.replace("/", "_") for op in dump] == ran
    rows = list(values_of(dump))
    assert len(rows) == len(dump.inputs.memory) + len(dump.outputs.memory)
    assert "1e-05" in next(op for op in dump if op.type == "Add").attrs["args"]


@pytest.mark.parametrize("kind", [pytest.param("mindspore", marks=needs_mindspore)])
def test_the_order_of_a_dry_run(kind: str, tmp_path: Path) -> None:
    run(
        MINDSPORE,
        Path(__file__).parent / "mindspore_step.py",
        folder=tmp_path,
        MS_SIMULATION_LEVEL="1",
        MS_DEV_SAVE_GRAPHS="2",
        MS_DEV_SAVE_GRAPHS_PATH=str(tmp_path / "graphs"),
    )
    trace = open_trace(tmp_path / "graphs")
    assert trace.source.format == "mindspore-execute-order"
    assert trace.problems == ()
    assert len(trace.source.companions) == 1
    assert all(op.outputs[0].spec.dtype != "?" for op in trace)
    matmul = next(op for op in trace if op.type == "MatMul")
    assert str(trace.user_frame(matmul.row)).startswith("mindspore_step.py:")


@pytest.mark.parametrize("kind", [pytest.param("both", marks=[*needs_torch, *needs_mindspore])])
def test_one_network_in_both_frameworks(kind: str, tmp_path: Path) -> None:
    folder = Path(__file__).parent
    trace = tmp_path / "torch.ir"
    run(TORCH, folder / "image_step_torch.py", str(trace), folder=tmp_path)
    program = str(folder / "image_step_mindspore.py")
    assert main(["capture", "--out", str(tmp_path / "ms"), "--", str(MINDSPORE), program]) == 0
    comparison = compare(open_trace(tmp_path / "ms"), open_trace(trace), Request())
    assert comparison.matched >= 40
