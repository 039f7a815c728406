from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opdiff.compare import Equivalent, Ignore, Rules
from opdiff.compare.rules_file import merge_rules, parse_rules
from opdiff.errors import OpdiffError
from opdiff.session.rules_text import load_rules

CONTRACT = """\
counterparts:            # may be paired; still reported as op-type
  - [Slice, StridedSlice]
same:                    # paired, and no difference
  - [AddExt, Add]
ignore:                  # never a difference; an op glob, or a mapping
  - Contiguous
  - {scope: "Default/debug/*"}
equivalent:              # a sequence on one side that stands for one on the other
  - left: [Mul, Sigmoid, Sub]
    right: [GraphKernel_Mul_Sigmoid_Sub_fusion]
"""


def test_the_contract_s_example() -> None:
    assert parse_rules(CONTRACT) == Rules(
        counterparts=(("Slice", "StridedSlice"),),
        same=(("AddExt", "Add"),),
        ignore=(Ignore("Contiguous"), Ignore(scope="Default/debug/*")),
        equivalent=(
            Equivalent(("Mul", "Sigmoid", "Sub"), ("GraphKernel_Mul_Sigmoid_Sub_fusion",)),
        ),
    )


@pytest.mark.parametrize("text", ["", "# only a comment\n", "ignore:\n", "~", "same: []"])
def test_nothing_said_is_no_rule(text: str) -> None:
    assert parse_rules(text) == Rules()


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("ignore:\n  - Add\nignored:\n  - Mul\n", 3, "unknown key ignored; expected one of"),
        ("same:\n  - [A, B]\nignore: []\nsame: []\n", 4, "same is given a second time"),
        ("same:\n  - [A]\n", 2, "at least two op names"),
        ("same:\n  - A\n", 2, "at least two op names"),
        ("same: A\n", 1, "is a list of entries"),
        ("ignore:\n  - Add\n  - 3\n", 3, "found the value 3; put it in quotes"),
        ("ignore:\n  - {name: x}\n", 2, "unknown key name; expected one of op, scope"),
        ("ignore:\n  - {}\n", 2, "an op glob"),
        ("ignore:\n  - ''\n", 2, "expected an op name"),
        ("equivalent:\n  - left: [A]\n", 2, "has no right"),
        ("equivalent:\n  - left: [A]\n    right: B\n", 3, "right is a list of op names"),
        ("equivalent:\n  - left: []\n    right: [B]\n", 2, "found an empty list"),
        ("equivalent:\n  - [A, B]\n", 2, "a mapping with left and right"),
        ("- Add\n", 1, "a rules file is a mapping"),
        ("ignore: [Add\nsame: x\n", 2, "is not YAML here"),
        ("ignore:\n\t- Add\n", 2, "is not YAML here"),
        ("ignore: [A]\n---\nsame: []\n", 2, "is not YAML here"),
        ("ignore: [*nobody]\n", 1, "is not YAML here"),
        ("ignore:\n  - A\x07\n", 2, "is not YAML here"),
        ("? [a]\n: b\n", 1, "unknown key ?"),
    ],
)
def test_mistakes_name_the_file_and_the_line(text: str, line: int, said: str) -> None:
    with pytest.raises(OpdiffError) as caught:
        parse_rules(text, "my.yaml")
    assert caught.value.path == "my.yaml"
    assert caught.value.line == line
    assert said in caught.value.text()
    assert caught.value.text("zh").startswith(f"my.yaml:{line}: ")


def test_aliases_are_never_expanded() -> None:
    layers = ["a0: &a0 [x, x]"] + [
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)
    ]
    with pytest.raises(OpdiffError, match="unknown key a0"):
        parse_rules("\n".join(layers))
    with pytest.raises(OpdiffError, match="an op glob"):
        parse_rules("ignore: &me\n  - *me\n")


def test_deep_nesting_is_an_error_not_a_crash() -> None:
    with pytest.raises(OpdiffError, match="nested too deeply"):
        parse_rules("[" * 20_000)


@given(st.text(max_size=60))
def test_any_text_is_rules_or_a_clear_error(text: str) -> None:
    try:
        outcome: Rules | str = parse_rules(text)
    except OpdiffError as error:
        outcome = error.text()
    assert outcome


def test_files_that_are_no_rules_files(tmp_path: Path) -> None:
    with pytest.raises(OpdiffError, match="No such file"):
        load_rules(tmp_path / "absent.yaml")
    with pytest.raises(OpdiffError, match="is a folder"):
        load_rules(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"ignore:\n  - caf\xe9\n")
    with pytest.raises(OpdiffError, match=r"latin\.yaml:2: is not UTF-8"):
        load_rules(tmp_path / "latin.yaml")
    (tmp_path / "large.yaml").write_bytes(b"#" * 128_001)
    with pytest.raises(OpdiffError, match="128,001 bytes"):
        load_rules(tmp_path / "large.yaml")


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    (tmp_path / "bom.yaml").write_bytes(b"\xef\xbb\xbfignore: [Add]\n")
    assert load_rules(tmp_path / "bom.yaml") == Rules(ignore=(Ignore("Add"),))


def test_merging_keeps_each_entry_once() -> None:
    one = Rules(ignore=(Ignore("A"), Ignore("B")))
    other = Rules(ignore=(Ignore("B"), Ignore("C")), builtin=False)
    assert merge_rules(one, other) == Rules(
        ignore=(Ignore("A"), Ignore("B"), Ignore("C")), builtin=False
    )
