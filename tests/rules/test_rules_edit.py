from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opdiff.compare import Equivalent, Ignore
from opdiff.compare.rules_file import parse_rules
from opdiff.errors import OpdiffError
from opdiff.session.rules_text import add_rule, remove_rule

WRITTEN = """\
# ours
same:
  - [A, B]   # why
# about ignoring
ignore:
- Contiguous
# the next
- {scope: "x/*"}

# about equivalents
equivalent:
  - left: [Mul]
    right: [Foo]   # trailing
  # end
"""


def test_adding_leaves_every_other_line_alone() -> None:
    text = add_rule(WRITTEN, "ignore", Ignore("Cast"))
    assert text == WRITTEN.replace('- {scope: "x/*"}\n', '- {scope: "x/*"}\n- Cast\n')
    text = add_rule(WRITTEN, "equivalent", Equivalent(("A", "aten::b"), ("C",)))
    added = '  - {left: [A, "aten::b"], right: [C]}\n'
    assert text == WRITTEN.replace("# trailing\n", f"# trailing\n{added}")


def test_a_section_that_is_not_there_is_begun() -> None:
    assert add_rule("", "ignore", Ignore("A")) == "ignore:\n  - A\n"
    assert add_rule("# mine", "same", ("A", "B")) == "# mine\nsame:\n  - [A, B]\n"
    assert add_rule("ignore:  # none yet\n", "ignore", Ignore("A", "x/*")) == (
        'ignore:  # none yet\n  - {op: A, scope: "x/*"}\n'
    )


def test_lists_in_brackets_stay_in_brackets() -> None:
    assert add_rule("ignore: [A] # x\n", "ignore", Ignore("B")) == "ignore: [A, B] # x\n"
    assert add_rule("ignore: []\n", "ignore", Ignore("B")) == "ignore: [B]\n"
    assert remove_rule("ignore: [A, B, C]\n", "ignore", 0) == "ignore: [B, C]\n"
    assert remove_rule("ignore: [A, B, C]\n", "ignore", 2) == "ignore: [A, B]\n"
    assert remove_rule("ignore: [A]\n", "ignore", 0) == "ignore: []\n"


def test_a_rule_is_not_added_twice() -> None:
    assert add_rule(WRITTEN, "ignore", Ignore("Contiguous")) == WRITTEN


def test_removing_leaves_comments() -> None:
    text = remove_rule(WRITTEN, "ignore", 0)
    assert text == WRITTEN.replace("- Contiguous\n", "")
    text = remove_rule(WRITTEN, "equivalent", 0)
    assert "# end" in text
    assert "Mul" not in text
    assert parse_rules(text).equivalent == ()


def test_words_that_mean_something_else_in_yaml_are_quoted() -> None:
    text = add_rule("", "ignore", Ignore("No"))
    assert text == 'ignore:\n  - "No"\n'


def test_what_cannot_be_patched_is_refused_not_spoilt() -> None:
    with pytest.raises(OpdiffError, match="edit their text"):
        add_rule("{ignore: [A]}", "same", ("A", "B"))


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), min_size=1)


@given(st.lists(NAMES.filter(str.strip), max_size=4))
def test_any_name_survives_being_written(names: list[str]) -> None:
    text = "# first\n"
    for name in names:
        text = add_rule(text, "ignore", Ignore(op=name))
    assert [entry.op for entry in parse_rules(text).ignore] == list(dict.fromkeys(names))
    for _ in parse_rules(text).ignore:
        text = remove_rule(text, "ignore", 0)
    assert parse_rules(text).ignore == ()
    assert text.startswith("# first\n")
