"""Values in the comparison: which op is named, what follows, what is neutral, what is refused."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded_runs import Run, network, stepped, trained

from opdiff.cli import main
from opdiff.compare import Comparison, Kind, Request, Section, compare
from opdiff.compare.values.value_phrases import about
from opdiff.readers import open_trace
from opdiff.session.value_choice import ValueChoice
from opdiff.values.pairing import _Operands
from opdiff.wording import say

TRAINING = Path(__file__).parents[2] / "samples" / "real" / "training"


def compared(left: Path, right: Path, **choice: Any) -> Comparison:
    traces = open_trace(left), open_trace(right)
    held = ValueChoice.of(**choice).held(*traces)
    return compare(*traces, Request(), held=held)


def both(folder: Path, wrong: str, **more: Any) -> tuple[Path, Path]:
    right = network(wrong=wrong, **more).write(folder, "right")
    return network().write(folder, "left"), right


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main([str(argument) for argument in ("compare", *arguments)])
    out = capsys.readouterr()
    return status, out.out, out.err


def causes(comparison: Comparison) -> list[tuple[str, str]]:
    """Cause and op of each root, in reading order."""
    told = comparison.values
    assert told is not None
    found = []
    for group in comparison.groups:
        for index in group.members if group.kind is Kind.VALUE else ():
            pair = comparison.divergences[index].value_pair
            assert pair is not None
            if told.cause(pair) != "consequence":
                found.append((told.cause(pair), told.left.trace.type_name(told.rows(pair)[0])))
    return found


@pytest.mark.parametrize("noise", [0.0, 1e-7])
def test_runs_that_are_equal_but_for_noise(tmp_path: Path, noise: float) -> None:
    comparison = compared(*both(tmp_path, "", noise=noise))
    assert not comparison.divergences
    assert comparison.values is not None
    assert len(comparison.values) == 24


@pytest.mark.parametrize("noise", [0.0, 1e-7])
@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ("kernel", ("compute", "aten::add")),
        ("wiring", ("wiring", "aten::mul")),
        ("weight", ("external", "aten::mm")),
        ("scalar", ("compute", "aten::add")),
        ("missing", ("structure", "aten::add")),
    ],
)
def test_the_cause_is_named_first(
    tmp_path: Path, wrong: str, expected: tuple[str, str], noise: float
) -> None:
    comparison = compared(*both(tmp_path, wrong, noise=noise))
    assert causes(comparison) == [expected]
    told = comparison.values
    assert told is not None
    [root] = told.roots()
    rows = told.rows(root)
    # The first group is at the very ops of the cause, or is what these blame.
    first = comparison.divergences[comparison.groups[0].members[0]]
    if wrong == "missing":
        assert first.kind is Kind.ONLY_LEFT
        assert told.left.trace.type_name(first.left_rows[0]) == "aten::tanh"
        assert first.neutral is False
    else:
        assert (first.left_rows, first.right_rows) == ((rows[0],), (rows[1],))
        assert rows[0] // 6 == 2
    assert all(group.parent is not None for group in comparison.groups[1:])


def test_all_that_follows_points_at_the_cause(tmp_path: Path) -> None:
    comparison = compared(*both(tmp_path, "kernel"))
    cause, follows = comparison.groups
    assert cause.root
    assert follows.parent == cause.id
    [root] = cause.members
    assert {comparison.divergences[index].caused_by for index in follows.members} == {root}
    told = comparison.values
    assert told is not None
    assert told.differ == follows.count + 1
    # Its ops look equal in the panes: the curve and the column of errors show them.
    assert sum(state > 3 for state in comparison.left.state.tolist()) == 1


def test_a_difference_that_changed_no_value_comes_last(tmp_path: Path) -> None:
    left, right = both(tmp_path, "view")
    by_order = compared(left, right, off=True)
    assert [group.section for group in by_order.groups] == [Section.HARMLESS]
    comparison = compared(left, right)
    assert [group.section for group in comparison.groups] == [Section.NEUTRAL]
    assert all(record.neutral for record in comparison.divergences)


def test_behind_a_cause_nobody_can_tell_what_else_changed_a_value(tmp_path: Path) -> None:
    left = network().write(tmp_path, "left")
    right = network(wrong="kernel", eps=1.5e-6).write(tmp_path, "right")
    comparison = compared(left, right)
    scalars = [record for record in comparison.divergences if record.kind is Kind.ATTRS]
    said = {record.left_rows[0] // 6: record.neutral for record in scalars}
    # The first layers show that the scalar does not matter; from the third on all is wrong.
    assert said == {0: True, 1: True, 2: True, 3: None}


def test_where_noise_covers_everything_nothing_is_cleared(tmp_path: Path) -> None:
    left = network(noise=4e-6, seed=1).write(tmp_path, "left")
    right = network(noise=4e-6, seed=2, eps=1.5e-6).write(tmp_path, "right")
    comparison = compared(left, right)
    assert comparison.values is not None
    assert comparison.values.differ > 5
    assert causes(comparison) == []
    assert [group.section for group in comparison.groups] == [Section.SUSPECT]


def test_what_is_equal_is_paired_though_the_order_says_otherwise(tmp_path: Path) -> None:
    """The two products of a layer change places: no cause, they are put right."""
    comparison = compared(*both(tmp_path, "swapped"))
    assert causes(comparison) == []
    partner = comparison.left.partner.tolist()
    assert partner[12:14] == [13, 12]
    crossed = compared(*both(tmp_path, "swapped"), off=True)
    assert crossed.left.partner.tolist()[12:14] == [12, 13]


def test_a_decree_is_stronger_than_values(tmp_path: Path) -> None:
    left, right = (open_trace(path) for path in both(tmp_path, "swapped"))
    held = ValueChoice().held(left, right)
    comparison = compare(left, right, Request(pins=((12, 12),)), held=held)
    assert comparison.left.partner.tolist()[12:14] == [12, 13]
    assert causes(comparison)


def test_random_ops_are_said_to_be_random(tmp_path: Path, capsys: Any) -> None:
    left = network(wrong="random", seed=1).write(tmp_path, "left")
    right = network(wrong="random", seed=2).write(tmp_path, "right")
    status, out, _ = said(capsys, left, right)
    assert status == 1
    assert "aten::native_dropout is random" in out
    assert "unless both runs start from the same seed" in out


def test_upward_from_anchors_what_lies_outside_is_outside(tmp_path: Path) -> None:
    left, right = (open_trace(path) for path in both(tmp_path, "kernel"))
    held = ValueChoice().held(left, right)
    request = Request(left_anchor=18, right_anchor=18, direction=Request().direction.DOWN)
    comparison = compare(left, right, request, held=held)
    assert {cause for cause, _ in causes(comparison)} == {"external"}


def test_values_on_one_side_only(tmp_path: Path, capsys: Any) -> None:
    left = network().write(tmp_path, "left")
    right = network(wrong="kernel").write(tmp_path, "right", values=False)
    status, out, _ = said(capsys, left, right)
    assert status == 0
    assert "only the left trace has values: they are shown and not compared" in out
    comparison = compared(left, right)
    assert comparison.values is None
    assert comparison.held[0] is not None


def test_values_of_another_trace_are_refused(tmp_path: Path, capsys: Any) -> None:
    left = network().write(tmp_path, "left")
    right = network(layers=5).write(tmp_path, "right")
    values = tmp_path / "right.values.csv"
    status, out, err = said(capsys, left, right, "--left-values", values)
    assert (status, out) == (2, "")
    assert f"{values}:" in err
    assert "belong to another trace" in err
    assert said(capsys, left, right, "--no-values", "--left-values", values)[0] == 1


def test_a_damaged_row_is_told_with_its_line(tmp_path: Path, capsys: Any) -> None:
    left, right = both(tmp_path, "")
    values = tmp_path / "right.values.csv"
    lines = values.read_text(encoding="utf-8").splitlines()
    lines[9] = "not a row"
    values.write_text("\n".join(lines) + "\n", encoding="utf-8")
    status, out, _ = said(capsys, left, right)
    assert status == 0
    assert f"{values}:10: a row that cannot be read was skipped" in out


def test_every_bit_counts(tmp_path: Path, capsys: Any) -> None:
    left, right = both(tmp_path, "", noise=1e-7)
    assert said(capsys, left, right)[0] == 0
    status, out, _ = said(capsys, left, right, "--bitwise")
    assert status == 1
    assert "other bits" in out
    right.with_name("right.values.csv").unlink()
    status, _, err = said(capsys, left, right, "--bitwise")
    assert status == 2
    assert "--bitwise needs values on both sides" in err


def test_floors_and_jump(tmp_path: Path, capsys: Any) -> None:
    left, right = both(tmp_path, "weight")
    assert said(capsys, left, right)[0] == 1
    assert said(capsys, left, right, "--value-floor", "f32=0.5")[0] == 0
    wrong = (("--value-floor", "f32"), ("--value-floor", "f32=x"), ("--value-jump", "1"))
    for option, text in wrong:
        status, _, err = said(capsys, left, right, option, text)
        assert status == 2
        assert text in err


def test_noise_that_was_measured(tmp_path: Path, capsys: Any) -> None:
    left = network().write(tmp_path, "left")
    right = network(noise=1e-3, seed=1).write(tmp_path, "right")
    third = network(noise=1e-3, seed=2).write(tmp_path, "third")
    assert said(capsys, left, right)[0] == 1
    status, out, _ = said(capsys, left, right, "--noise-run", third)
    assert status == 0
    assert "What is noise was measured from" in out
    assert re.search(r"f32 \d\.\d %", out)
    third.with_name("third.values.csv").unlink()
    status, _, err = said(capsys, left, right, "--noise-run", third)
    assert status == 2
    assert "has no values" in err


def test_the_keys_of_json(tmp_path: Path, capsys: Any) -> None:
    left, right = both(tmp_path, "scalar")
    status, out, _ = said(capsys, left, right, "--format", "json", "--values")
    document = json.loads(out)
    assert status == 1
    summary = document["summary"]["values"]
    assert {"compared", "differ", "first", "neutral"} <= set(summary)
    assert summary["first"]["left_line"] == document["divergences"][0]["left_lines"][0]
    value = next(record["value"] for record in document["divergences"] if "value" in record)
    assert value["cause"] == "compute"
    assert value["inputs"] <= value["floor"] < value["error"]
    assert value["estimate"] == "sketch"
    assert {"norm", "min", "max"} <= set(value["left"]) & set(value["right"])
    assert len(document["curve"]) == summary["compared"]
    assert max(error for _, error in document["curve"]) >= value["error"]
    assert said(capsys, left, right, "--format", "json", "--no-values")[1].count("neutral") == 0


@pytest.mark.parametrize("form", ["text", "markdown", "html", "csv", "json"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_report_names_the_cause(
    tmp_path: Path, capsys: Any, form: str, language: str
) -> None:
    left, right = both(tmp_path, "kernel")
    status, out, _ = said(capsys, left, right, "--format", form, "--lang", language)
    assert status == 1
    assert "aten::add" in out
    assert {"en": "values further down differ", "zh": "下游的数值因此不同"}[language] in out
    if form == "html":
        assert "<svg" in out
        assert 'class="cause"' in out
        assert "style=" not in out.partition("</style>")[2]
    if form in ("text", "markdown", "html"):
        assert {"en": "left norm", "zh": "左侧 norm"}[language] in out


def test_the_exit_status_of_suspects(tmp_path: Path, capsys: Any) -> None:
    left, right = both(tmp_path, "view")
    assert said(capsys, left, right)[0] == 1
    assert said(capsys, left, right, "--fail-on", "suspect")[0] == 0
    left, right = both(tmp_path, "kernel")
    assert said(capsys, left, right, "--fail-on", "suspect")[0] == 1


def test_no_file_of_values_is_overwritten(tmp_path: Path, capsys: Any) -> None:
    left, right = both(tmp_path, "")
    values = tmp_path / "left.values.csv"
    for arguments in ((), ("--left-values", values)):
        status, _, err = said(capsys, left, right, "-o", values, *arguments)
        assert status == 2
        assert str(values) in err
    assert values.read_text(encoding="utf-8").startswith("# opdiff-values")
    # Nor those of runs that are only held beside the two.
    for option in (("--noise-run", left), ("--baseline", left, left)):
        for name in ("third.ir", "third.values.csv"):
            third = network(seed=2).write(tmp_path, "third")
            asked = [third if word is left else word for word in option]
            before = (tmp_path / name).read_bytes()
            status, _, err = said(capsys, left, right, *asked, "-o", tmp_path / name)
            assert status == 2
            assert "would overwrite" in err
            assert (tmp_path / name).read_bytes() == before


def steps(folder: Path, first_wrong: int | None, *, count: int = 5, files: bool = False) -> Path:
    """A run of several steps, wrong from one on."""
    for step in range(count):
        wrong = first_wrong is not None and step >= first_wrong
        run = network(wrong="weight" if wrong else "", noise=1e-7, seed=step, step=step)
        if files:
            run.write(folder, f"step_{step}")
        else:
            run.write(folder / f"step_{step}", "trace")
    return folder


@pytest.mark.parametrize("files", [True, False])
def test_the_first_step_that_differs(tmp_path: Path, capsys: Any, files: bool) -> None:
    left = steps(tmp_path / "left", None, files=files)
    right = steps(tmp_path / "right", 3, count=6, files=files)
    status, out, _ = said(capsys, left, right)
    assert status == 1
    assert (
        "Step 3 is the first that differs by more than noise; steps before it agree (0, 1, 2)"
        in out
    )
    assert "Steps that only one side has were not compared: 5." in out
    assert "another weight, constant or input" in out
    status, out, _ = said(capsys, left, steps(tmp_path / "same", None, files=files))
    assert status == 0
    assert "None of 5 steps differs by more than noise" in out
    status, out, _ = said(capsys, left, steps(tmp_path / "all", 0, files=files))
    assert "Step 0 is the first that differs by more than noise; there is none before it" in out


def test_what_belongs_to_one_step_is_refused_for_many(tmp_path: Path, capsys: Any) -> None:
    left, right = steps(tmp_path / "left", None), steps(tmp_path / "right", None)
    arguments = ("--left-anchor", 1, "--right-anchor", 1)
    status, _, err = said(capsys, left, right, *arguments)
    assert status == 2
    assert "these folders hold several steps" in err


def test_the_options_of_a_choice_say_it_again() -> None:
    choice = ValueChoice.of(left="a b", noise_run="c", floors=["f32=0.1"], jump="5", bitwise=True)
    words = "--left-values|a b|--noise-run|c|--value-floor|f32=0.1|--value-jump|5|--bitwise"
    assert choice.words() == words.split("|")
    assert ValueChoice.of(off=True).words() == ["--no-values"]
    assert ValueChoice().words() == []


def test_what_does_the_work_of_another_is_to_blame_where_its_numbers_differ(
    tmp_path: Path,
) -> None:
    """Names prove that ops do the same work, not that a constant in them is the same."""

    def run(parts: bool, factor: float) -> Path:
        made = np.random.default_rng(3)
        here = Run()
        x = here.outside(made.normal(size=(8, 16)))
        weight = here.outside(made.normal(size=(16, 16)))
        bias = here.outside(made.normal(size=(16,)))
        x = here.op("aten::tanh", [x], np.tanh)
        if parts:
            y = here.op("aten::mm", [x, weight], lambda a, b: a @ b)
            y = here.op("aten::add", [y, bias], lambda a, b: a * factor + b)
        else:
            y = here.op("aten::addmm", [bias, x, weight], lambda c, a, b: a @ b + c)
        here.op("aten::sigmoid", [y], lambda a: 1 / (1 + np.exp(-a)))
        return here.write(tmp_path, f"{parts}{factor}")

    whole, same, other = run(False, 1.0), run(True, 1.0), run(True, 1.5)
    quiet = compared(whole, same)
    assert {group.section for group in quiet.groups} <= {Section.HARMLESS, Section.NEUTRAL}
    [fused] = [record for record in quiet.divergences if record.kind is Kind.FUSED]
    assert fused.harmless
    comparison = compared(whole, other)
    first = comparison.divergences[comparison.groups[0].members[0]]
    assert first.kind is Kind.FUSED
    assert (first.harmless, first.neutral) == (False, False)


@pytest.mark.parametrize("keeping", [False, True], ids=["eager", "compiled"])
@pytest.mark.parametrize("turned", [False, True])
def test_what_stops_a_gradient_is_the_cause(tmp_path: Path, keeping: bool, turned: bool) -> None:
    """Values of the forward are the same with a detach too many, and compilers write many."""
    full = trained().write(tmp_path, "full")
    cut = trained(detached=True, keeping=keeping).write(tmp_path, "cut")
    comparison = compared(*((cut, full) if turned else (full, cut)))
    first = comparison.groups[0]
    stop = comparison.divergences[first.members[0]]
    rows = stop.left_rows if turned else stop.right_rows
    trace = open_trace(cut)
    assert trace.type_name(rows[0]) in ("aten::detach", "aten::alias")
    reader = next(row for row in range(len(trace)) if trace.type_name(row) == "aten::mul")
    assert rows[0] in trace.producers(reader)
    assert say(stop.sentence).startswith(f"{trace.type_name(rows[0])} stops the gradient on the")
    assert stop.caused_by is None
    lost = [each for each in comparison.divergences if each.caused_by is not None]
    assert any("exp_backward" in say(each.sentence) for each in lost)


@pytest.mark.parametrize("floors", [(), ("f32=0.9",)], ids=["seen", "drowned"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_weight_that_has_no_gradient_any_more(
    tmp_path: Path, turned: bool, floors: tuple[str, ...]
) -> None:
    """All gradients that are left agree; what the backward saved is detached on the other side."""
    full = stepped().write(tmp_path, "full")
    cut = stepped(detached=True).write(tmp_path, "cut")
    comparison = compared(*((cut, full) if turned else (full, cut)), floors=floors)
    stop = comparison.divergences[comparison.groups[0].members[0]]
    assert say(stop.sentence).startswith("aten::detach stops the gradient on the")
    assert (stop.left_rows if turned else stop.right_rows) == (2,)
    assert not (stop.right_rows if turned else stop.left_rows)


def test_what_both_sides_stop_is_no_cause(tmp_path: Path) -> None:
    """An optimizer written by hand lacks a part, and reads what the forward has read detached."""

    def run(name: str, whole: bool) -> Path:
        here, random = Run(), np.random.default_rng(3)
        x, a, b = (here.outside(random.normal(size=(6, 6)) / 2) for _ in range(3))
        weights = here.op("aten::exp", [here.op("aten::mm", [x, a], np.matmul)], np.exp)
        weights = here.op("aten::detach", [weights], np.array, view=True)
        mixed = here.op("aten::mul", [weights, b], np.multiply)
        loss = here.op("aten::sum", [mixed], lambda m: m.sum(keepdims=True))
        given = here.op("aten::ones_like", [loss], np.ones_like)
        grad = here.op("aten::expand", [given], lambda g: np.broadcast_to(g, (6, 6)))
        for _ in range(20):  # a backward that is long enough to be told from the forward
            grad = here.op("aten::tanh_backward", [grad, mixed], np.multiply)
        to_b = here.op("aten::mul_backward", [grad, weights], np.multiply)
        if whole:
            more = here.op("aten::mul", [to_b, b], np.multiply)
            to_b = here.op("aten::add", [to_b, more], np.add)
        here.op("aten::sub", [to_b, mixed], np.subtract)
        return here.write(tmp_path, name)

    comparison = compared(run("left", True), run("right", False))
    assert not [d for d in comparison.divergences if "stops the gradient" in say(d.sentence)]
    first = comparison.divergences[comparison.groups[0].members[0]]
    assert open_trace(tmp_path / "left.ir").type_name(first.left_rows[0]) in {
        "aten::mul",
        "aten::add",
    }


@pytest.mark.parametrize("other", ["turned", "another"])
def test_an_order_of_elements_that_is_wrong(tmp_path: Path, other: str) -> None:
    """Views are to blame where the same elements come in another order, and only there."""

    def run(name: str, view: bool) -> Path:
        made = np.random.default_rng(3)
        here = Run()
        x = here.op("aten::tanh", [here.outside(made.normal(size=(8, 8)))], np.tanh)
        y = here.op("aten::sin", [x], np.sin)
        read = x if view and other == "another" else y
        if view:
            read = here.op("aten::t", [read], np.transpose, view=True)
        here.op("aten::exp", [read], np.exp)
        return here.write(tmp_path, name)

    comparison = compared(run("left", False), run("right", True))
    first = comparison.divergences[comparison.groups[0].members[0]]
    trace = open_trace(tmp_path / "right.ir")
    named = trace.type_name(first.right_rows[0])
    assert named == ("aten::t" if other == "turned" else "aten::exp")
    assert not first.harmless


def test_what_compilers_keep_stops_nothing(tmp_path: Path) -> None:
    left = trained().write(tmp_path, "left")
    comparison = compared(left, trained(keeping=True).write(tmp_path, "right"))
    assert not [group for group in comparison.groups if group.section is Section.SUSPECT]


def test_norms_are_asked_for_only_where_they_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> Any:
        told = compared(*(TRAINING / run / "step_5.ir.gz" for run in ("right", "wrong"))).values
        assert told is not None
        return told.causes

    few = found()
    assert few.differs.any()
    monkeypatch.setattr(_Operands, "of_pairs", lambda self, _: np.arange(len(self.operands.pair)))
    for each in fields(few):
        np.testing.assert_array_equal(getattr(few, each.name), getattr(found(), each.name))


def test_what_follows_is_as_far_off_as_the_panes_show() -> None:
    """A large weight less a small step that is wrong: what is read is farther off than it is."""
    comparison = compared(TRAINING / "right/step_2.ir.gz", TRAINING / "wrong/step_2.ir.gz")
    assert comparison.values is not None
    shown = comparison.values.error_of_rows(0)
    follow = [d for d in comparison.divergences if "follows" in str(d.sentence)]
    assert follow
    for divergence in follow:
        assert about(float(shown[divergence.left_rows[0]])) in str(divergence.sentence)
