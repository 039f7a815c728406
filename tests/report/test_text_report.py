from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hand_made import chain, compared, divergence, hostile, small

from opdiff.compare import Kind, Request, compare
from opdiff.readers import open_trace
from opdiff.report import ReportOptions, render
from opdiff.wording import Sentence

SAMPLES = Path(__file__).parents[2] / "samples"


def lines(**options: object) -> list[str]:
    return render(small(), "text", ReportOptions(**options)).splitlines()  # type: ignore[arg-type]


def test_the_nearest_branch_comes_first_and_a_consequence_under_its_root() -> None:
    heads = [line.strip() for line in lines() if "×" in line or line.strip()[:1] in "⚠⤳−≠"]
    signs = [head[0] for head in heads if head]
    assert signs == ["−", "⚠", "⤳", "≠"]
    told = lines()
    consequence = next(line for line in told if "⤳" in line)
    assert consequence.startswith("    ")
    assert "follows from it:" in told[told.index(consequence) - 1]


def test_known_groups_say_so() -> None:
    last = next(line for line in lines() if line.startswith("≠"))
    assert last == "≠ note: Op 3  op-type  × 7  (known)"


@pytest.mark.parametrize(("ops", "often"), [(2, "  × 3"), (6, ""), (4, "  × 6")])
def test_a_block_of_ops_is_counted_as_often_as_it_occurs(ops: int, often: str) -> None:
    whole = compared(
        chain(["Add"] * 6),
        chain(["Mul"], "right.ir"),
        [divergence(Kind.ONLY_LEFT, row, None, 0) for row in range(6)],
    )
    title = Sentence.of("group.region-left", ops="Add", count=ops)
    blocks = replace(whole, groups=(replace(whole.groups[0], title=title),))
    told = render(blocks, "text").splitlines()
    assert f"− Add: {ops} ops only on the left  only-left{often}" in told


def test_long_groups_are_abbreviated_and_all_shows_them() -> None:
    told = "\n".join(lines())
    assert "… and 4 more (--all shows them)" in told
    whole = "\n".join(lines(everything=True))
    assert "--all" not in whole
    assert whole.count("Slice ↔ right") == 7


def test_lines_ops_and_sentence_of_both_sides_are_there() -> None:
    told = lines()
    assert "    left 22 Mul ↔ right 22 Mul" in told
    assert "    left 28 Relu" in told
    assert "      anchor at line 7: Some op" in told


def test_a_sentence_is_not_repeated_within_its_group() -> None:
    assert "\n".join(lines(everything=True)).count("anchor at line 7: Some op") == 4


def test_the_head_names_files_counts_and_anchors() -> None:
    head = lines()[:5]
    assert head[0] == "left   left.ir  10 ops · anchor at line 28: Relu"
    assert head[2] == "All 10 differences may change a value; the first: left 28 Relu"
    assert head[3] == "Compared as a whole · 10 ops match; 10 differences in 4 groups"
    assert head[4] == "op-type 7 · only-left 1 · dataflow 1 · cpu-fallback 1"


def test_no_difference_is_said() -> None:
    told = render(compared(chain(["Add"]), chain(["Add"]), []), "text")
    assert "no difference" in told


def test_where_nothing_differs_what_was_not_compared_is_counted() -> None:
    same = compared(chain(["Add", "Mul"]), chain(["Add"]), [])
    assert "noise" not in render(same, "text")
    quiet = replace(same, left=replace(same.left, noise=np.array([False, True])))
    assert "ops on the left 1, on the right 0;" in render(quiet, "text")


def test_piped_text_has_no_terminal_codes_and_a_terminal_gets_colours() -> None:
    assert "\x1b" not in render(hostile(), "text")
    assert "\\x1b[31m" in render(hostile(), "text")
    coloured = render(small(), "text", ReportOptions(colour=True))
    assert "\x1b[" in coloured
    assert "⚠" in coloured


def test_a_hostile_name_cannot_drive_a_coloured_terminal_either() -> None:
    assert "\x1b[31m" not in render(hostile(), "text", ReportOptions(colour=True))


def test_notes_and_hidden_causes_are_told() -> None:
    told = "\n".join(lines(only=(1,), notes={1: "same kernel"}, group_notes={1: "harmless"}))
    assert "note: same kernel" in told
    assert "note: harmless" in told
    assert "follows from cpu-fallback at left 22 Mul ↔ right 22 Mul" in told
    assert "Listed here: 1 of 10 differences." in told


def test_groups_called_known_by_the_user_sink() -> None:
    told = lines(greyed=frozenset({0}))
    signs = [line[0] for line in told if line[:1] in ("⚠", "−", "≠")]
    assert signs == ["⚠", "≠", "−"]


def test_a_table_that_does_not_fit_is_told_a_line_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    # A path is never cut, so the width of the page would be that of wherever the project lies.
    monkeypatch.chdir(SAMPLES)
    traces = [open_trace(Path("real/rope", name)) for name in ("eager", "jit_trace")]
    comparison = compare(*traces, Request())
    wide = render(comparison, "text", ReportOptions(width=200)).splitlines()
    narrow = render(comparison, "text", ReportOptions(width=60)).splitlines()
    head = next(line for line in wide if line.startswith("place "))
    kinds = head.split()[1:-1]
    assert not any(line.startswith("place ") for line in narrow)
    row = next(line.split() for line in wide if line.startswith("repeat 0"))
    told = next(line for line in narrow if line.startswith("repeat 0"))
    assert told.startswith(f"repeat 0  {row[-1]}  ")
    assert any(f"{kind} " in told for kind in kinds)
    assert max(map(len, narrow)) <= 60


def test_a_thousand_groups_are_shown_and_all_where_asked() -> None:
    names = [[f"{name}{at // 2}" if at % 2 else "Add" for at in range(3000)] for name in ("A", "B")]
    comparison = compare(chain(names[0]), chain(names[1]), Request())
    said, everything = (
        render(comparison, "text", ReportOptions(everything=each)) for each in (False, True)
    )
    some, every = (
        [line for line in text.splitlines() if line.strip()[:1] in set("≠+−⚠⤳")]
        for text in (said, everything)
    )
    assert len(every) == len(comparison.groups) > 1000
    assert some == every[:1000]
    assert f"… and {len(comparison.groups) - 1000} more groups (--all shows them)" in said
