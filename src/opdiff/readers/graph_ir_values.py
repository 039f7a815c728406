"""What the nodes of a graph stand for: tensors, and tuples of them however deep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from opdiff.readers import graph_ir_text as text
from opdiff.trace import Operand, TensorSpec

Value: TypeAlias = "int | tuple[Value, ...] | None"
"""The id of a tensor, a tuple of values, or None for what is no tensor (a monad, a function)."""

MOST_OPERANDS = 4096
"""Of one op: tuples of tuples can stand for more tensors than any memory holds."""


class Budget:
    """How many more tensors one op may still have."""

    def __init__(self) -> None:
        self._left = MOST_OPERANDS

    def take(self) -> bool:
        """Whether there may be one more."""
        self._left -= 1
        return self._left >= 0


def operands_of(value: Value, kind: text.Type) -> list[Operand]:
    """A value as the flat list of its tensors, each with its spec where the type tells it."""
    found: list[Operand] = []
    for memory, spec in _flat(value, kind):
        found.append(Operand(memory, spec))
        if len(found) == MOST_OPERANDS:
            break
    return found


def _flat(value: Value, kind: text.Type) -> Iterator[tuple[int, TensorSpec]]:
    waiting: list[tuple[Value, text.Type]] = [(value, kind)]
    for _ in range(4 * MOST_OPERANDS):
        if not waiting:
            return
        here, its_kind = waiting.pop()
        if isinstance(here, int):
            if its_kind.elements is None:
                yield here, its_kind.spec or text.UNKNOWN_SPEC
            else:  # a tuple whose making was not seen: one block for all of it
                waiting += [(here, element) for element in reversed(its_kind.elements)]
        elif here is not None:
            waiting += reversed(list(zip(here, _kinds(here, its_kind), strict=True)))


def _kinds(values: Sequence[Value], kind: text.Type) -> Sequence[text.Type]:
    if kind.elements is not None and len(kind.elements) == len(values):
        return kind.elements
    return [text.Type(text.UNKNOWN_SPEC)] * len(values)
