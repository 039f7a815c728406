"""The truth of a pair of programs: the contract's table of kinds, read literally.

Which step is which is known from the keys, so nothing has to be aligned or guessed here. What a
change did that the programs do not show (an op moved, ops fused) is told by the change itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tests.pairs.printing import Printed
from tests.pairs.program import Program, Step
from tests.pairs.truth import Record, Truth

LOOKED_THROUGH = frozenset({"Contiguous", "Cast", "TensorMove", "InplaceCopy", "Copy", "Clone"})


@dataclass
class Changes:
    """What the changes of a pair know beyond the programs."""

    fused: list[tuple[tuple[str, ...], tuple[str, ...]]] = field(default_factory=list)
    """Keys on the left, keys on the right."""
    moved: list[tuple[str, ...]] = field(default_factory=list)
    """Keys of which one must be reported as moved."""
    doubled: list[tuple[str, ...]] = field(default_factory=list)
    """Two keys on one side: the other side has one of them, whichever."""
    optional: set[str] = field(default_factory=set)
    """Steps of one side that may be reported or not."""


@dataclass
class Pair:
    """Two programs and what is known of how they differ."""

    left: Program
    right: Program
    changes: Changes = field(default_factory=Changes)

    def sides(self) -> tuple[Program, Program]:
        return self.left, self.right


@dataclass(frozen=True)
class Question:
    """Where a comparison starts and which way it goes: the anchors' key, or None."""

    direction: str
    anchor: str | None


class _Reading:
    """Reads off the records of one pair."""

    def __init__(
        self, pair: Pair, printed: tuple[Printed, Printed], inside: Callable[[Record], bool]
    ) -> None:
        self.pair = pair
        self._inside = inside
        self.printed = printed
        self.steps = tuple({s.key: s for s in side.steps if not s.noise} for side in pair.sides())
        self.required: dict[Record, tuple[str, ...]] = {}
        """Each record and what it is an instance of, for counting groups."""
        self.neutral: set[Record] = set()
        self.either: list[tuple[Record, ...]] = []
        self._producers = tuple(_producers(side) for side in pair.sides())
        self._fused = {
            key: f"fused {number}"
            for number, group in enumerate(pair.changes.fused)
            for keys in group
            for key in keys
        }
        self._doubles = {key for keys in pair.changes.doubled for key in keys}

    def at(self, kind: str, key: str, sides: str = "both") -> Record:
        left, right = (
            (printed.line[key],) if sides in ("both", name) else ()
            for printed, name in zip(self.printed, ("left", "right"), strict=True)
        )
        return Record(kind, left, right)

    def read(self) -> None:
        left, right = self.steps
        for key in left:
            if key in right:
                self._read_pair(left[key], right[key])
        for name, here, other in (("left", left, right), ("right", right, left)):
            for key, step in here.items():
                if key not in other and key not in self._fused:
                    self._read_alone(step, name)
        self._read_changes()

    def _require(self, kind: str, step: Step, sides: str = "both") -> None:
        types = [steps[step.key].type for steps in self.steps if step.key in steps]
        self.required[self.at(kind, step.key, sides)] = (kind, step.place, *types)

    def _read_alone(self, step: Step, side: str) -> None:
        kind = "contiguous" if step.type == "Contiguous" else f"only-{side}"
        if step.key in self.pair.changes.optional or step.key in self._doubles:
            self.neutral.add(self.at(kind, step.key, side))
        else:
            self._require(kind, step, side)

    def _read_pair(self, left: Step, right: Step) -> None:
        if left.key in self._doubles:
            return
        before = len(self.required)
        if left.type != right.type:
            self._require("op-type", left)
        if left.attrs != right.attrs:
            self._require("attrs", left)
        if left.hidden != right.hidden and left.type != "Contiguous":
            self._require("cpu-fallback", left)
        if left.hidden or right.hidden:
            return
        if len(left.inputs) != len(right.inputs) or len(left.outputs) != len(right.outputs):
            self._require("operands", left)
        self._read_specs(left, right)
        self._read_dataflow(left, right, agrees=before == len(self.required))

    def _read_specs(self, left: Step, right: Step) -> None:
        differing: dict[str, bool] = {}
        for name in ("inputs", "outputs"):
            lefts, rights = getattr(left, name), getattr(right, name)
            certain = len(lefts) == len(rights)
            for one, two in zip(lefts, rights, strict=False):
                for kind, sure in self._spec_kinds(one, two):
                    differing[kind] = differing.get(kind, False) or (certain and sure)
        for kind, sure in differing.items():
            if sure:
                self._require(kind, left)
            else:
                self.neutral.add(self.at(kind, left.key))

    def _spec_kinds(self, one: int, two: int) -> list[tuple[str, bool]]:
        left, right = self.pair.left.values[one], self.pair.right.values[two]
        kinds = []
        if left.dtype != right.dtype:
            kinds.append(("dtype", True))
        if left.shape != right.shape:
            kinds.append(("shape", True))
        if (left.strides is None) != (right.strides is None):
            kinds.append(("layout-missing", True))
        elif left.strides is not None and left.spec[2:] != right.spec[2:]:
            # Another shape has other strides by itself.
            kinds.append(("layout", left.shape == right.shape))
        return kinds

    def _read_dataflow(self, left: Step, right: Step, *, agrees: bool) -> None:
        sources = [
            [self._origin(side, value) for value in step.inputs]
            for side, step in ((0, left), (1, right))
        ]
        if sources[0] == sources[1]:
            return
        differing = [
            origin
            for one, two in zip(*sources, strict=False)
            if one != two
            for origin in (one, two)
        ]
        record = self.at("dataflow", left.key)
        follows = any(self._follows_from_another(origin) for origin in differing)
        # What lies outside of the compared part is not paired with anything.
        follows = follows or not any(self._is_compared(origin) for origin in differing)
        if agrees and differing and not follows:
            self._require("dataflow", left)
        else:
            self.neutral.add(record)

    def _origin(self, side: int, value: int) -> str | None:
        """The key of the producer, inserted copies looked through; None from outside."""
        step = self._producers[side].get(self.pair.sides()[side].source.get(value, value))
        while step is not None and step.key not in self.steps[1 - side]:
            if step.type not in LOOKED_THROUGH or step.hidden or not step.inputs:
                break
            step = self._producers[side].get(step.inputs[0])
        if step is None:
            return None
        return self._fused.get(step.key, step.key)

    def _is_compared(self, origin: str | None) -> bool:
        if origin is None or origin.startswith("fused "):
            return origin is not None
        return self._inside(self.at("dataflow", origin))

    def _follows_from_another(self, origin: str | None) -> bool:
        """Whether the producer itself differs: it is alone, or its links were lost on the host."""
        if origin is None or origin.startswith("fused "):
            return False
        here = [steps.get(origin) for steps in self.steps]
        return any(step is None or step.hidden for step in here)

    def _read_changes(self) -> None:
        changes = self.pair.changes
        for lefts, rights in changes.fused:
            lines = (
                tuple(sorted(printed.line[key] for key in keys))
                for printed, keys in zip(self.printed, (lefts, rights), strict=True)
            )
            longer = max(lefts, rights, key=len)
            place = self.steps[0 if longer is lefts else 1][longer[0]].place
            self.required[Record("fused", *lines)] = ("fused", place)
        for keys in changes.moved:
            self.either.append(tuple(self.at("moved", key) for key in keys))
        for keys in changes.doubled:
            side = "left" if keys[-1] in self.steps[0] else "right"
            self.either.append(tuple(self.at(f"only-{side}", key, side) for key in keys))


