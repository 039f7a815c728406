"""``kernels`` in a rules file: which arguments a kernel writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opdiff.cli import main
from opdiff.compare.rules_file import merge_rules, parse_rules
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.session import Work, read_session, save_session
from opdiff.session.rules_text import add_rule
from opdiff.trace.told import Kernel, Told

SAMPLES = Path(__file__).parents[2] / "samples" / "formats" / "npu_log"
LOG, RULES = SAMPLES / "ops.log", SAMPLES / "kernels.yaml"


def test_a_list_is_what_is_written() -> None:
    rules = parse_rules("kernels:\n  aclnnA: [y]\n  B: {out: [y], inout: [self, m]}\n  C: {}\n")
    assert dict(rules.kernels) == {
        "aclnnA": Kernel(("y",)),
        "B": Kernel(("y",), ("self", "m")),
        "C": Kernel(),
    }
    assert parse_rules("kernels:\n").kernels == ()
    assert merge_rules(rules, parse_rules("kernels: {D: [z]}")).kernels[-1][0] == "D"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("kernels: [a]\n", 1, "kernels is a mapping"),
        ("kernels:\n  A: y\n", 2, "found the text “y”"),
        ("kernels:\n  A: {in: [x]}\n", 2, "unknown key in"),
        ("kernels:\n  A: {out: y}\n", 2, "found the text “y”"),
        ("kernels:\n  A: [1]\n", 2, "the value 1"),
        ("kernels:\n  A: [x]\n  A: [y]\n", 3, "second time"),
    ],
)
def test_mistakes_name_their_line(text: str, line: int, words: str) -> None:
    with pytest.raises(OpdiffError, match=words) as caught:
        parse_rules(text)
    assert caught.value.line == line


def test_other_rules_are_added_beside_them() -> None:
    text = add_rule(RULES.read_text(), "same", ("Add", "Mul"))
    assert parse_rules(text).kernels == parse_rules(RULES.read_text()).kernels


@pytest.mark.parametrize("name", ["MyScatter", "aclnnMyScatter"])
def test_a_kernel_is_named_with_aclnn_or_without(name: str) -> None:
    trace = open_trace(LOG, told=Told({name: Kernel(inout=("DATA",))}))
    assert trace.notes == ()
    assert [o.memory for o in trace.op(1).outputs] == [trace.op(0).outputs[0].memory]
    assert trace.producers(2) == [1, None]


def test_commands_heed_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(LOG), "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["notes"]) == 1
    assert main(["info", str(LOG), "--format", "json", "--rules", str(RULES)]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == []
    words = ["compare", str(LOG), str(LOG), "--format", "json", "--rules", str(RULES)]
    assert main(words) == 0
    codes = [note["code"] for note in json.loads(capsys.readouterr().out)["notes"]]
    assert "format" not in codes


def test_a_session_heeds_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = open_trace(LOG)
    path = tmp_path / "kept.opdiff"
    save_session(path, Work().with_rules(RULES.read_text()), trace, trace)
    assert read_session(path).told() == Told({"aclnnMyScatter": Kernel(inout=("data",))})
    main(["compare", str(path), "--direction", "whole", "--format", "json"])
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert not [note for note in notes if note["code"] == "format"]
