"""YAML files as trees of nodes: nodes know their lines, and keys given twice are still there.

Aliases are never expanded, and nothing is made of a tag: a file says what it says.
"""

from __future__ import annotations

from typing import Any, Protocol

from opdiff.errors import OpdiffError
from opdiff.wording import Sentence

_STRING, _NULL = "tag:yaml.org,2002:str", "tag:yaml.org,2002:null"
_LONGEST = 40


class _Mark(Protocol):
    line: int


class Node(Protocol):
    """What the YAML library's nodes have in common."""

    id: str
    """``scalar``, ``sequence`` or ``mapping``."""
    tag: str
    value: Any
    start_mark: _Mark


def compose(text: str, path: str | None) -> Node | None:
    """The tree of a text; None where there is nothing in it. *path* is what errors name."""
    # Imported here: most commands have no such file, and should start at once.
    import yaml

    try:
        # The loader written in Python: deep nesting ends in an exception there, not in a crash.
        node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "malformed"
        raise OpdiffError(
            "rules.not-yaml",
            problem=problem,
            path=path,
            line=None if mark is None else mark.line + 1,
        ) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = str(error.reason)
        raise OpdiffError("rules.not-yaml", problem=problem, path=path, line=line) from None
    except RecursionError:
        raise OpdiffError("rules.too-deep", path=path) from None
    found: Node | None = node
    return found


def is_null(node: Node) -> bool:
    """Whether nothing is written there."""
    return bool(node.id == "scalar" and node.tag == _NULL)


def is_text(node: Node) -> bool:
    """Whether it is a text that YAML takes for one."""
    return bool(node.id == "scalar" and node.tag == _STRING)


def described(node: Node) -> Sentence:
    """What stands there, for a sentence that says what was expected."""
    if node.id == "mapping":
        return Sentence.of("rules.a-mapping")
    if node.id == "sequence":
        return Sentence.of("rules.a-list" if node.value else "rules.an-empty-list")
    if is_null(node):
        return Sentence.of("rules.nothing")
    text = node.value if len(node.value) <= _LONGEST else node.value[:_LONGEST] + "…"
    return Sentence.of("rules.the-text" if is_text(node) else "rules.the-value", text=text)