def _producers(program: Program) -> dict[int, Step]:
    return {value: step for step in program.steps for value in step.outputs}


def truth_of(pair: Pair, printed: tuple[Printed, Printed], question: Question) -> Truth:
    """What a comparison must report, restricted to the part that is compared."""
    left, right = (p.line[question.anchor] if question.anchor else None for p in printed)
    inside = _inside(question.direction, left, right)
    reading = _Reading(pair, printed, inside)
    reading.read()
    required = {record: group for record, group in reading.required.items() if inside(record)}
    either = tuple(choice for choice in reading.either if all(map(inside, choice)))
    choices = {_choice_place(pair, printed, choice) for choice in either}
    return Truth(
        left,
        right,
        frozenset(required),
        either,
        frozenset(filter(inside, reading.neutral)),
        len({*required.values()}) + len(choices),
        question.direction,
    )


def _choice_place(
    pair: Pair, printed: tuple[Printed, Printed], choice: tuple[Record, ...]
) -> tuple[str, ...]:
    """What a choice is an instance of: the same in every layer."""
    place = {
        line: step.place
        for lines, program in zip(printed, pair.sides(), strict=True)
        for step in program.steps
        if (line := lines.line[step.key])
    }
    return tuple(place[(record.left or record.right)[0]] for record in choice)


def _inside(direction: str, left: int | None, right: int | None) -> Callable[[Record], bool]:
    if direction == "whole" or left is None or right is None:
        return lambda record: True

    def above(record: Record) -> bool:
        return all(x <= left for x in record.left) and all(x <= right for x in record.right)

    def below(record: Record) -> bool:
        return all(x > left for x in record.left) and all(x > right for x in record.right)

    return above if direction == "up" else below
