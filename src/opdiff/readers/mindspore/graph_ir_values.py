"""What the nodes of a graph stand for: tensors, and tuples of them however deep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import TypeAlias

from opdiff.readers.mindspore import graph_ir_text as text
from opdiff.readers.specs import UNKNOWN_SPEC
from opdiff.trace import Operand, TensorSpec

Value: TypeAlias = "int | tuple[Value, ...] | None"
"""The id of a tensor, a tuple of values, or None for what is no tensor (a monad, a function)."""

MOST_OPERANDS = 4096
"""Of one op: tuples of tuples can stand for more tensors than any memory holds."""
MOST_TUPLE_STEPS = 4_000_000
"""Of one file: a few letters can name a tuple of thousands, in every one of a million nodes."""


class Allowance:
    """How far tuples may still be taken apart in one file."""

    def __init__(self) -> None:
        self._steps = MOST_TUPLE_STEPS

    def step(self) -> bool:
        """Whether there may be one more step."""
        self._steps -= 1
        return self._steps >= 0


class Budget:
    """How many more tensors one op may have; *cut* once it wanted more."""

    def __init__(self, allowance: Allowance) -> None:
        self._left = MOST_OPERANDS
        self._allowance = allowance
        self.cut = False

    def take(self) -> bool:
        """Whether there may be one more."""
        self._left -= 1
        self.cut = self.cut or self._left < 0
        return not self.cut

    def operands_of(self, value: Value, kind: text.Type) -> Iterator[Operand]:
        """A value as the flat list of its tensors, each with its spec where the type tells it."""
        if isinstance(value, int) and kind.elements is None:  # by far the most are
            if self.take():
                yield Operand(value, kind.spec or UNKNOWN_SPEC)
            return
        for memory, spec in self._flat(value, kind):
            if not self.take():
                return
            yield Operand(memory, spec)

    def _flat(self, value: Value, kind: text.Type) -> Iterator[tuple[int, TensorSpec]]:
        waiting: list[Iterator[tuple[Value, text.Type]]] = [iter([(value, kind)])]
        while waiting and not self.cut:
            step = next(waiting[-1], None)
            if step is None:
                waiting.pop()
                continue
            self.cut = not self._allowance.step()
            here, its_kind = step
            if isinstance(here, int):
                if its_kind.elements is None:
                    yield here, its_kind.spec or UNKNOWN_SPEC
                else:  # a tuple whose making was not seen: one block for all of it
                    waiting.append(zip(repeat(here), its_kind.elements))
            elif here is not None:
                waiting.append(zip(here, _kinds(here, its_kind), strict=False))


def _kinds(values: Sequence[Value], kind: text.Type) -> Iterable[text.Type]:
    if kind.elements is not None and len(kind.elements) == len(values):
        return kind.elements
    return repeat(text.Type(UNKNOWN_SPEC))
