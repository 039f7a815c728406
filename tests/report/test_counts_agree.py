"""What a report counts in several places is the same number, and what it names is in sight."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from opdiff.compare import Comparison, Kind, Request, compare
from opdiff.compare.records.phrases import fused, region
from opdiff.readers import open_trace
from opdiff.report import ReportOptions, render
from opdiff.report.listing import Listing
from opdiff.report.summary_table import summary_table
from opdiff.report.verdict import verdict_of
from opdiff.trace import Trace
from opdiff.wording import say

SAMPLES = Path(__file__).parents[2] / "samples"


def op(number: int, name: str, *inputs: int, scope: str = "") -> str:
    read = ", ".join(f"%{each}" for each in inputs)
    types = ", ".join("Float32:[4]" for _ in inputs)
    stack = f"File:/home/u/net.py;Line:{scope};Function:layer|" if scope else ""
    return (
        f"(%{number}) = {name}({read}), task_info: {number}, attrs {{stream_id=0}}\n"
        f"    (Float32:[4]) <- ({types})\n    # {stack}\n"
    )


def layers(folder: Path, name: str, *, extra: bool) -> Trace:
    """Four layers; with what is extra, each has a view and what computes with it besides."""
    lines, here = [op(1, "Embedding", 0)], 1
    for layer in range(4):  # each with a weight of its own
        lines.append(op(here + 1, "MatMulExt", here, 900 + layer, scope="3"))
        lines.append(op(here + 2, "GeLU", here + 1, scope="4"))
        here += 2
        if extra:
            lines.append(op(here + 1, "Reshape", here, scope="5"))
            lines.append(op(here + 2, "Tanh", here + 1, scope="6"))
            here += 2
        lines.append(op(here + 1, "Add", here, scope="7"))
        here += 1
    path = folder / name
    path.write_text("".join(lines))
    return open_trace(path)


@pytest.fixture
def cut(tmp_path: Path) -> Comparison:
    """A run that ended after nine ops: copies are among what the other one goes on with."""
    text = (SAMPLES / "rope/eager.ir").read_text()
    ended = tmp_path / "ended.ir"
    ended.write_text("".join(text.splitlines(keepends=True)[:27]))
    return compare(open_trace(SAMPLES / "rope/eager.ir"), open_trace(ended), Request())


@pytest.fixture
def longer(tmp_path: Path) -> Comparison:
    return compare(
        layers(tmp_path, "l.ir", extra=True), layers(tmp_path, "r.ir", extra=False), Request()
    )


def test_kinds_are_those_of_the_differences_themselves(cut: Comparison) -> None:
    counted = Counter(each.kind for each in cut.divergences)
    assert {Kind.CONTIGUOUS, Kind.ONLY_LEFT} <= set(counted), "a region of several kinds"
    assert cut.by_kind == counted
    some = range(0, len(cut.divergences), 3)
    listed = Listing(cut, ReportOptions(only=tuple(some)))
    assert listed.by_kind == Counter(cut.divergences[index].kind for index in some)


def test_the_table_counts_what_the_summary_counts(cut: Comparison, longer: Comparison) -> None:
    for comparison in (cut, longer):
        table = summary_table(comparison)
        columns = dict(zip(table.kinds, table.counts.sum(axis=0).tolist(), strict=True))
        assert columns == comparison.by_kind
        verdict = verdict_of(Listing(comparison, ReportOptions()))
        assert int(table.suspect.sum()) == verdict.suspects


def test_a_page_calls_a_kind_the_same_everywhere(cut: Comparison) -> None:
    for language, name in (("en", "only left"), ("zh", "仅左侧")):
        page = render(cut, "html", ReportOptions(language=language))
        assert f'<th scope="col">{name}</th>' in page
        assert '<th scope="col">only-left</th>' not in page


def test_what_all_layers_have_in_common_is_no_more_than_there_is(longer: Comparison) -> None:
    said = summary_table(longer).said
    assert said is not None
    words = say(said)
    each = 1 if "same difference" in words else int(re.findall(r"\d+", words)[0])
    suspects = verdict_of(Listing(longer, ReportOptions())).suspects
    assert 4 * each == suspects < len(longer.divergences), words


def test_what_the_verdict_names_first_is_the_first_of_its_group(
    cut: Comparison, longer: Comparison
) -> None:
    for comparison in (cut, longer):
        verdict = verdict_of(Listing(comparison, ReportOptions()))
        first = Listing(comparison, ReportOptions()).groups[0].members[0]
        assert comparison.divergences[first] == verdict.first
        assert not comparison.divergences[first].harmless
    text = render(longer, "text", ReportOptions()).splitlines()
    named = re.search(r"first: (.*)", text[2])
    assert named is not None
    shown = [line.strip() for line in text[3:]]
    assert shown.index(named[1]) < shown.index("… and 5 more (--all shows them)")


def test_what_is_so_on_both_sides_is_said_once(longer: Comparison, tmp_path: Path) -> None:
    bare = tmp_path / "bare.ir"
    bare.write_text(op(1, "Add", 0) + op(2, "Mul", 1))
    other = tmp_path / "other.ir"
    other.write_text(op(1, "Add", 0) + op(2, "Sub", 1))
    both = compare(open_trace(bare), open_trace(other), Request())
    assert [note.code for note in both.notes] == ["no-stacks", "no-stacks"]
    for language, words in (
        ("en", "neither trace has Python stacks"),
        ("zh", "都没有 Python 调用栈"),
    ):
        text = render(both, "text", ReportOptions(language=language))
        assert text.count(words) == 1
        assert text.count("Python") == 1
    one = compare(open_trace(bare), longer.left.trace, Request())
    assert "the left trace has no Python stacks" in render(one, "text", ReportOptions())


def test_a_title_is_not_said_again_below(cut: Comparison) -> None:
    text = render(cut, "text", ReportOptions())
    assert text.count("the right trace ends here") == 1


def test_the_same_op_several_times_is_named_once() -> None:
    assert say(fused(("A", "A", "B"), ("C",)).title) == "2 × A + B → C"
    names = ("Cast", "Cast", "Add", "Mul", "Sub", "Div", "Div")
    title = region(None, (names, ()), (names, ()), None, 0)
    assert say(title) == "Cast, Add … Div: 7 ops only on the left"
    same = fused(("A", "A", "A"), ("A", "A", "A"))
    assert say(same.title) == "3 × A: in another order"
    assert "run in another order on the right" in say(same.sentence)
