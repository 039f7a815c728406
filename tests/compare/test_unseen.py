"""What one of two files cannot tell is no difference between them."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from opdiff.compare import Kind, Request, compare
from opdiff.compare.records.differences import operand_differences
from opdiff.compare.records.unseen import prints_strides
from opdiff.readers import open_trace
from opdiff.trace import TensorSpec

DATA = Path(__file__).parents[1] / "formats" / "data"
VIEW = TensorSpec("Float32", (2, 3), (6, 1), 0)


def kinds(left: Path, right: Path) -> dict[Kind, int]:
    comparison = compare(open_trace(left), open_trace(right), Request())
    assert comparison.matched > 0
    return comparison.by_kind


def test_a_format_without_strides_lacks_none() -> None:
    recorded = DATA / "pytorch-et" / "gpt2l.eager.et.json.gz"
    printed = DATA / "torch-debugmode" / "gpt2l.base.debug.txt.gz"
    assert any(spec.is_view for spec in open_trace(recorded).tables.specs)
    assert not prints_strides(open_trace(printed))
    found = kinds(recorded, printed)
    assert Kind.LAYOUT_MISSING not in found
    assert Kind.LAYOUT not in found


def test_a_graph_of_the_tracker_without_strides_does_lack_them() -> None:
    samples = Path(__file__).parents[2] / "samples" / "rope"
    assert kinds(samples / "eager.ir", samples / "jit.ir")[Kind.LAYOUT_MISSING] > 0


def test_a_format_without_outputs_has_lost_none() -> None:
    recorded = DATA / "pytorch-et" / "gpt2l.eager.et.json.gz"
    profiled = DATA / "torch-profiler" / "gpt2l.eager.trace.json.gz"
    assert kinds(recorded, profiled) == {}, "nor did an op that only writes run on the host"


ONE_RUN = (
    ("pytorch-et/gpt2l.eager.et.json.gz", "torch-debugmode/gpt2l.base.debug.txt.gz"),
    ("torch-export/gpt2l.base.export.txt.gz", "fx/gpt2l.base.torch_logs.txt.gz"),
    (
        "fx/rope.base.graph.txt",
        "fx/rope.base.print_readable.txt",
        "fx/rope.base.tabular.txt",
        "torch-export/rope.base.export.txt",
        "pytorch-et/rope.base.et.json.gz",
    ),
    ("torchair/original.txt", "torchair/original.pbtxt", "torchair/original.py.txt"),
    tuple(f"torch-npu-log/torch_npu_op_plugin_v{each}.log" for each in ("7.1", "7.2-26.0", "26.1")),
    ("msprobe/A_L1", "msprobe/A_mix"),
)
"""The same run, or the same graph, as several formats show it."""


@pytest.mark.parametrize(
    ("left", "right"), [pair for names in ONE_RUN for pair in permutations(names, 2)]
)
def test_one_run_in_two_formats_has_no_difference_that_matters(left: str, right: str) -> None:
    comparison = compare(open_trace(DATA / left), open_trace(DATA / right), Request())
    assert comparison.matched > 5
    assert [str(one.sentence) for one in comparison.divergences if not one.harmless] == []


def test_a_log_without_addresses_has_lost_no_links() -> None:
    logs = DATA / "torch-npu-log"
    old, new = (logs / f"torch_npu_op_plugin_v{version}.log" for version in ("7.1", "26.1"))
    assert Kind.DATAFLOW not in kinds(old, new)


def test_a_graph_without_types_has_no_other_ones() -> None:
    found = kinds(DATA / "fx" / "fx_str_graph.txt", DATA / "fx" / "fx_print_readable_aot.txt")
    assert not {Kind.DTYPE, Kind.SHAPE} & found.keys()


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        (TensorSpec("?", ()), VIEW, [Kind.LAYOUT_MISSING]),
        (TensorSpec("?", (2, 3)), TensorSpec("Float32", (2, 4)), [Kind.SHAPE]),
        (TensorSpec("Float32", (-1, 3)), TensorSpec("Float32", (2, 3)), []),
        (TensorSpec("Float32", (-1, 3)), TensorSpec("Float32", (2, 4)), [Kind.SHAPE]),
        (TensorSpec("Float32", ()), TensorSpec("Float32", (1,)), [Kind.SHAPE]),
        (TensorSpec("Float32", (2,)), TensorSpec("Float16", (2,)), [Kind.DTYPE]),
        (VIEW, TensorSpec("Float32", (2, 3), (6, 1), None), []),
        (VIEW, TensorSpec("Float32", (2, 3), (6, 1), 8), [Kind.LAYOUT]),
        (VIEW, TensorSpec("Float32", (2, 3), (1, 2), None), [Kind.LAYOUT]),
    ],
)
def test_what_is_not_known_does_not_differ(
    left: TensorSpec, right: TensorSpec, found: list[Kind]
) -> None:
    assert [d.kind for d in operand_differences([left], [right], [], [])] == found
    assert [d.kind for d in operand_differences([right], [left], [], [])] == found
