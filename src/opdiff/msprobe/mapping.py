"""What msprobe's mapping files mean for a comparison: names that are the same, and pairs by decree.

Pairs are pinned only where the files say something that the names do not: two calls or modules
that are called alike find each other anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from opdiff.compare import Direction, Request, Rules
from opdiff.compare.names.spelling import canonical
from opdiff.compare.pairing.seeds import longest_ascending
from opdiff.compare.rules_file import merge_rules
from opdiff.msprobe.mapping_files import Mappings
from opdiff.msprobe.names import RowsByName, is_call, owner_of
from opdiff.readers.msprobe.beside import read_beside
from opdiff.readers.msprobe.entries import MODULE, read_name
from opdiff.trace import Trace
from opdiff.trace.told import NOTHING_TOLD, Arguments, Told
from opdiff.wording import Sentence

Pair = tuple[int, int]
_WAYS = ("", "_backward", "_parameters_grad")
_TOP = ("TopLayer", "Cell")
"""What msprobe calls the root: now, and in older files."""


class Mapped(NamedTuple):
    """A request with what the files say, and what the user should know of them."""

    request: Request
    remarks: tuple[Sentence, ...]


def told_by(mappings: Mappings, told: Told = NOTHING_TOLD) -> Told:
    """What to heed when the dumps are read: which arguments of calls correspond."""
    arguments = dict(told.arguments)
    for api in mappings.apis:
        for framework, name, inputs, outputs in (
            ("mindspore", api.mindspore, api.mindspore_args, api.mindspore_outputs),
            ("pytorch", api.pytorch, api.pytorch_args, api.pytorch_outputs),
        ):
            if inputs is not None or outputs is not None:
                arguments[framework, _type(name)] = Arguments(inputs, outputs)
    return replace(told, arguments=arguments) if arguments else told


def with_mappings(request: Request, mappings: Mappings, left: Trace, right: Trace) -> Mapped:
    """The request under these files, whichever of the traces is MindSpore's."""
    one = _Finding(mappings, _MappedSide(left), _MappedSide(right))
    other = _Finding(mappings, _MappedSide(right), _MappedSide(left))
    turned = other.hits > one.hits
    found = other if turned else one
    pairs = [(b, a) for a, b in found.pairs] if turned else found.pairs
    pins, dropped = _fitting(pairs, request)
    remarks = found.remarks()
    if dropped:
        remarks.append(Sentence.of("mapping.out-of-order", count=dropped))
    rules = merge_rules(request.rules, Rules(same=tuple(sorted(found.same))))
    changed = replace(request, rules=rules, pins=tuple(sorted({*request.pins, *pins})))
    return Mapped(changed, tuple(remarks))


def _type(name: str) -> str:
    """``Functional::abs`` for ``Functional.abs``."""
    return name.replace(".", "::", 1)


class _MappedSide(RowsByName):
    """What a mapping is held against."""

    @cached_property
    def types(self) -> frozenset[str]:
        return frozenset(self.trace.types)

    @cached_property
    def by_scope(self) -> dict[tuple[str, str], list[int]]:
        """The calls by their scope and what they do, in their order."""
        found: dict[tuple[str, str], list[int]] = {}
        trace = self.trace
        families = [canonical(name) for name in trace.types]
        for row, (scope, kind) in enumerate(
            zip(trace.scope.tolist(), trace.type.tolist(), strict=True)
        ):
            if is_call(trace.types[kind]):
                found.setdefault((trace.scopes[scope], families[kind]), []).append(row)
        return found

    @cached_property
    def classes(self) -> dict[str, str]:
        """The class of the module at each path, as far as the dump tells."""
        found = _classes_beside(Path(self.trace.source.path))
        for path, kind, _ in self.rows:
            if not is_call(kind) and path:
                found.setdefault(path, _bare(kind)[0])
        return found


