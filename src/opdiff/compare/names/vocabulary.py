"""What two traces have in common as integers: op types, families of them, specs of operands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from opdiff.compare.components import joined
from opdiff.compare.names.table import Table
from opdiff.trace import TensorSpec, Trace
from opdiff.trace.columns import Flags, Ints
from opdiff.trace.sorting import distinct


@dataclass(frozen=True)
class Vocabulary:
    """Numbers shared by both traces: the same for whichever is left."""

    types: tuple[str, ...]
    family: Ints
    """Of each type, a number that it shares with those it may be paired with."""
    spelling: tuple[str, ...]
    """Of each type, how the table spells it."""
    linked: Mapping[int, frozenset[int]]
    """Of each type, the other types that are known to do its job."""
    specs: tuple[TensorSpec, ...]
    dense: Ints
    """Of each spec, the number of its dtype and shape."""
    type_of: tuple[Ints, Ints]
    """Per side: the shared number of each of the trace's own types."""
    spec_of: tuple[Ints, Ints]

    @cached_property
    def one_language(self) -> bool:
        """Whether both traces are PyTorch's, or neither is."""
        left, right = (
            any(self.types[kind].startswith("aten::") for kind in own.tolist())
            for own in self.type_of
        )
        return left == right

    @cached_property
    def kin(self) -> Ints:
        """Of each type, a number that it shares with those linked with it, and with theirs."""
        return _components(len(self.types), _links(self.linked))

    def known(self, kinds: Ints, other_kinds: Ints) -> Flags:
        """Of each of *kinds* with each of *other_kinds*, whether they are known to do one job."""
        distinct, place = np.unique(kinds, return_inverse=True)
        others, other_place = np.unique(other_kinds, return_inverse=True)
        table = np.zeros((len(distinct), len(others)), np.bool_)
        for row, kind in enumerate(distinct.tolist()):
            if kind in self.linked:
                table[row] = [other in self.linked[kind] for other in others.tolist()]
        found: Flags = table[place[:, None], other_place[None, :]]
        return found


def vocabulary(left: Trace, right: Trace, table: Table) -> Vocabulary:
    """One numbering for both traces; sorted, so that it does not depend on which is left."""
    types = _numbers(sorted({*left.types, *right.types}))
    specs = _numbers(sorted({*left.tables.specs, *right.tables.specs}, key=_spec_key))
    dense = _numbers(sorted({(spec.dtype, spec.shape) for spec in specs}))
    spelling = tuple(map(table.spelling, types))
    linked = _linked(types, spelling, table)
    both = tuple({types[name] for name in trace.types} for trace in (left, right))
    own = tuple({types[name] for name in _own_names(trace)} for trace in (left, right))
    return Vocabulary(
        tuple(types),
        _families(len(types), linked, both[0], both[1], own[0] & own[1]),
        spelling,
        linked,
        tuple(specs),
        np.array([dense[spec.dtype, spec.shape] for spec in specs], np.int32),
        (_lookup(types, left.types), _lookup(types, right.types)),
        (_lookup(specs, left.tables.specs), _lookup(specs, right.tables.specs)),
    )


def _own_names(trace: Trace) -> Iterable[str]:
    """The op types that a trace uses; of a graph those of its nodes.

    What eager code around a graph uses says nothing of how the graph calls the same job.
    """
    if not any(trace.scopes):
        return trace.types
    scoped = np.array([bool(scope) for scope in trace.scopes], np.bool_)[trace.scope]
    computing = trace.outputs.counts() > 0
    if 2 * np.count_nonzero(scoped & computing) <= np.count_nonzero(computing):
        return trace.types
    return [trace.types[kind] for kind in distinct(trace.type[scoped]).tolist()]


def _linked(
    numbers: Mapping[str, int], spelling: Iterable[str], table: Table
) -> dict[int, frozenset[int]]:
    by_spelling: dict[str, list[int]] = {}
    for number, spelled in enumerate(spelling):
        by_spelling.setdefault(spelled, []).append(number)
    linked: dict[int, set[int]] = {}
    for spelled, alike in by_spelling.items():
        known = table.known.get(spelled, ())
        if len(alike) > 1 or known:
            others = [other for each in known for other in by_spelling.get(each, ())]
            linked |= {number: {*alike, *others} for number in alike}
    for name, partners in table.partners.items():
        if name in numbers:
            others = [numbers[other] for other in partners if other in numbers]
            linked.setdefault(numbers[name], set()).update(others)
    found = {number: frozenset(others - {number}) for number, others in linked.items()}
    return {number: others for number, others in found.items() if others}


def _families(
    count: int,
    linked: Mapping[int, frozenset[int]],
    left: set[int],
    right: set[int],
    everywhere: set[int],
) -> Ints:
    """The smallest number among the types each may be paired with in these two traces.

    A link counts where one of the names occurs on one side only: names that both sides use,
    *everywhere*, stand for themselves. So families do not grow through names that have nothing to
    do with each other.
    """
    return _components(
        count,
        (
            (kind, other)
            for kind, other in _links(linked)
            if not (kind in everywhere and other in everywhere)
            and ((kind in left and other in right) or (kind in right and other in left))
        ),
    )


def _links(linked: Mapping[int, frozenset[int]]) -> Iterator[tuple[int, int]]:
    return ((kind, other) for kind in sorted(linked) for other in sorted(linked[kind]))


def _components(count: int, links: Iterable[tuple[int, int]]) -> Ints:
    """Of each number, the smallest that links lead to."""
    some, others = np.array([*links], np.int32).reshape(-1, 2).T
    return joined(count, some, others).astype(np.int32)


def _spec_key(spec: TensorSpec) -> tuple[object, ...]:
    return (spec.dtype, spec.shape, spec.is_view, spec.strides or (), spec.offset or 0)


def _numbers(values: Iterable[Any]) -> dict[Any, int]:
    return {value: number for number, value in enumerate(values)}


def _lookup(numbers: Mapping[Any, int], values: Iterable[Any]) -> Ints:
    return np.array([numbers[value] for value in values], np.int32)
