"""Every sentence can be found from the code that says it, and every code that is said is there."""

from __future__ import annotations

import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import opdiff
from opdiff.compare import Kind
from opdiff.wording import printable
from opdiff.wording.sentence import LANGUAGES, helps, sentences

SOURCES = Path(opdiff.__file__).parent
_CODE = re.compile(r"[a-z]+(\.[a-z_-]+)+")
_SAYING = {"of", "say", "wrong", "OpdiffError", "of_system"}
"""What takes a code first: Sentence.of, say, errors, and a field's complaint."""


@cache
def trees() -> list[ast.Module]:
    return [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES.glob("**/*.py")]


def nodes() -> Iterator[ast.AST]:
    for tree in trees():
        yield from ast.walk(tree)


@cache
def words() -> frozenset[str]:
    """Every text in the sources, and what members of enumerations are called."""
    found = {node.value for node in nodes() if isinstance(node, ast.Constant)}
    members = {node.id.lower() for node in nodes() if isinstance(node, ast.Name)}
    templates = "".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("**/*.html"))
    said = re.findall(r'say\("([^"]+)"', templates)
    return frozenset({text for text in found if isinstance(text, str)} | members | {*said})


@cache
def made() -> list[re.Pattern[str]]:
    """Texts that are put together, as patterns with a group for what is filled in."""
    found = []
    for node in nodes():
        if isinstance(node, ast.JoinedStr):
            parts = [
                re.escape(str(part.value)) if isinstance(part, ast.Constant) else "(.*)"
                for part in node.values
            ]
            if re.match("[a-z]", parts[0]):
                found.append(re.compile("".join(parts)))
    return found


def can_be_said(code: str) -> bool:
    """Whether the sources have the code, or the pieces that it is put together from."""
    if not code or code in words():
        return True
    at_dashes = [at for dash in re.finditer("-", code) for at in dash.span()]
    if any(code[:at] in words() and code[at:] in words() for at in at_dashes):
        return True
    fillings = (match.groups() for pattern in made() if (match := pattern.fullmatch(code)))
    return any(all(map(can_be_said, parts)) for parts in fillings)


def test_every_sentence_is_said_somewhere() -> None:
    assert [code for code in {**sentences(), **helps()} if not can_be_said(code)] == []


def test_every_code_that_is_said_is_in_the_catalogue() -> None:
    said = set()
    for node in nodes():
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        first = node.args[0]
        if name in _SAYING and isinstance(first, ast.Constant) and isinstance(first.value, str):
            said.add(first.value)
    codes = {code for code in said if _CODE.fullmatch(code)}
    assert len(codes) > 200
    assert codes - sentences().keys() - helps().keys() == set()


def test_every_kind_has_one_name() -> None:
    """The same in the window and in reports."""
    named = [code for code in sentences() if code.startswith("kind.")]
    assert named == [f"kind.{kind}" for kind in Kind]
    for language in (0, 1):
        assert len({sentences()[code][language] for code in named}) == len(Kind)


def test_every_sentence_stands_once_and_takes_the_same_in_both_languages() -> None:
    listed: list[tuple[str, list[str]]] = []
    for page in sorted((SOURCES / "wording" / "catalogue").glob("*.json")):
        listed += json.loads(page.read_text(encoding="utf-8"), object_pairs_hook=list)
    assert [code for code, times in Counter(code for code, _ in listed).items() if times > 1] == []
    assert [code for code, spoken in listed if len(spoken) != len(LANGUAGES)] == []
    fields = {
        code: [{name for _, name, *_ in Formatter().parse(text) if name} for text in spoken]
        for code, spoken in listed
    }
    assert [code for code, (english, chinese) in fields.items() if english != chinese] == []


def test_nothing_that_is_spelled_out_is_taken_for_printable() -> None:
    """What Python calls printable is passed on without a look."""
    spelled = (printable._IN_A_LINE, printable._IN_LINES)
    characters = map(chr, range(sys.maxunicode + 1))
    hidden = [char for char in characters if any(each.match(char) for each in spelled)]
    assert len(hidden) > 2000
    assert not any(char.isprintable() for char in hidden)