@dataclass
class _Finding:
    """All that the files say of two traces, the first of them MindSpore's."""

    mappings: Mappings
    mindspore: _MappedSide
    pytorch: _MappedSide
    pairs: list[Pair] = field(default_factory=list)
    same: set[tuple[str, str]] = field(default_factory=set)
    unfound: list[str] = field(default_factory=list)
    total: int = 0

    def __post_init__(self) -> None:
        self._take_apis()
        self._take_data()
        self._take_cells()
        self._take_layers()

    @property
    def hits(self) -> int:
        """How many entries mean something here."""
        return self.total - len(self.unfound) + len(self.pairs)

    def remarks(self) -> list[Sentence]:
        """Entries that mean nothing here are told, for they may be typing mistakes."""
        if not self.unfound:
            return []
        counts = {"count": len(self.unfound), "total": self.total}
        return [Sentence.of("mapping.found-nothing", **counts, name=self.unfound[0])]

    def _count(self, name: str, found: bool) -> None:
        self.total += 1
        if not found:
            self.unfound.append(name)

    def _take_apis(self) -> None:
        for api in self.mappings.apis:
            one, other = _type(api.mindspore), _type(api.pytorch)
            here = one in self.mindspore.types or f"{one}_backward" in self.mindspore.types
            there = other in self.pytorch.types or f"{other}_backward" in self.pytorch.types
            self._count(api.mindspore if not here else api.pytorch, here and there)
            self._call_same(one, other)

    def _call_same(self, one: str, other: str) -> None:
        if one != other:
            self.same.update((one + way, other + way) for way in _WAYS[: 2 if is_call(one) else 3])

    def _take_data(self) -> None:
        seen: set[Pair] = set()
        for key, value in self.mappings.data.items():
            (one, _), (other, _) = owner_of(key), owner_of(value)
            row, partner = self.mindspore.row(one), self.pytorch.row(other)
            self._count(key if row is None else value, row is not None and partner is not None)
            if row is None or partner is None or one is None or other is None:
                continue
            if (row, partner) not in seen:
                seen.add((row, partner))
                self.pairs.append((row, partner))
                self._call_same(_bare(one.type)[0], _bare(other.type)[0])

    def _take_cells(self) -> None:
        cells = self.mappings.cells
        used: set[str] = set()

        def module(name: str) -> str:
            if name in cells:
                used.add(name)
                return cells[name]
            for old, new in cells.items():
                if old in name:
                    used.add(old)
                    name = name.replace(old, new, 1)
            return name

        paths = {old.rpartition(".")[0]: new.rpartition(".")[0] for old, new in cells.items()}
        if cells:
            self._pair_modules(module)
            self._pair_scopes(lambda scope: _moved(scope, paths))
        scopes = {scope for scope, _ in self.mindspore.by_scope} if cells else set()
        for name in cells:
            within = name.rpartition(".")[0]
            self._count(name, name in used or within in scopes)

    def _take_layers(self) -> None:
        layers = self.mappings.layers
        if not layers:
            return
        used: set[tuple[str, str]] = set()
        renamed = renamed_by_layers(layers, self.mindspore.classes, used)
        pytorch = self.pytorch.classes

        def module(name: str) -> str:
            path, _, kind = name.rpartition(".")
            new = renamed(path)
            return name if new == path else f"{new}.{pytorch.get(new, kind)}"

        self._pair_modules(module)
        self._pair_scopes(renamed)
        for class_, names in layers.items():
            for name in names:
                self._count(f"{class_}: {name}", (class_, name) in used)

    def _pair_modules(self, renamed: Callable[[str], str]) -> None:
        """Modules whose path or class is another one there."""
        for (path, kind, number), row in self.mindspore.rows.items():
            if is_call(kind) or not path:
                continue
            class_, way = _bare(kind)
            new = renamed(f"{path}.{class_}")
            if new == f"{path}.{class_}":
                continue
            new_path, _, new_class = new.rpartition(".")
            partner = self.pytorch.rows.get((new_path, new_class + way, number))
            if partner is not None:
                self.pairs.append((row, partner))
                self._call_same(class_, new_class)

    def _pair_scopes(self, renamed: Callable[[str], str]) -> None:
        """Calls within modules that are called otherwise there, where both have as many."""
        for (scope, family), rows in self.mindspore.by_scope.items():
            new = renamed(scope)
            others = self.pytorch.by_scope.get((new, family), ()) if new != scope else ()
            if len(others) == len(rows):
                self.pairs += zip(rows, others, strict=True)


