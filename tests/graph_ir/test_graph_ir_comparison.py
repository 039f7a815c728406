"""Compiled graphs compared: the documented pair differs by its copies and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from opdiff.cli.main import main
from opdiff.compare import Kind, Request, compare
from opdiff.readers import open_trace

DATA = Path(__file__).parent / "data"
SAMPLES = Path(__file__).parents[2] / "samples" / "assign_ir"


def differences(left: Path, right: Path) -> list[tuple[Kind, set[str]]]:
    """The kind of every divergence, and the op types in it."""
    comparison = compare(open_trace(left), open_trace(right), Request())
    sides = (comparison.left, comparison.right)
    return [
        (
            divergence.kind,
            {
                side.trace.type_name(row)
                for side, rows in zip(
                    sides, (divergence.left_rows, divergence.right_rows), strict=True
                )
                for row in rows
            },
        )
        for divergence in comparison.divergences
    ]


def without_types(path: Path, target: Path) -> Path:
    """The graph as documents print it: no labels, types, scopes or source lines."""
    lines = [
        re.sub(r"^(  %\d+)\(.*?\) = (?:PrimFunc_)?", r"\1 = ", line)
        for line in path.read_text().splitlines()
        if not re.match(r"^\s+[:#]", line)
    ]
    target.write_text("\n".join(lines).replace("UMonad[U]", "U"))
    return target


def test_three_copies_are_inserted_and_nothing_else() -> None:
    found = differences(SAMPLES / "without_copies.ir", SAMPLES / "with_copies.ir")
    assert found == [(Kind.ONLY_RIGHT, {"TensorMove"})] * 3


def test_the_same_the_other_way_round() -> None:
    found = differences(SAMPLES / "with_copies.ir", SAMPLES / "without_copies.ir")
    assert found == [(Kind.ONLY_LEFT, {"TensorMove"})] * 3


def test_the_same_in_listings_without_types(tmp_path: Path) -> None:
    left = without_types(SAMPLES / "without_copies.ir", tmp_path / "left.ir")
    right = without_types(SAMPLES / "with_copies.ir", tmp_path / "right.ir")
    assert differences(left, right) == [(Kind.ONLY_RIGHT, {"TensorMove"})] * 3


def test_graphs_after_kernel_selection() -> None:
    left, right = (DATA / f"assign_elim{level}_graph_build.ir" for level in (3, 0))
    assert differences(left, right) == [(Kind.ONLY_RIGHT, {"TensorMove"})] * 8


@pytest.mark.parametrize("name", ["rope_validate.ir", "rope_graph_build.ir"])
def test_a_graph_does_not_differ_from_itself(name: str) -> None:
    assert differences(DATA / name, DATA / name) == []


def test_info_says_that_the_order_is_topological(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(SAMPLES / "with_copies.ir")]) == 0
    said = capsys.readouterr().out
    assert "mindspore-graph-ir" in said
    assert "topological" in said
