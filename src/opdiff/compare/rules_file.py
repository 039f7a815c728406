"""Rules as people write them: a YAML file, read strictly, with the line of whatever is wrong.

The tree of YAML nodes is walked rather than loaded: nodes know their lines, keys given twice are
still there, and aliases are never expanded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opdiff.compare.rules import Equivalent, Ignore, Rules
from opdiff.errors import OpdiffError
from opdiff.trace.told import Kernel
from opdiff.wording import Sentence
from opdiff.yaml_nodes import Node, compose, described, is_null, is_text

LISTS = ("counterparts", "same", "ignore", "equivalent")
KEYS = (*LISTS, "kernels")


def parse_rules(text: str, path: str | None = None) -> Rules:
    """The rules of a YAML text; *path* is what errors name."""
    return _Reader(path).rules(compose(text, path))


def merge_rules(one: Rules, other: Rules) -> Rules:
    """Both sets of rules, each entry once; the built-in table only if both want it."""
    return Rules(
        counterparts=_united(one.counterparts, other.counterparts),
        same=_united(one.same, other.same),
        ignore=_united(one.ignore, other.ignore),
        equivalent=_united(one.equivalent, other.equivalent),
        kernels=_united(one.kernels, other.kernels),
        builtin=one.builtin and other.builtin,
    )


def _united(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys((*one, *other)))


class _Reader:
    """Walks the nodes of one file."""

    def __init__(self, path: str | None) -> None:
        self._path = path

    def rules(self, node: Node | None) -> Rules:
        if node is None or is_null(node):
            return Rules()
        lists: dict[str, list[Node]] = {key: [] for key in LISTS}
        kernels: tuple[tuple[str, Kernel], ...] = ()
        for key, value in self._items(node, KEYS, "rules.not-a-mapping"):
            if key == "kernels":
                kernels = self._kernels(value)
            else:
                lists[key] = self._entries(key, value)
        return Rules(
            counterparts=tuple(self._names("counterparts", e) for e in lists["counterparts"]),
            same=tuple(self._names("same", e) for e in lists["same"]),
            ignore=tuple(self._ignore(e) for e in lists["ignore"]),
            equivalent=tuple(self._equivalent(e) for e in lists["equivalent"]),
            kernels=kernels,
        )

    def _fail(self, node: Node, code: str, **args: str | int | Sentence) -> OpdiffError:
        return OpdiffError(
            Sentence.of(code, **args), path=self._path, line=node.start_mark.line + 1
        )

    def _items(
        self, node: Node, allowed: tuple[str, ...], otherwise: str
    ) -> Iterator[tuple[str, Node]]:
        """The keys and values of a mapping, unknown and repeated keys refused."""
        keys = ", ".join(allowed)
        if node.id != "mapping":
            raise self._fail(node, otherwise, keys=keys, found=described(node))
        seen: set[str] = set()
        for key_node, value in node.value:
            key = key_node.value if key_node.id == "scalar" else "?"
            if key not in allowed:
                raise self._fail(key_node, "rules.unknown-key", key=key, keys=keys)
            if key in seen:
                raise self._fail(key_node, "rules.duplicate-key", key=key)
            seen.add(key)
            yield key, value

    def _entries(self, key: str, node: Node) -> list[Node]:
        if is_null(node):
            return []  # every entry is commented out
        if node.id != "sequence":
            raise self._fail(node, "rules.not-a-list", key=key, found=described(node))
        entries: list[Node] = node.value
        return entries

    def _names(self, key: str, node: Node) -> tuple[str, ...]:
        if node.id != "sequence" or len(node.value) < 2:
            raise self._fail(node, "rules.not-names", key=key, found=described(node))
        return tuple(self._name(entry) for entry in node.value)

    def _name(self, node: Node) -> str:
        if not is_text(node) or not node.value.strip():
            raise self._fail(node, "rules.not-a-name", found=described(node))
        name: str = node.value
        return name

    def _ignore(self, node: Node) -> Ignore:
        if node.id == "scalar":
            return Ignore(op=self._name(node))
        items = dict(self._items(node, ("op", "scope"), "rules.not-an-ignore"))
        if not items:
            raise self._fail(node, "rules.not-an-ignore", found=described(node))
        return Ignore(**{key: self._name(value) for key, value in items.items()})

    def _equivalent(self, node: Node) -> Equivalent:
        items = dict(self._items(node, ("left", "right"), "rules.not-an-equivalent"))
        for side in ("left", "right"):
            if side not in items:
                raise self._fail(node, "rules.one-side-missing", side=side)
        return Equivalent(**{side: self._sequence(side, value) for side, value in items.items()})

    def _kernels(self, node: Node) -> tuple[tuple[str, Kernel], ...]:
        """``aclnnFoo: {out: [y], inout: [self]}``, or the names of what is written as a list."""
        if is_null(node):
            return ()
        if node.id != "mapping":
            raise self._fail(node, "rules.not-kernels", found=described(node))
        found: dict[str, Kernel] = {}
        for key, value in node.value:
            name = self._name(key)
            if name in found:
                raise self._fail(key, "rules.duplicate-key", key=name)
            found[name] = self._kernel(value)
        return tuple(found.items())

    def _kernel(self, node: Node) -> Kernel:
        if node.id == "sequence":
            return Kernel(out=tuple(self._name(entry) for entry in node.value))
        names: dict[str, tuple[str, ...]] = {}
        for key, value in self._items(node, ("out", "inout"), "rules.not-a-kernel"):
            if value.id != "sequence":
                raise self._fail(value, "rules.not-a-kernel", found=described(value))
            names[key] = tuple(self._name(entry) for entry in value.value)
        return Kernel(**names)

    def _sequence(self, side: str, node: Node) -> tuple[str, ...]:
        if node.id != "sequence" or not node.value:
            raise self._fail(node, "rules.not-a-sequence", side=side, found=described(node))
        return tuple(self._name(entry) for entry in node.value)