def _classes_beside(dump: Path) -> dict[str, str]:
    """The class of the module at each path, as far as ``construct.json`` beside a dump tells."""
    found: dict[str, str] = {}
    parents = read_beside(dump).parents
    for text in {*parents, *parents.values()}:
        name = read_name(text)
        if name is not None and name.level == MODULE:
            found.setdefault(name.path, _bare(name.type)[0])
    return found


def renamed_by_layers(
    layers: Mapping[str, Mapping[str, str]],
    classes: Mapping[str, str],
    used: set[tuple[str, str]],
) -> Callable[[str], str]:
    """Gives paths their names of the other framework; what of the mapping did so is *used*."""

    @cache
    def below(path: str) -> list[tuple[str, str, str]]:
        """The class, name and new name of layers right below a path, long names first."""
        kinds = _TOP if not path else (classes.get(path, ""),)
        found = [(kind, name, new) for kind in kinds for name, new in layers.get(kind, {}).items()]
        return sorted(found, key=lambda each: -each[1].count("."))

    @cache
    def renamed(path: str) -> str:
        parts = path.split(".") if path else []
        done = 0
        new: list[str] = []
        while done < len(parts):
            rest = ".".join(parts[done:])
            layer = next(
                (
                    here
                    for here in below(".".join(parts[:done]))
                    if f"{rest}.".startswith(f"{here[1]}.")
                ),
                ("", parts[done], parts[done]),
            )
            if layer[0]:
                used.add(layer[:2])
            new.append(layer[2])
            done += layer[1].count(".") + 1
        return ".".join(new)

    return renamed


def _bare(kind: str) -> tuple[str, str]:
    """A type without which way it goes, and that."""
    way = next((way for way in _WAYS[1:] if kind.endswith(way)), "")
    return kind.removesuffix(way), way


def _moved(scope: str, paths: dict[str, str]) -> str:
    """A scope with the longest of some paths that it begins with put in its new place."""
    here = scope
    while here:
        if here in paths:
            return paths[here] + scope[len(here) :]
        here = here.rpartition(".")[0]
    return scope


def _fitting(pairs: Iterable[Pair], request: Request) -> tuple[list[Pair], int]:
    """As many of the pairs as can be pinned together, and how many cannot."""
    fixed = sorted({*request.pins, *_anchors(request)})
    within = [pair for pair in dict.fromkeys(pairs) if _is_within(pair, request)]
    free = [pair for pair in within if all(_agree(pair, other) for other in fixed)]
    # Ascending on the left, and where one row has several, descending: so one of them is taken.
    ordered = sorted(free, key=lambda pair: (pair[0], -pair[1]))
    kept = longest_ascending([right for _, right in ordered]) if ordered else ()
    return [ordered[place] for place in kept], len(within) - len(kept)


def _anchors(request: Request) -> Iterator[Pair]:
    if request.left_anchor is not None and request.right_anchor is not None:
        yield request.left_anchor, request.right_anchor


def _is_within(pair: Pair, request: Request) -> bool:
    for one, other in _anchors(request):
        if request.direction is Direction.UP:
            return pair[0] <= one and pair[1] <= other
        if request.direction is Direction.DOWN:
            return pair[0] >= one and pair[1] >= other
    return True


def _agree(pair: Pair, other: Pair) -> bool:
    return (pair[0] < other[0]) == (pair[1] < other[1]) and (
        (pair[0] == other[0]) == (pair[1] == other[1])
    )
