"""Of each row, its step, its micro-batch, its phase, its layer and its path: what a tree is of."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from opdiff.structure.echoes import Echoes, crossings, echoed_paths
from opdiff.structure.forward import LAYER, Forward, ForwardReader
from opdiff.structure.paths import NamedList, Paths, covering, named_lists, paths_of
from opdiff.structure.phases import Phase, Phases, phases, rounds_of, steps_of
from opdiff.structure.repeats import Crossing, WordChoices
from opdiff.trace import Role, Trace
from opdiff.trace.columns import Ints, Longs

_NUMBERS = 2**32


class LayerList(NamedTuple):
    """A list of layers of one trace."""

    what: str
    """``layer``, or ``repeat`` where the instances share what they read from outside."""
    name: str
    """What tells it from other lists; empty where there is but one."""
    top: int
    """The path that all its layers have in common."""


class Units(NamedTuple):
    """What each row belongs to."""

    phase: Phases
    step: Ints
    update: Ints
    """Which of several updates of its step, or -1."""
    batch: Ints
    """The micro-batch, or -1."""
    list: Ints
    """An index into ``lists``, or -1."""
    layer: Ints
    """The number of its layer in that list, or -1."""
    path: Ints
    paths: Paths
    lists: tuple[LayerList, ...]


def units_of(trace: Trace) -> Units:
    """Find them all."""
    phase = phases(trace)
    paths = paths_of(trace)
    words = WordChoices(trace, paths)
    # Operands tell what hands on to what: where hardly any are printed, borders are not told.
    crossing = cache(lambda: crossings(trace, phase))
    step = steps_of(phase)
    search = _UnitSearch(trace, phase, step, paths, words, crossing)
    lists, key, batch = search.layers_and_passes()
    path = paths.of_row
    if (phase != Phase.FORWARD).any():
        echoes = Echoes(trace, phase, step, crossing())
        key = _kept(search.by_scope, echoes.carried(key))
        batch = (echoes.carried(batch.astype(np.int64) + 1) - 1).astype(np.int32)
        batch[phase == Phase.OPTIMIZER] = -1  # it spends the gradients of all
        tops = np.array([0, *(each.top for each in lists)], np.int32)
        echoed = echoed_paths(trace, paths, phase, key, tops[key // _NUMBERS])
        path = search.own_or(echoed, lists)
    rounds = rounds_of(step, words.looks) if len(step) and step[-1] else np.zeros(1, np.int32)
    several = bool(len(rounds)) and int(rounds[-1]) + 1 < len(rounds)
    first = np.searchsorted(rounds, rounds) if several else np.zeros(len(rounds), np.int64)
    update = (np.arange(len(rounds)) - first).astype(np.int32)
    return Units(
        phase,
        rounds[step] if several and len(step) else step,
        update[step] if several and len(step) else np.full(len(step), -1, np.int32),
        batch,
        (key // _NUMBERS - 1).astype(np.int32),
        (key % _NUMBERS - 1).astype(np.int32),
        path,
        paths,
        lists,
    )


def _kept(by_scope: Longs | None, carried: Longs) -> Longs:
    """What scopes say of a row counts more than what it reads."""
    if by_scope is None:
        return carried
    return np.where(by_scope > 0, by_scope, carried)


class _UnitSearch:
    """Layers and passes of the forward of all steps."""

    def __init__(
        self,
        trace: Trace,
        phase: Phases,
        step: Ints,
        paths: Paths,
        words: WordChoices,
        crossing: Crossing,
    ) -> None:
        self._trace, self._phase, self._paths = trace, phase, paths
        self._counted = (phase == Phase.FORWARD) & (trace.role == Role.OP)
        linked = len(trace) and (trace.inputs.counts() > 0).mean() > 0.5
        self._reader = ForwardReader(trace, words, crossing if linked else None)
        self._step = step
        self.by_scope: Longs | None = None
        """Of each row, the key that its scope says; None where scopes name no lists."""

    def layers_and_passes(self) -> tuple[tuple[LayerList, ...], Longs, Ints]:
        """The lists of layers; of each forward row its key (0 for none) and its pass (or -1)."""
        named, which, number = named_lists(self._paths, self._counted)
        forwards = self._forwards()
        batch = np.full(len(self._trace), -1, np.int32)
        for forward in forwards:
            self._mark_passes(batch, forward)
        if named and covering(self._paths, which, self._counted):
            at = self._paths.of_row
            by_node = (which.astype(np.int64) + 1) * _NUMBERS + number + 1
            key = np.where(which >= 0, by_node, 0)[at]
            self.by_scope = key
            return self._named(named), key, batch
        key = np.zeros(len(self._trace), np.int64)
        for forward in forwards:
            self._mark_layers(key, forward)
        return self._found(forwards), key, batch

    def _forwards(self) -> list[Forward]:
        rows = np.flatnonzero(self._counted)
        border = np.flatnonzero(np.diff(self._step[rows])) + 1
        return [self._reader.read(part) for part in np.split(rows, border) if len(part)]

    def _mark_passes(self, batch: Ints, forward: Forward) -> None:
        if not len(forward.passes):
            return
        first = int(forward.passes[0])
        end = int(np.searchsorted(self._step, self._step[first], side="right"))
        rows = np.arange(first, end)
        here = np.searchsorted(forward.passes, rows, side="right") - 1
        rows, here = (each[self._phase[first:end] == Phase.FORWARD] for each in (rows, here))
        batch[rows] = here

    def _mark_layers(self, key: Longs, forward: Forward) -> None:
        for place, block in enumerate(forward.lists):
            number = np.arange(len(block))
            if len(forward.passes):
                run = np.searchsorted(forward.passes, block.first, side="right") - 1
                number = number - np.searchsorted(run, run)
            for first, last, which in zip(
                block.first.tolist(), block.last.tolist(), number.tolist(), strict=True
            ):
                key[first : last + 1] = (place + 1) * _NUMBERS + which + 1
        key[self._phase != Phase.FORWARD] = 0

    def _named(self, named: list[NamedList]) -> tuple[LayerList, ...]:
        """Lists by scopes; several are told apart by the module they are in."""
        lists = []
        for parent, name in named:
            inside = self._paths.segments[parent].name
            lists.append(LayerList(LAYER, (inside or name) if len(named) > 1 else "", parent))
        names = [each.name for each in lists]
        if len(set(names)) < len(names):
            lists = [
                LayerList(each.what, f"{each.name}.{name}".lstrip("."), each.top)
                for each, (_, name) in zip(lists, named, strict=True)
            ]
        return tuple(lists)

    def _found(self, forwards: list[Forward]) -> tuple[LayerList, ...]:
        """Lists by repeats; those of all steps are one, told apart by their number."""
        count = max((len(forward.lists) for forward in forwards), default=0)
        lists = []
        for place in range(count):
            blocks = [forward.lists[place] for forward in forwards if len(forward.lists) > place]
            marks = np.concatenate([block.marks for block in blocks])
            top = self._paths.common_of(self._paths.of_row[marks])
            name = str(place + 1) if count > 1 else ""
            lists.append(LayerList(blocks[0].what, name, top))
        return tuple(lists)

    def own_or(self, echoed: Ints, lists: tuple[LayerList, ...]) -> Ints:
        """The path of each row: its own where it says more than where training is called from."""
        own = self._paths.of_row
        later = self._phase != Phase.FORWARD
        if not later.any():
            return own
        base = self._paths.common_of(own[later])
        told = self._paths.below(own, base) & (own != base)
        for each in lists:
            told |= self._paths.below(own, each.top) & (each.top > 0)
        return np.where(later & ~told, echoed, own)
