"""Every step of the engine is needed: without it, some pair comes out wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pairs.generate import generate
from tests.pairs.measure import measure

from opdiff.compare import Kind, Request, compare, comparing, pairing
from opdiff.readers import open_trace
from opdiff.trace import Trace

STEPS = tuple(dict.fromkeys(step.__name__ for step in pairing.STEPS))
CASES = Path(__file__).parents[2] / "lab" / "cases"
GENERATED = {
    "by_decree": ("all_known_names", 7500),
    "by_order": ("layer_gone", 7501),
    "by_place": ("host", 7502),
    "by_expansion": ("expanded", 7500),
    "by_role": ("unknown_name", 7500),
    "part_strangers": ("contiguous_gone", 7500),
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
    assert set(STEPS) == {*GENERATED, "by_values", "by_name", "by_leftovers"}


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


def suspects(left: Trace, right: Trace) -> int:
    """How many groups may change a value."""
    return sum(not group.harmless for group in compare(left, right, Request()).groups)


def test_a_compiled_net_is_wrong_without_leftovers(without) -> None:
    left, right = recorded("ms_speech-jit_forward")
    found = suspects(left, right)
    without("by_leftovers")
    assert suspects(left, right) > found


def test_a_decomposed_net_is_wrong_without_raising(monkeypatch: pytest.MonkeyPatch) -> None:
    left, right = recorded("moe-core_aten")
    assert suspects(left, right) == 0
    monkeypatch.setattr(comparing, "find_clusters", lambda *_: ((), ()))
    assert suspects(left, right) > 0


def test_experts_in_another_order_are_wrong_without_values(without) -> None:
    left, right = recorded("moe-other_order")
    assert all(group.harmless for group in compare(left, right, Request()).groups)
    without("by_values")
    assert not all(group.harmless for group in compare(left, right, Request()).groups)


def test_ops_on_the_host_are_wrong_without_names(trace_of, records, without) -> None:
    left = trace_of("2 = Make(1)", "3 = Less(2)", "4 = Sub(2)", "5 = Mul(3, 4)", "6 = Sum(5)")
    right = trace_of("2 = Make(1)", "Sub()", "Less()", "Mul()", "6 = Sum(9)")
    found = [kind for kind, _, _ in records(compare(left, right, Request()))]
    assert found.count(Kind.CPU_FALLBACK) == 3
    without("by_name")
    found = [kind for kind, _, _ in records(compare(left, right, Request()))]
    assert found.count(Kind.CPU_FALLBACK) < 3
