"""The figures of the lab do not get worse, and the lab is what it says it is."""

from __future__ import annotations

import copy
import gzip
import re
from pathlib import Path

import pytest

from lab import score
from lab.assemble import digest
from lab.score import CASES, SETS, SIDES, STARTS, Case, Figures, Outcome

TRACES = sorted((CASES / "traces").iterdir())
ALL = [case for which in SETS for case in score.cases_of(which)]


def text_of(trace: str) -> str:
    return gzip.decompress((CASES / "traces" / f"{trace}.ir.gz").read_bytes()).decode()


@pytest.mark.parametrize("which", SETS)
def test_no_figure_got_worse(which: str) -> None:
    now = {which: score.figures_of(score.measure(which))}
    worse = [text for fell, text in score.changes(score.kept_figures(), now) if fell]
    assert worse == [], "make accuracy shows all figures"


# What is in the lab


def test_every_trace_is_named_by_its_content_and_used() -> None:
    used = {case[side] for case in ALL for side in SIDES}
    assert {path.name.removesuffix(".ir.gz") for path in TRACES} == used
    assert all(digest(text_of(name)) == name for name in used)
    assert sum(path.stat().st_size for path in TRACES) < 20_000_000


def test_no_trace_tells_where_it_was_recorded() -> None:
    stacks = {file for case in ALL for file in re.findall(r"File:([^;|]*)", text_of(case["right"]))}
    neutral = re.compile(r"/lab/|/env/|<(?:frozen runpy|eval_with_key)>")
    assert stacks
    assert [file for file in stacks if not neutral.match(file)] == []
    assert [file for file in stacks if " from " in file and " from /env/" not in file] == []


def test_names_are_unique_and_both_sets_have_all_modes() -> None:
    assert len({case["name"] for case in ALL}) == len(ALL) >= 60
    modes = {"same", "aot_eager", "decomposed", "mindspore-jit", "equal"}
    for which in SETS:
        assert {case["mode"] for case in score.cases_of(which)} == modes


@pytest.mark.parametrize("case", ALL, ids=lambda case: case["name"])
def test_the_truth_of_a_case_names_records(case: Case) -> None:
    for side in SIDES:
        truth, lines = case["truth"][side], text_of(case[side]).splitlines()
        assert len(lines) == 3 * truth["ops"]
        assert 0 < truth["loss_op"] < truth["bwd_op"] <= truth["ops"]
        wrong = [line for line in truth["marks"] if not lines[line - 1].startswith("(")]
        assert wrong == []
    marks = [line for side in SIDES for line in case["truth"][side]["marks"]]
    assert bool(marks) != bool(case.get("equal"))


def test_differences_that_explain_each_other_are_refused() -> None:
    score.refuse_rings([None, 0, 1, 1, 5, None])
    for ring in ([0], [1, 0], [None, 2, 3, 1]):
        with pytest.raises(ValueError, match="explain each other"):
            score.refuse_rings(ring)


# The ratchet


def outcome(rank: int | None, mode: str = "same", suspects: int = 0) -> Outcome:
    return Outcome("a case", mode, "whole", rank, 7, suspects)


def test_figures_count_ranks_and_suspects() -> None:
    found = [*map(outcome, (1, 1, 3, 4, None)), *(outcome(None, "equal", n) for n in (0, 5))]
    assert score.figures_of(found) == {
        "same": {"whole": {"cases": 5, "rank 1": 2, "rank <= 3": 3, "absent": 1}},
        "equal": {"whole": {"cases": 2, "quiet": 1, "suspect groups": 5}},
    }


@pytest.mark.parametrize(
    ("mode", "name", "by", "worse"),
    [
        ("same", "rank 1", -1, True),
        ("same", "rank 1", 1, False),
        ("same", "absent", 1, True),
        ("same", "absent", -1, False),
        ("equal", "suspect groups", 1, True),
        ("equal", "quiet", -1, True),
        ("same", "cases", 1, True),
        ("same", "cases", -1, True),
    ],
)
def test_a_figure_may_get_better_only(mode: str, name: str, by: int, worse: bool) -> None:
    kept: Figures = {
        "tuned": score.figures_of([outcome(1), outcome(None), outcome(None, "equal", 2)])
    }
    now = copy.deepcopy(kept)
    assert list(score.changes(kept, now)) == []
    now["tuned"][mode]["whole"][name] += by
    assert [fell for fell, _ in score.changes(kept, now)] == [worse]


def test_a_start_that_was_never_measured_is_no_better() -> None:
    now: Figures = {"tuned": score.figures_of([outcome(1)])}
    assert all(fell for fell, _ in score.changes({}, now))


def test_worse_figures_make_the_exit_status_1(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(score, "FIGURES", tmp_path / "figures.json")
    ranks: list[int | None] = [1, 2]
    monkeypatch.setattr(score, "measure", lambda which, jobs: [outcome(rank) for rank in ranks])
    assert score.main(["--update"]) == 0
    assert score.main([]) == 0
    ranks[0] = None
    assert score.main([]) == 1
    assert "WORSE: tuned, same, whole: rank 1 1 → 0" in capsys.readouterr().out
    ranks[:] = [1, 1]
    assert score.main([]) == 0
    assert "better: tuned, same, whole: rank 1 1 → 2" in capsys.readouterr().out


def test_only_tuned_cases_are_listed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(score, "FIGURES", tmp_path / "figures.json")
    monkeypatch.setattr(
        score, "measure", lambda which, jobs: [Outcome(which, "same", "whole", 1, 1, 1)]
    )
    assert score.main(["--update", "--list"]) == 0
    listed = [line for line in capsys.readouterr().out.splitlines() if " rank      1" in line]
    assert ["tuned" in line for line in listed] == [True]


# What a rank is


def test_the_rank_is_the_place_of_the_first_group_at_a_marked_line() -> None:
    groups = [{"id": 4, "harmless": True}, {"id": 2}, {"id": 7}]
    report = {
        "groups": groups,
        "divergences": [
            {"group": 4, "left_lines": [1], "right_lines": []},
            {"group": 7, "left_lines": [], "right_lines": [10, 13]},
            {"group": 2, "left_lines": [4], "right_lines": [13]},
        ],
    }
    case: Case = {"name": "a case", "mode": "same"}

    def rank(left: set[int], right: set[int]) -> int | None:
        found = score._outcome(case, "whole", report, {"left": left, "right": right})
        assert (found.groups, found.suspects) == (3, 2)
        return found.rank

    assert rank({4}, set()) == 2
    assert rank(set(), {13}) == 2
    assert rank(set(), {10}) == 3
    assert rank({7}, {16}) is None


def test_marks_below_an_anchor_do_not_count() -> None:
    side = {"ops": 9, "loss_op": 3, "bwd_op": 6, "marks": [7, 16, 22]}
    seen = {start: score._marks_seen(side, key) for start, key in STARTS.items()}
    assert seen == {"whole": {7, 16, 22}, "backward": {7, 16}, "loss": {7}}


def test_a_case_is_not_examined_where_traces_hold_nothing_of_it() -> None:
    case = next(case for case in ALL if case["name"] == "encoder-swapped_weights_at_0")
    assert case["truth"]["unseen_from"] == ["backward", "loss"]
    assert [found.start for found in score.examine(case)] == ["whole"]
