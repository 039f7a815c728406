from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hand_made import chain, compared, divergence, hostile, small

from opdiff.compare import Comparison, Kind, LostLink, Request, Side, compare
from opdiff.readers import open_traces
from opdiff.report import ReportOptions, json_report, render, rendered


def document(comparison: Comparison, **options: Any) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(render(comparison, "json", ReportOptions(**options)))
    return loaded


def test_the_document_is_the_contract_s() -> None:
    found = document(small())
    assert found["schema"] == "opdiff/1"
    assert found["left"] == {
        "path": "left.ir",
        "format": "mindspore-tracker",
        "ops": 10,
        "anchor_line": 28,
    }
    assert found["direction"] == "whole"
    assert found["summary"] == {
        "matched": 10,
        "divergences": 10,
        "groups": 4,
        "by_kind": {"only-left": 1, "dataflow": 1, "cpu-fallback": 1, "op-type": 7},
        "verdict": {
            "code": "suspect",
            "suspects": 10,
            "message": "All 10 differences may change a value; the first: left 28 Relu",
        },
    }
    assert found["groups"][1] == {
        "id": 1,
        "kind": "dataflow",
        "title": "note: Op 1",
        "count": 1,
        "root": False,
        "known": False,
        "harmless": False,
        "region": None,
        "phase": None,
        "place": None,
    }
    assert found["divergences"][1] == {
        "kind": "dataflow",
        "left_lines": [25],
        "right_lines": [25],
        "group": 1,
        "caused_by": 2,
        "known": False,
        "harmless": False,
        "left_source": None,
        "right_source": None,
        "left_place": None,
        "right_place": None,
        "message": "anchor at line 7: Some op",
    }
    assert found["notes"] == []
    [everything] = found["table"]["rows"]
    assert everything["place"] == "elsewhere"
    assert (everything["divergences"], everything["left_ops"]) == (10, 10)
    assert everything["by_kind"] == found["summary"]["by_kind"]
    assert found["divergences"][0]["right_lines"] == []
    assert found["divergences"][3]["known"] is True
    assert "pairs" not in found


def test_pairs_are_added_on_demand() -> None:
    pairs = document(small(), pairs=True)["pairs"]
    assert pairs[:2] == [[1, 1], [4, 4]]
    assert len(pairs) == 10


def test_a_shortened_list_stays_whole_in_itself() -> None:
    found = document(small(), only=(1,))
    [only] = found["divergences"]
    assert only["caused_by"] is None
    assert only["cause"] == {
        "kind": "cpu-fallback",
        "left_lines": [22],
        "right_lines": [22],
        "message": "anchor at line 7: Some op",
    }
    assert [group["id"] for group in found["groups"]] == [only["group"]] == [0]
    assert found["summary"]["divergences"] == 1
    assert found["summary"]["total"] == {"divergences": 10, "groups": 4}


def test_causes_that_are_listed_are_renumbered() -> None:
    found = document(small(), only=(1, 2))
    assert found["divergences"][0]["caused_by"] == 1
    assert "cause" not in found["divergences"][0]


def test_notes_and_lost_links_are_told() -> None:
    left, right = chain(["Cast", "Mul"]), chain(["Cast", "Mul"])
    record = divergence(Kind.CPU_FALLBACK, 0, 0, 0, lost_links=(LostLink(Side.RIGHT, 1, 0, 0),))
    found = document(compared(left, right, [record]), notes={0: "host op"}, group_notes={0: "why"})
    assert found["divergences"][0]["note"] == "host op"
    assert found["groups"][0]["note"] == "why"
    [lost] = found["divergences"][0]["lost_links"]
    assert lost["consumer_line"] == 4
    assert lost["operand"] == 0


def test_sentences_come_in_either_language() -> None:
    assert document(small(), language="zh")["divergences"][0]["message"] == "锚点在第 7 行：Some op"


def test_hostile_names_and_lone_surrogates_stay_json() -> None:
    text = render(hostile(), "json")
    assert json.loads(text)["left"]["path"].startswith("Evil<script>")
    odd = compared(chain(["\udc80"], "\udcff.ir"), chain(["Add"]), [])
    assert json.loads(render(odd, "json").encode("utf-8"))["left"]["path"] == "\udcff.ir"


def test_nothing_to_report_is_an_empty_list() -> None:
    found = document(compared(chain(["Add"]), chain(["Add"]), []))
    assert found["divergences"] == found["groups"] == []


@pytest.mark.parametrize("only", [None, tuple(range(3, 70))])
def test_a_report_that_is_written_in_pieces_is_the_same(
    only: tuple[int, ...] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = Path(__file__).parents[2] / "samples" / "rope"
    comparison = compare(*open_traces([samples / "eager.ir", samples / "jit.ir"]), Request())
    options = ReportOptions(only=only, pairs=True)
    at_once = render(comparison, "json", options)
    monkeypatch.setattr(json_report, "_AT_ONCE", 7)
    assert len(list(json_report.pieces(comparison, options))) > 20
    assert render(comparison, "json", options) == at_once
    assert rendered(comparison, "json", options) == at_once.encode()
    assert list(comparison.divergences) == [
        comparison.divergences[index] for index in range(len(comparison.divergences))
    ]
