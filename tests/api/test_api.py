"""The API says what the JSON report says, refuses what the command line refuses, and is stable."""

from __future__ import annotations

import dataclasses
import inspect
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opdiff import api
from opdiff.cli.main import main

SAMPLES = Path(__file__).parents[2] / "samples"
ROPE = (SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
PAIRS = {
    "rope": (*ROPE, (547, 643)),
    "vocab": (SAMPLES / "vocab/eager.ir", SAMPLES / "vocab/jit.ir", (34, 49)),
    "values": (
        SAMPLES / "real/training/right/step_3.ir.gz",
        SAMPLES / "real/training/wrong/step_3.ir.gz",
        None,
    ),
}

STABLE = {
    "open": "path rank graph",
    "compare": "left right anchors direction pins ancestors rules ignore default_rules values "
    "language",
    "report": "comparison format language",
    "write_report": "comparison path format language",
    "Op": "line last_line type name scope inputs outputs source",
    "Problem": "line last_line message",
    "Divergence": "kind left_lines right_lines group caused_by known harmless neutral message",
    "Group": "id kind title members root known harmless neutral phase",
}
"""What scripts written against this version use: names may be added behind these."""


@pytest.mark.parametrize("name", STABLE)
def test_nothing_is_taken_away(name: str) -> None:
    offered = getattr(api, name)
    if dataclasses.is_dataclass(offered):
        names = [field.name for field in dataclasses.fields(offered)]
    else:
        names = list(inspect.signature(offered).parameters)
    assert names[: len(STABLE[name].split())] == STABLE[name].split()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("pair", PAIRS)
def test_it_says_what_the_report_says(pair: str, language: api.Language) -> None:
    left, right, anchors = PAIRS[pair]
    result = api.compare(left, right, anchors=anchors, language=language)
    said = json.loads(api.report(result, "json"))
    assert said["summary"]["matched"] == result.matched == len(result.pairs())
    assert len(result.divergences) == len(said["divergences"]) > 5
    for one, other in zip(result.divergences, said["divergences"], strict=True):
        ours = json.loads(json.dumps(dataclasses.asdict(one)))
        assert ours == {key: other.get(key) for key in ours}
    for group, other in zip(result.groups, said["groups"], strict=True):
        assert group.neutral == other.get("neutral", False)
        keys = ("id", "kind", "title", "count", "root", "known", "harmless", "phase")
        assert [getattr(group, key) for key in keys] == [other[key] for key in keys]
        assert {result.divergences[place].group for place in group.members} == {group.id}
    assert list(result.notes) == [note["message"] for note in said["notes"]]


def test_options_mean_what_they_mean_on_the_command_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("same:\n  - [Slice, StridedSlice]\n")
    options = ["--left-anchor", "547", "--right-anchor", "643", "--direction", "up"]
    options += ["--pin", "541:637", "--ancestors", "--rules", str(rules), "--ignore", "Neg"]
    options += ["--no-default-rules", "--no-values", "--lang", "zh", "--format", "json"]
    main(["compare", *map(str, ROPE), *options])
    result = api.compare(
        *ROPE,
        anchors=(547, 643),
        direction="up",
        pins=[(541, 637)],
        ancestors=True,
        rules=rules,
        ignore=["Neg"],
        default_rules=False,
        values=False,
        language="zh",
    )
    assert api.report(result, "json") == capsys.readouterr().out


def test_a_trace_tells_its_ops() -> None:
    trace = api.open(ROPE[0])
    ops = list(trace)
    assert (len(ops), trace.format, trace.path) == (206, "mindspore-tracker", str(ROPE[0]))
    last = trace.find(op="Concat", function="apply_rotary_pos_emb")[-1]
    assert last == trace.at(last.line) == trace.at(last.last_line)
    assert (last.line, last.outputs) == (547, ("BFloat16:[128, 2, 8, 32]",))
    assert last.source == "rotary.py:51 apply_rotary_pos_emb"
    assert trace.problems() == []


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.ir"
    damaged.write_text(ROPE[0].read_text() + "%1 = nothing at all\n")
    (problem,) = api.open(damaged).problems("zh")
    assert problem.line == len(damaged.read_text().splitlines())
    assert problem.message != api.open(damaged).problems("en")[0].message


@pytest.mark.parametrize(
    "arguments",
    [{"anchors": (547, 99_999)}, {"direction": "up"}, {"rules": "nowhere.yaml"}],
)
def test_a_user_error_is_an_opdiff_error(arguments: dict[str, object]) -> None:
    with pytest.raises(api.OpdiffError):
        api.compare(*ROPE, **arguments)  # type: ignore[arg-type] # any of them


def test_a_language_that_is_not_known_is_refused() -> None:
    with pytest.raises(ValueError, match="language is one of en, zh"):
        api.compare(*ROPE, language="de")  # type: ignore[arg-type] # what is tested


def test_a_report_is_written_but_never_over_a_trace(tmp_path: Path) -> None:
    traces = [Path(shutil.copy(path, tmp_path)) for path in ROPE]
    result = api.compare(*traces, anchors=(547, 643))
    before = traces[0].read_bytes()
    with pytest.raises(api.OpdiffError):
        api.write_report(result, traces[0], "html")
    assert traces[0].read_bytes() == before
    api.write_report(result, tmp_path / "report.md", "markdown", language="zh")
    written = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert written == api.report(result, "markdown", language="zh")
    api.write_report(result, tmp_path / "report.xlsx", "xlsx")
    assert (tmp_path / "report.xlsx").read_bytes().startswith(b"PK")


@pytest.mark.parametrize("target", ["left.values.csv.gz", "rules.yaml"])
def test_a_report_is_never_written_over_what_was_read_besides(target: str, tmp_path: Path) -> None:
    for name, trace in zip(("left", "right"), PAIRS["values"][:2], strict=True):
        for ending in ("ir.gz", "values.csv.gz"):
            beside = trace.with_name(trace.name.replace("ir.gz", ending))
            shutil.copy(beside, tmp_path / f"{name}.{ending}")
    (tmp_path / "rules.yaml").write_text("ignore: [Nothing]\n")
    traces = (tmp_path / "left.ir.gz", tmp_path / "right.ir.gz")
    result = api.compare(*traces, rules=tmp_path / "rules.yaml")
    before = (tmp_path / target).read_bytes()
    with pytest.raises(api.OpdiffError, match="would overwrite"):
        api.write_report(result, tmp_path / target, "html")
    assert (tmp_path / target).read_bytes() == before


def test_neither_imports_what_it_does_not_need() -> None:
    code = (
        "import sys, opdiff\n"
        "early = {'numpy', 'opdiff.api'} & set(sys.modules)\n"
        "import opdiff.api\n"
        "print(early, {'PySide6', 'opdiff.ui', 'opdiff.cli', 'rich'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set() set()\n"
