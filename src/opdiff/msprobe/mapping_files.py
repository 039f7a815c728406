"""msprobe's four mapping files, read strictly: every mistake names the file and the line.

An API mapping says which call of MindSpore's is which of PyTorch's, and which of their arguments
correspond; a cell mapping does so for modules by path and class, a data mapping for single
operands, and a layer mapping for the names of layers within a class. The MindSpore side comes
first in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from opdiff.errors import OpdiffError
from opdiff.regular_files import read_text
from opdiff.wording import Sentence
from opdiff.yaml_nodes import Node, compose, described, is_null, is_text

KINDS = ("api", "cell", "data", "layer")
_MOST_BYTES = 4_000_000
_MOST_ARGUMENTS = 1000
_LISTS = ("args", "outputs", "parameters", "parameters_grad")

Places = tuple[int | str, ...]


class Api(NamedTuple):
    """One call of each framework, and which arguments and outputs of theirs correspond."""

    mindspore: str
    pytorch: str
    mindspore_args: Places | None = None
    pytorch_args: Places | None = None
    mindspore_outputs: Places | None = None
    pytorch_outputs: Places | None = None


@dataclass(frozen=True, slots=True)
class Mappings:
    """What all the files given say."""

    apis: tuple[Api, ...] = ()
    cells: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, str] = field(default_factory=dict)
    layers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By class: names of its layers."""
    files: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files)


NO_MAPPINGS = Mappings()


def read_mappings(paths: Mapping[str, str | Path | None]) -> Mappings:
    """The files given, by :data:`KINDS`; raises OpdiffError for what is wrong in one."""
    roots = {kind: _Reader(str(path)) for kind, path in paths.items() if path is not None}
    return Mappings(
        apis=tuple(roots["api"].apis()) if "api" in roots else (),
        cells=roots["cell"].names() if "cell" in roots else {},
        data=roots["data"].names() if "data" in roots else {},
        layers=roots["layer"].layers() if "layer" in roots else {},
        files=tuple(reader.path for reader in roots.values()),
    )


class _Reader:
    def __init__(self, path: str) -> None:
        self.path = path
        root = compose(read_text(path, _MOST_BYTES, "mapping.cannot-read"), path)
        self._root = None if root is None or is_null(root) else root

    def apis(self) -> Iterator[Api]:
        """One mapping, or a list of them."""
        root = self._root
        if root is None:
            return
        for node in root.value if root.id == "sequence" else [root]:
            yield self._api(node)

    def names(self) -> dict[str, str]:
        """A mapping of names to names."""
        if self._root is None:
            return {}
        return {key: self._name(value) for key, value in self._items(self._root)}

    def layers(self) -> dict[str, dict[str, str]]:
        """A mapping of classes to mappings of the names in them."""
        if self._root is None:
            return {}
        return {
            key: {
                # What stands in brackets behind a name is msprobe's own remark.
                child: self._name(name).partition("(")[0].strip()
                for child, name in self._items(value)
            }
            for key, value in self._items(self._root)
            if not is_null(value)
        }

    def _api(self, node: Node) -> Api:
        known = ("api", *_LISTS)
        keys = [f"{side}_{name}" for name in known for side in ("ms", "pt")]
        items: dict[str, Node] = {}
        for key, value in self._items(node):
            if key not in keys:
                raise self._fail(value, "rules.unknown-key", key=key, keys=", ".join(keys))
            items[key] = value
        for key in ("ms_api", "pt_api"):
            if key not in items:
                raise self._fail(node, "mapping.api-missing", key=key)
        lists = {key: self._places(value) for key, value in items.items() if key[3:] in _LISTS}
        for name in _LISTS:
            one, other = lists.get(f"ms_{name}"), lists.get(f"pt_{name}")
            if len(one or ()) != len(other or ()):
                place = items.get(f"pt_{name}") or items[f"ms_{name}"]
                raise self._fail(place, "mapping.unequal-lists", name=name)
        return Api(
            self._name(items["ms_api"]),
            self._name(items["pt_api"]),
            *(lists.get(f"{side}_{name}") for name in _LISTS[:2] for side in ("ms", "pt")),
        )

    def _items(self, node: Node) -> Iterator[tuple[str, Node]]:
        if node.id != "mapping":
            raise self._fail(node, "mapping.not-a-mapping", found=described(node))
        seen: set[str] = set()
        for key, value in node.value:
            name = self._name(key)
            if name in seen:
                raise self._fail(key, "rules.duplicate-key", key=name)
            seen.add(name)
            yield name, value

    def _name(self, node: Node) -> str:
        if node.id != "scalar" or is_null(node) or not node.value.strip():
            raise self._fail(node, "mapping.not-a-name", found=described(node))
        name: str = node.value.strip()
        return name

    def _places(self, node: Node) -> Places | None:
        """Places of arguments, from 0, or their names."""
        if is_null(node):
            return None
        if node.id != "sequence" or len(node.value) > _MOST_ARGUMENTS:
            raise self._fail(node, "mapping.not-places", found=described(node))
        found: dict[int | str, None] = {}
        for entry in node.value:
            place: int | str = self._name(entry)
            if not is_text(entry):
                if not (entry.value.isascii() and entry.value.isdigit() and len(entry.value) < 10):
                    raise self._fail(entry, "mapping.not-places", found=described(entry))
                place = int(entry.value)
            if place in found:
                raise self._fail(entry, "mapping.place-twice", place=str(place))
            found[place] = None
        return tuple(found)

    def _fail(self, node: Node, code: str, **args: Any) -> OpdiffError:
        return OpdiffError(Sentence.of(code, **args), path=self.path, line=node.start_mark.line + 1)
