"""Every step of the engine is needed: without it, some pair comes out wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.pairs.generate import generate
from tests.pairs.measure import measure

from opdiff.compare import Direction, Kind, Request, compare, comparing
from opdiff.compare.judging import harm
from opdiff.compare.pairing import congruence
from opdiff.compare.pairing import steps as pairing
from opdiff.compare.pairing.congruence import Congruence
from opdiff.compare.pairing.raising import Called, Search
from opdiff.compare.pairing.sums import Sums
from opdiff.compare.pairing.tensor_lists import TensorLists
from opdiff.compare.records.dataflow import Dataflow
from opdiff.compare.sides import prepared
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.trace.columns import Flags

STEPS = tuple(dict.fromkeys(step.__name__ for step in pairing.STEPS))
CASES = Path(__file__).parents[2] / "lab" / "cases"
GENERATED = {
    "by_decree": ("all_known_names", 7500),
    "by_order": ("layer_gone", 7501),
    "by_place": ("host", 7502),
    "by_expansion": ("expanded", 7500),
    "by_role": ("unknown_name", 7500),
    "part_strangers": ("host", 7511),
}
"""Of each step a generated pair that is exact with it."""


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch):
    """Takes a step away."""

    def take(name: str) -> None:
        kept = tuple(step for step in pairing.STEPS if step.__name__ != name)
        assert len(kept) < len(pairing.STEPS)
        monkeypatch.setattr(pairing, "STEPS", kept)

    return take


def test_every_step_has_a_case() -> None:
    # Two have their own: test_moved_blocks.py and test_computed_again.py.
    others = {"by_values", "by_name", "by_leftovers", "by_terms", "part_islands", "part_repeats"}
    assert set(STEPS) == {*GENERATED, *others, "part_unlike"}


@pytest.mark.parametrize("step", sorted(GENERATED))
def test_a_generated_pair_is_wrong_without(step: str, without) -> None:
    edit, seed = GENERATED[step]
    pair = generate(seed, edit)
    exact, _ = measure(pair)
    assert not exact.missed
    assert not exact.invented
    without(step)
    found, _ = measure(pair)
    assert found.missed or found.invented


def recorded(name: str) -> tuple[Trace, Trace]:
    """Both traces of a real pair."""
    cases = json.loads((CASES / "tuned.json").read_text(encoding="utf-8"))
    case = next(case for case in cases if case["name"] == name)
    left, right = (
        open_trace(CASES / "traces" / f"{case[side]}.ir.gz") for side in ("left", "right")
    )
    return left, right


def suspects(left: Trace, right: Trace, request: Request | None = None) -> int:
    """How many groups may change a value."""
    return sum(not group.harmless for group in compare(left, right, request or Request()).groups)


def from_the_end_of_the_backward(name: str) -> Request:
    """A real pair is compared upward from there."""
    cases = json.loads((CASES / "tuned.json").read_text(encoding="utf-8"))
    truth = next(case["truth"] for case in cases if case["name"] == name)
    return Request(Direction.UP, *(truth[side]["bwd_op"] - 1 for side in ("left", "right")))


@pytest.mark.parametrize("step", ["by_leftovers", "by_values", "part_unlike"])
def test_a_compiled_net_is_wrong_without(step: str, without) -> None:
    left, right = recorded("ms_speech-jit_forward")
    request = from_the_end_of_the_backward("ms_speech-jit_forward")
    found = suspects(left, right, request)
    without(step)
    assert suspects(left, right, request) > found


def test_a_compiled_net_is_wrong_without_pairing_totals(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = recorded("ms_speech-jit_forward")
    request = from_the_end_of_the_backward("ms_speech-jit_forward")
    found = suspects(left, right, request)
    monkeypatch.setattr(Congruence, "pair_totals", lambda _: [])
    assert suspects(left, right, request) > found


def test_a_decomposed_net_is_wrong_without_raising(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = recorded("moe-core_aten")
    assert suspects(left, right) == 0
    monkeypatch.setattr(comparing, "find_clusters", lambda *_: ((), ()))
    assert suspects(left, right) > 0


def nothing(of: Sequence[object]) -> Flags:
    """That none of them is anything."""
    return np.zeros(len(of), np.bool_)


PARTS = [
    ("ms_encoder-jit_step", comparing, "copied", lambda *_: ({}, {})),
    ("ms_encoder-jit_step", harm, "_folded_away", lambda _side, _pairs, _which, rows: rows < 0),
    ("ms_encoder-jit_step", harm, "_lacks_constants", lambda *_: False),
    ("ms_encoder-jit_step", harm, "_readers_agree", lambda *_: False),
    ("moe-core_aten", Dataflow, "_both_constant", lambda *_: False),
    ("moe-foreach", Dataflow, "_updated_in_list", lambda *_: False),
    ("gan-foreach", TensorLists, "_one_for_all", lambda *_: False),
    ("ms_detector-jit_step", Congruence, "_left_over", lambda *_: -1),
    ("moe-other_order", Sums, "same_total", lambda *_: False),
    ("ms_speech-jit_forward", Congruence, "_makers", lambda *_: iter(())),
    ("ms_speech-jit_forward", Congruence, "_telling", lambda _congruence, side, _row: [0] * side),
    ("ms_detector-jit_step", Congruence, "_turned", lambda *_: iter(())),
    ("ms_cells-jit_step", prepared, "_few_numbers", lambda trace: nothing(trace.tables.specs)),
    ("ms_speech-jit_forward", pairing, "_parts_of_another", lambda *_: []),
    ("ms_speech-jit_forward", pairing, "_phases", lambda _: [None]),
    ("ms_decoder-jit_forward", harm, "shared", lambda _sides, _pairs, _which, rows: rows < 0),
    ("ms_decoder-jit_step", comparing, "doubtful", lambda *_: []),
    ("ms_detector-plain_l1-jit_step", comparing, "merged", lambda *_: None),
    ("detector-decomposed", Search, "_without_shared", lambda _search, clusters: clusters),
    ("detector-decomposed", Called, "may_be", lambda *_: True),
]
"""Real pairs that are right, or less wrong, by a part of the engine; and what it is without."""


@pytest.mark.parametrize(("case", "owner", "name", "off"), PARTS, ids=[part[2] for part in PARTS])
def test_a_real_pair_is_wrong_without(case, owner, name, off, monkeypatch) -> None:
    left, right = recorded(case)
    found = suspects(left, right)
    monkeypatch.setattr(owner, name, off)
    assert suspects(left, right) > found


def test_a_weight_that_was_not_used_is_another_schedule_without(monkeypatch) -> None:
    left, right = recorded("ms_vision-spare_weight_at_2-jit_forward")
    assert suspects(left, right) > 0
    monkeypatch.setattr(pairing, "_hold_parameters", lambda *_: None)
    assert suspects(left, right) == 0


def test_a_hidden_copy_of_what_another_one_made_is_found() -> None:
    left, right = recorded("ms_decoder-jit_step")
    assert suspects(left, right) == 0


def test_a_sum_in_other_steps_is_wrong_without_terms(trace_of, without) -> None:
    terms = ("2 = Exp(1)", "3 = Abs(1)", "4 = Sin(1)", "5 = Cos(1)")
    left = trace_of(*terms, "6 = Add(2, 3)", "7 = Add(6, 4)", "8 = Add(7, 5)", "9 = Sum(8)")
    right = trace_of(*terms, "6 = Add(4, 5)", "8 = AddN(2, 3, 6)", "9 = Sum(8)")
    assert suspects(left, right) == 0
    without("by_terms")
    assert suspects(left, right) > 0


def test_ops_on_the_host_are_wrong_without_names(trace_of, records, without) -> None:
    left = trace_of("2 = Make(1)", "3 = Less(2)", "4 = Sub(2)", "5 = Mul(3, 4)", "6 = Sum(5)")
    right = trace_of("2 = Make(1)", "Sub()", "Less()", "Mul()", "6 = Sum(9)")
    found = [kind for kind, _, _ in records(compare(left, right, Request()))]
    assert found.count(Kind.CPU_FALLBACK) == 3
    without("by_name")
    found = [kind for kind, _, _ in records(compare(left, right, Request()))]
    assert found.count(Kind.CPU_FALLBACK) < 3


def test_trials_end_where_they_ask_too_much_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = recorded("ms_decoder-jit_forward")
    assert "coarse" not in {note.code for note in compare(left, right, Request()).notes}
    asked, verdicts = [0], Congruence._verdicts

    def counted(*question):
        asked[0] += 1
        return verdicts(*question)

    monkeypatch.setattr(Congruence, "_verdicts", counted)
    compare(left, right, Request())
    before, asked[0] = asked[0], 0
    monkeypatch.setattr(congruence, "_ASKED", 100)
    monkeypatch.setattr(congruence, "_ASKED_A_ROW", 0)
    assert "coarse" in {note.code for note in compare(left, right, Request()).notes}
    assert asked[0] < before


def test_names_of_one_job_that_both_sides_use_are_paired_where_nothing_else_is_left(
    trace_of, without, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in ("by_place", "by_role"):
        without(step)
    both = ("3[8 4] = StridedSliceGrad(2)", "4[8 4] = UnsortedSegmentSum(2, 9)")
    made, other = ("2 = Make(1)", *both, "5 = Exp(2)"), "8 = Log(5)"
    part = ("6[4 8] = UnsortedSegmentSum(5)", "6[8 4] = Transpose(6[4 8])")
    halves = "10[4 4], 11[4 4] = Unstack(6[8 4])"
    ends = ("12 = AddN(10, 8, 5)", "13 = AddN(11, 8, 2)")
    left = trace_of(*made, *part, other, halves, *ends)
    right = trace_of(*made, other, "6[8 4] = StridedSliceGrad(5)", halves, *ends)
    for pair in ((left, right), (right, left)):
        assert suspects(*pair) == 0
    monkeypatch.setattr(Congruence, "_by_known_names", lambda *_: [])
    assert suspects(left, right) > 0
