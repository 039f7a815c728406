"""Where a change goes: the same place in all layers or in some, away from other changes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.pairs.contract import Pair
from tests.pairs.program import Program, Step

Accept = Callable[[Program, Step], bool]


class Editor:
    """Applies changes to a pair; keeps them from touching each other, unless crowded."""

    def __init__(self, pair: Pair, rng: random.Random, *, one_side: bool, crowded: bool) -> None:
        self.pair = pair
        self._sides = pair.sides()[1:] if one_side else pair.sides()
        self.rng = rng
        self._crowded = crowded
        self._busy: set[str] = set()

    def either_side(self) -> Program:
        """The program a change goes into."""
        return self.rng.choice(self._sides)

    def shared(self) -> dict[str, list[str]]:
        """The keys that both sides have, by place."""
        both = set(self.pair.left.order()) & set(self.pair.right.order())
        places: dict[str, list[str]] = {}
        for step in self.pair.left.steps:
            if step.key in both and not step.noise:
                places.setdefault(step.place, []).append(step.key)
        return places

    def free(self, place: str) -> bool:
        return place not in self._busy

    def occupy(self, program: Program, keys: Sequence[str], reach: int = 1) -> None:
        """Keep other changes away from these steps, their neighbours and their consumers."""
        for key in () if self._crowded else keys:
            at = program.index(key)
            step = program.steps[at]
            near = program.steps[max(0, at - reach) : at + reach + 1]
            readers = [s for value in step.outputs for s in program.consumers(value)]
            writers = [program.producer(value) for value in step.inputs]
            self._busy |= {s.place for s in (*near, *readers, *writers) if s is not None}

    def pick(self, program: Program, accept: Accept) -> list[str]:
        """The keys of one place, in all layers or some, that the change may go to; or none."""
        found = self.places(program, accept)
        if not found:
            return []
        chosen = self.some_layers(self.rng.choice(found))
        self.occupy(program, chosen)
        return chosen

    def places(self, program: Program, accept: Accept) -> list[list[str]]:
        """The keys of each place where every layer accepts the change."""
        return [
            keys
            for place, keys in self.shared().items()
            if self.free(place) and all(accept(program, program.step(key)) for key in keys)
        ]

    def some_layers(self, keys: list[str]) -> list[str]:
        """All of them mostly, else one or a few."""
        fate = self.rng.random()
        if fate < 0.5 or len(keys) == 1:
            return keys
        count = 1 if fate < 0.8 else self.rng.randrange(1, len(keys) + 1)
        return sorted(self.rng.sample(keys, count), key=keys.index)

    def fresh_key(self, after: str, kind: str) -> str:
        """A key in the layer of another, for a step that only one side has."""
        head, _, _ = after.partition("/")
        layer = f"{head}/" if head.startswith("layer") else ""
        return f"{layer}new/{after.removeprefix(layer).replace('/', '.')}/{kind}"

    def insert(
        self,
        program: Program,
        index: int,
        kind: str,
        source: int,
        after: str,
        dtype: str | None = None,
    ) -> tuple[Step, int]:
        """Insert a step with one dense output like its input; returns it and the output."""
        value = program.values[source]
        out = program.new_value(dtype or value.dtype, value.shape)
        step = Step(self.fresh_key(after, kind), kind, [source], [out])
        program.steps.insert(index, step)
        return step, out


def layers_of(program: Program) -> dict[str, list[Step]]:
    """The steps of every layer, in order, noise left out."""
    layers: dict[str, list[Step]] = {}
    for step in program.steps:
        head = step.key.partition("/")[0]
        if head.startswith("layer") and not step.noise:
            layers.setdefault(head, []).append(step)
    return layers


def runs_of(layers: dict[str, list[Step]], least: int, most: int) -> list[tuple[int, int]]:
    """Where a run of steps begins, and its length, that is the same in every layer."""
    first, *others = layers.values() if layers else [[]]
    places = [[step.place for step in steps] for steps in (first, *others)]
    return [
        (at, length)
        for at in range(len(first))
        for length in range(least, most + 1)
        if at + length <= len(first)
        and all(layer[at : at + length] == places[0][at : at + length] for layer in places)
    ]


def reread(steps: Sequence[Step], old: int, new: int) -> None:
    """Let steps read another value."""
    for step in steps:
        step.inputs = [new if value == old else value for value in step.inputs]
