"""Rules as people write them: a YAML file, read strictly, with the line of whatever is wrong.

The tree of YAML nodes is walked rather than loaded: nodes know their lines, keys given twice are
still there, and aliases are never expanded.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from opdiff.compare.rules import Equivalent, Ignore, Rules
from opdiff.errors import OpdiffError
from opdiff.wording import Sentence

KEYS = ("counterparts", "same", "ignore", "equivalent")
_MOST_BYTES = 1_000_000
_STRING, _NULL = "tag:yaml.org,2002:str", "tag:yaml.org,2002:null"


def load_rules(path: str | Path) -> Rules:
    """The rules of a file; every mistake is an error that names the file and the line."""
    return parse_rules(read_rules_text(path), str(path))


def read_rules_text(path: str | Path) -> str:
    """The text of a rules file."""
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
            size = Path(path).stat().st_size
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OpdiffError(Sentence.of("rules.cannot-read", reason=reason), path=str(path)) from None
    if len(content) > _MOST_BYTES:
        too_large = Sentence.of("rules.too-large", size=size, most=_MOST_BYTES)
        raise OpdiffError(too_large, path=str(path))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise OpdiffError(Sentence.of("rules.not-utf8"), path=str(path), line=line) from None


def parse_rules(text: str, path: str | None = None) -> Rules:
    """The rules of a YAML text; *path* is what errors name."""
    return _Reader(path).rules(_compose(text, path))


def merge_rules(one: Rules, other: Rules) -> Rules:
    """Both sets of rules, each entry once; the built-in table only if both want it."""
    return Rules(
        counterparts=_united(one.counterparts, other.counterparts),
        same=_united(one.same, other.same),
        ignore=_united(one.ignore, other.ignore),
        equivalent=_united(one.equivalent, other.equivalent),
        builtin=one.builtin and other.builtin,
    )


def _united(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _compose(text: str, path: str | None) -> _Node | None:
    # Imported here: most comparisons have no rules file, and a command should start at once.
    import yaml

    try:
        # The loader written in Python: deep nesting ends in an exception there, not in a crash.
        node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = error.problem or error.context or "malformed"
        raise OpdiffError(
            Sentence.of("rules.not-yaml", problem=problem),
            path=path,
            line=None if mark is None else mark.line + 1,
        ) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        problem = str(error.reason)
        raise OpdiffError(
            Sentence.of("rules.not-yaml", problem=problem), path=path, line=line
        ) from None
    except RecursionError:
        raise OpdiffError(Sentence.of("rules.too-deep"), path=path) from None
    found: _Node | None = node
    return found


class _Mark(Protocol):
    line: int


class _Node(Protocol):
    """What the YAML library's nodes have in common."""

    id: str
    """``scalar``, ``sequence`` or ``mapping``."""
    tag: str
    value: Any
    start_mark: _Mark


class _Reader:
    """Walks the nodes of one file."""

    def __init__(self, path: str | None) -> None:
        self._path = path

    def rules(self, node: _Node | None) -> Rules:
        if node is None or _is_null(node):
            return Rules()
        lists: dict[str, list[_Node]] = {key: [] for key in KEYS}
        for key, value in self._items(node, KEYS, "rules.not-a-mapping"):
            lists[key] = self._entries(key, value)
        return Rules(
            counterparts=tuple(self._names("counterparts", e) for e in lists["counterparts"]),
            same=tuple(self._names("same", e) for e in lists["same"]),
            ignore=tuple(self._ignore(e) for e in lists["ignore"]),
            equivalent=tuple(self._equivalent(e) for e in lists["equivalent"]),
        )

    def _fail(self, node: _Node, code: str, **args: str | int | Sentence) -> OpdiffError:
        return OpdiffError(
            Sentence.of(code, **args), path=self._path, line=node.start_mark.line + 1
        )

    def _items(
        self, node: _Node, allowed: tuple[str, ...], otherwise: str
    ) -> Iterator[tuple[str, _Node]]:
        """The keys and values of a mapping, unknown and repeated keys refused."""
        keys = ", ".join(allowed)
        if node.id != "mapping":
            raise self._fail(node, otherwise, keys=keys, found=_describe(node))
        seen: set[str] = set()
        for key_node, value in node.value:
            key = key_node.value if key_node.id == "scalar" else "?"
            if key not in allowed:
                raise self._fail(key_node, "rules.unknown-key", key=key, keys=keys)
            if key in seen:
                raise self._fail(key_node, "rules.duplicate-key", key=key)
            seen.add(key)
            yield key, value

    def _entries(self, key: str, node: _Node) -> list[_Node]:
        if _is_null(node):
            return []  # every entry is commented out
        if node.id != "sequence":
            raise self._fail(node, "rules.not-a-list", key=key, found=_describe(node))
        entries: list[_Node] = node.value
        return entries

    def _names(self, key: str, node: _Node) -> tuple[str, ...]:
        if node.id != "sequence" or len(node.value) < 2:
            raise self._fail(node, "rules.not-names", key=key, found=_describe(node))
        return tuple(self._name(entry) for entry in node.value)

    def _name(self, node: _Node) -> str:
        if node.id != "scalar" or node.tag != _STRING or not node.value.strip():
            raise self._fail(node, "rules.not-a-name", found=_describe(node))
        name: str = node.value
        return name

    def _ignore(self, node: _Node) -> Ignore:
        if node.id == "scalar":
            return Ignore(op=self._name(node))
        items = dict(self._items(node, ("op", "scope"), "rules.not-an-ignore"))
        if not items:
            raise self._fail(node, "rules.not-an-ignore", found=_describe(node))
        return Ignore(**{key: self._name(value) for key, value in items.items()})

    def _equivalent(self, node: _Node) -> Equivalent:
        items = dict(self._items(node, ("left", "right"), "rules.not-an-equivalent"))
        for side in ("left", "right"):
            if side not in items:
                raise self._fail(node, "rules.one-side-missing", side=side)
        return Equivalent(**{side: self._sequence(side, value) for side, value in items.items()})

    def _sequence(self, side: str, node: _Node) -> tuple[str, ...]:
        if node.id != "sequence" or not node.value:
            raise self._fail(node, "rules.not-a-sequence", side=side, found=_describe(node))
        return tuple(self._name(entry) for entry in node.value)


def _is_null(node: _Node) -> bool:
    return bool(node.id == "scalar" and node.tag == _NULL)


def _describe(node: _Node) -> Sentence:
    if node.id == "mapping":
        return Sentence.of("rules.a-mapping")
    if node.id == "sequence":
        return Sentence.of("rules.a-list" if node.value else "rules.an-empty-list")
    if _is_null(node):
        return Sentence.of("rules.nothing")
    text = node.value if len(node.value) <= 40 else node.value[:40] + "…"
    return Sentence.of("rules.the-text" if node.tag == _STRING else "rules.the-value", text=text)
