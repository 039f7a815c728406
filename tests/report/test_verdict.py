"""The one sentence that says what a comparison comes to."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.values.recorded_runs import network

from opdiff.compare import Comparison, Request, Rules, compare
from opdiff.compare.rules import Ignore
from opdiff.readers import open_trace
from opdiff.report.listing import Listing
from opdiff.report.options import ReportOptions
from opdiff.report.phrases import Phrases
from opdiff.report.verdict import VerdictKind, verdict_of
from opdiff.session.value_choice import ValueChoice

SAMPLES = Path(__file__).parents[2] / "samples"


def listing(comparison: Comparison, **options: object) -> Listing:
    return Listing(comparison, ReportOptions(**options))  # type: ignore[arg-type]


def compared(left: Path, right: Path, *, values: bool = True) -> Comparison:
    traces = open_trace(left), open_trace(right)
    held = ValueChoice(off=not values).held(*traces)
    return compare(*traces, Request(), held=held)


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, Path]:
    made = {
        "good": network(),
        "again": network(),
        "kernel": network(wrong="kernel"),
        "missing": network(wrong="missing"),
        "view": network(wrong="view"),
    }
    return {name: run.write(tmp_path, name) for name, run in made.items()}


@pytest.mark.parametrize(
    ("other", "values", "outcome", "words"),
    [
        ("again", True, VerdictKind.SAME, "No difference in the order of ops"),
        ("again", False, VerdictKind.SAME, "values were not compared"),
        ("view", True, VerdictKind.HARMLESS, "changed a value beyond noise"),
        ("view", False, VerdictKind.HARMLESS, "None of the differences can change a value."),
        (
            "kernel",
            True,
            VerdictKind.VALUES,
            "The numbers part at left 52 aten::add (net.py:18 step)",
        ),
        ("kernel", False, VerdictKind.SAME, "values were not compared"),
        (
            "missing",
            True,
            VerdictKind.VALUES,
            "The numbers part at left 49 aten::tanh (net.py:17 step)",
        ),
        (
            "missing",
            False,
            VerdictKind.SUSPECT,
            "The one difference may change a value: left 49 aten::tanh (net.py:17 step)",
        ),
    ],
)
def test_what_a_pair_comes_to(
    runs: dict[str, Path], other: str, values: bool, outcome: VerdictKind, words: str
) -> None:
    here = listing(compared(runs["good"], runs[other], values=values))
    assert verdict_of(here).outcome is outcome
    assert words in Phrases(here).verdict()


def test_traces_of_two_models_are_said_to_be_so() -> None:
    pair = compared(SAMPLES / "rope/eager.ir", SAMPLES / "real/cnn/relu")
    here = listing(pair)
    assert verdict_of(here).outcome is VerdictKind.UNRELATED
    assert Phrases(here).verdict().endswith("Are these runs of the same model?")
    # Said once: it is no remark at the end as well.
    assert not any("same model" in aside for aside in Phrases(here).asides())


def test_what_is_not_listed_does_not_count(runs: dict[str, Path]) -> None:
    comparison = compared(runs["good"], runs["missing"], values=False)
    here = listing(comparison, only=())
    assert verdict_of(here).outcome is VerdictKind.SAME
    # Yet there is one: only nothing of it is listed.
    assert Phrases(here).verdict().startswith("Nothing is left to list: all 1 difference")


def test_what_rules_leave_out_is_no_agreement() -> None:
    rules = Rules(ignore=(Ignore(op="*"),))
    traces = open_trace(SAMPLES / "rope/eager.ir"), open_trace(SAMPLES / "rope/jit.ir")
    said = Phrases(listing(compare(*traces, Request(rules=rules)))).verdict()
    assert said.startswith("No difference but what the rules leave out (")


def test_only_what_may_change_a_value_counts() -> None:
    pair = compared(SAMPLES / "real/rope/eager", SAMPLES / "real/rope/jit_trace")
    verdict = verdict_of(listing(pair))
    assert verdict.outcome is VerdictKind.SUSPECT
    # Views among the ops of a region that is missing cannot.
    suspects = [record for record in pair.divergences if not record.harmless]
    assert verdict.suspects == len(suspects) == pair.suspect.sum() < len(pair.divergences)
    assert verdict.first in suspects


def test_a_file_that_could_not_be_read_whole_is_said_first(tmp_path: Path) -> None:
    whole = (SAMPLES / "rope/eager.ir").read_bytes()
    broken = tmp_path / "broken.ir"
    broken.write_bytes(whole[:3000] + b"\n(%%% damaged\n" + whole[3000:])
    comparison = compared(broken, SAMPLES / "rope/jit.ir")
    (note,) = [note for note in comparison.notes if note.code == "file-problems"]
    assert note is comparison.notes[0]
    assert "the left file could not be read whole" in str(note.sentence)
    assert "line " in str(note.sentence)
