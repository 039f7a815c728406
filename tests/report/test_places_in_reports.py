"""Reports say in which layer and function a difference is, and count differences by layer."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.structure.programs import Program, play

from opdiff.compare import Comparison, Request, compare
from opdiff.readers import open_trace
from opdiff.report import FORMATS, ReportOptions, render
from opdiff.report.summary_table import summary_table
from opdiff.structure import NodeKind
from opdiff.structure.runs import runs_text
from opdiff.trace import Trace
from opdiff.trace.columns import Tables
from opdiff.wording import say

SAMPLES = Path(__file__).parents[2] / "samples"


def compared(left: Program, right: Program) -> Comparison:
    return compare(play(left)[0], play(right)[0], Request())


@pytest.fixture(scope="module")
def one_odd() -> Comparison:
    """The right has an op more in layer 3 of six."""
    return compared(Program(layers=6), Program(layers=6, odd_layer=3))


def document(comparison: Comparison, **options: Any) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(render(comparison, "json", ReportOptions(**options)))
    return loaded


def test_a_comparison_carries_the_structure_of_both_sides(one_odd: Comparison) -> None:
    for side in (one_odd.left, one_odd.right):
        numbers = {
            side.structure.node(node).number
            for node in side.structure.walk()
            if side.structure.node(node).what is NodeKind.LAYER
        }
        assert numbers == set(range(6))


def test_the_layer_that_is_different_is_named(one_odd: Comparison) -> None:
    said = summary_table(one_odd).said
    assert said is not None
    assert say(said) == "of 6 layers only layer 3 has differences that may change a value"
    assert say(said, "zh") == "6 层中只有层 3 有可能改变数值的差异"


@pytest.mark.parametrize("odd", [0, 1])
def test_of_two_layers_the_one_that_differs_is_named(odd: int) -> None:
    said = summary_table(compared(Program(layers=2), Program(layers=2, odd_layer=odd))).said
    assert said is not None
    assert say(said).startswith(f"of 2 layers only layer {odd} has")


def test_what_is_the_same_in_all_layers_is_said_once() -> None:
    left, right = play(Program(layers=5)), play(Program(layers=5))
    everywhere = compare(left[0], _renamed(right[0], "SiLU", "GeLU"), Request())
    table = summary_table(everywhere)
    assert table.said is not None
    assert say(table.said).endswith("in all 5 layers")
    assert any(place.number is not None for place in table.places)
    text = render(everywhere, "text", ReportOptions())
    assert "layers 0–4, each" in text


def _renamed(trace: Trace, old: str, new: str) -> Trace:
    """The same trace with another op in the place of one."""
    tables = trace.tables
    names = [new if name == old else name for name in tables.names]
    other = Tables(names, tables.specs, tables.attrs, tables.stacks, tables.graphs)
    return Trace(trace.source, trace.columns, other)


def _step(place: str, *renamed: tuple[str, str]) -> Trace:
    """A training step without layers and functions, some of its ops renamed."""
    trace = open_trace(SAMPLES / "real/training" / place / "step_0.ir.gz")
    for old, new in renamed:
        trace = _renamed(trace, old, new)
    return trace


def test_without_layers_and_functions_it_is_told_in_which_phases() -> None:
    """Else all of it is "elsewhere", which says nothing."""
    right = _step("right", ("aten::tanh", "aten::relu"), ("aten::sub_", "aten::add_"))
    found = compare(_step("right"), right, Request())
    table = summary_table(found)
    said = {
        say(place.name): sum(row)
        for place, row in zip(table.places, table.counts.tolist(), strict=True)
    }
    assert {"forward", "optimizer"} <= set(said) <= {"forward", "backward", "optimizer"}
    assert sum(said.values()) == len(found.divergences)
    assert {row["what"] for row in document(found)["table"]["rows"]} == {"phase"}
    assert "\noptimizer " in render(found, "text", ReportOptions())
    assert "优化器" in render(found, "text", ReportOptions(language="zh"))
    assert not summary_table(found, ()).tells


def test_every_report_names_the_place_and_the_line_of_code(one_odd: Comparison) -> None:
    for name in FORMATS:
        report = render(one_odd, name, ReportOptions()).replace("\\_", "_")
        assert "layer 3 › attention" in report, name
        assert "attention.py:40 forward" in report, name


def test_csv_has_places_and_sources_in_columns_of_their_own(one_odd: Comparison) -> None:
    text = render(one_odd, "csv", ReportOptions(language="zh"))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    alone = next(row for row in rows if row["kind"] == "only-right")
    assert alone["right_place"] == "层 3 › attention"
    assert alone["right_source"] == "attention.py:40 forward"
    assert alone["left_place"] == alone["left_source"] == ""


def test_json_has_a_table_of_layers(one_odd: Comparison) -> None:
    found = document(one_odd)
    rows = {row["place"]: row for row in found["table"]["rows"]}
    assert [row["number"] for row in rows.values() if row["what"] == "layer"] == list(range(6))
    assert rows["layer 2"]["divergences"] == 0
    assert rows["layer 3"]["right_ops"] == rows["layer 2"]["right_ops"] + 1
    assert rows["layer 3"]["suspect"] == len(found["divergences"]) > 0
    total = dict.fromkeys(found["summary"]["by_kind"], 0)
    for row in rows.values():
        for kind, count in row["by_kind"].items():
            total[kind] += count
    assert total == found["summary"]["by_kind"]
    assert found["groups"][0]["place"] == "layer 3 › attention"


def test_the_table_counts_what_is_listed(one_odd: Comparison) -> None:
    found = document(one_odd, only=(0,))
    assert sum(row["divergences"] for row in found["table"]["rows"]) == 1


def test_a_layer_more_on_the_right_is_a_place_of_its_own() -> None:
    table = summary_table(compared(Program(layers=4), Program(layers=5)))
    names = [say(place.name) for place in table.places if place.what == "layer"]
    assert len(names) == 5
    [added] = [name for name in names if name.endswith("of the right")]
    row = names.index(added)
    most = table.counts.sum(axis=1).argmax()
    assert say(table.places[int(most)].name) == added, (row, table.counts)


def test_mirrored_comparisons_have_mirrored_tables() -> None:
    left, right = Program(layers=6), Program(layers=6, odd_layer=3)
    table, mirrored = summary_table(compared(left, right)), summary_table(compared(right, left))
    assert table.counts.sum(axis=1).tolist() == mirrored.counts.sum(axis=1).tolist()
    assert [place.ops for place in table.places] == [place.ops[::-1] for place in mirrored.places]
    assert table.said == mirrored.said


def test_nothing_different_has_no_table() -> None:
    same = compared(Program(), Program())
    assert document(same)["table"] == {"said": None, "rows": []}
    assert "place" not in render(same, "text", ReportOptions())


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([3], "3"),
        ([0, 1], "0, 1"),
        ([0, 1, 2, 5], "0–2, 5"),
        (range(0, 20, 2), "0, 2, 4, 6, 8, 10, …"),
        ([], ""),
    ],
)
def test_numbers_are_said_as_runs(numbers: list[int], text: str) -> None:
    assert runs_text(list(numbers)) == text
