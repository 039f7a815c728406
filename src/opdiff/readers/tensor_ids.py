"""Numbers for tensors in files that name them in other ways, by their memory, or not at all."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from opdiff.trace import Operand, TensorSpec

T = TypeVar("T", bound=Hashable)

_FEW = 8


class TensorIds:
    """Gives every key one number, and numbers of their own to what has no key."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._last = 0

    def of(self, key: Hashable) -> int:
        """The number of a key, from 1."""
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = self.fresh()
        return number

    def knows(self, key: Hashable) -> bool:
        """Whether a key has a number."""
        return key in self._numbers

    def give(self, key: Hashable, number: int) -> None:
        """Let a key have the number of another one from now on."""
        self._numbers[key] = number

    def fresh(self) -> int:
        """A number that nothing else has."""
        self._last += 1
        return self._last


class Stored(NamedTuple):
    """A tensor, and the name of the memory that it lies in; None where it has none."""

    place: Hashable
    spec: TensorSpec
    name: Hashable = None
    """Its own name, where it has one: a view has another than what it is a view of."""
    may_be_a_number: bool = False
    """Whether it looks like a number of Python's, which lies in memory only while an op runs."""


@dataclass(slots=True)
class _MemoryBlock:
    memory: int
    dtype: str
    written: int = 0
    """When it was last written; 0 for never."""
    names: Collection[Hashable] = ()
    """The tensors in it so far: mostly one, and there are as many blocks as tensors."""
    specs: Collection[TensorSpec] = ()
    """What they look like."""

    def holds(self, tensor: Stored) -> bool:
        """Whether a tensor may be one of those that were made in it."""
        return tensor.name in self.names or tensor.spec in self.specs

    def add(self, tensor: Stored) -> None:
        """A tensor lies in it, too."""
        self.specs = _with(self.specs, tensor.spec)
        if tensor.name is not None:
            self.names = _with(self.names, tensor.name)


def _with(held: Collection[T], one: T) -> Collection[T]:
    """The same and one more: a tuple while they are few, for a set takes five times as much."""
    if one in held:
        return held
    if isinstance(held, set):
        held.add(one)
        return held
    return (*held, one) if len(held) < _FEW else {*held, one}


class Storages:
    """Numbers for memory that is named by its address, a new one whenever it was used again.

    Nobody prints when memory is freed. But an op whose result lies in memory that it did not read
    got that memory anew; and a tensor that is read, but neither was made there nor looks like one
    that was, was put there by nobody the trace knows of: a number in Python, mostly.

    Calls nest: each begins, those within it begin and end, and it ends.
    """

    def __init__(self, ids: TensorIds | None = None, *, views_are_seen: bool = True) -> None:
        self._views_are_seen = views_are_seen
        """Whether ops that only make views are in the trace, so that every tensor was made once."""
        self._ids = ids or TensorIds()
        self._blocks: dict[Hashable, _MemoryBlock] = {}
        self._now = 0

    def begin(
        self, inputs: Sequence[Stored], around: tuple[int, Sequence[Stored]] | None = None
    ) -> tuple[int, list[Operand]]:
        """What a call reads, and when it began.

        *around* is the call that it is part of: when that began, and what it read. What is neither
        of its own nor written since was got to be filled. Numbers are no operands: no other format
        lists them as such.
        """
        self._now += 1
        if around is not None:
            since, given = around
            known = {tensor.place for tensor in given}
            for tensor in inputs:
                if tensor.place not in known and self._untouched(tensor.place, since):
                    self._renew(tensor)
        return self._now, [
            Operand(self._read(tensor), tensor.spec)
            for place, tensor in enumerate(inputs)
            if not (place and self._is_a_number(tensor))
        ]

    def end(
        self, began: int, inputs: Sequence[Stored], outputs: Sequence[Stored]
    ) -> tuple[list[Operand], bool]:
        """What a call has written, and whether it wrote anything that no call within it wrote.

        It wrote in place where it had read that memory, else into new memory.
        """
        self._now += 1
        own = {tensor.place for tensor in inputs}
        itself = any(self._untouched(tensor.place, began) for tensor in outputs)
        written = [Operand(self._write(tensor, own, began), tensor.spec) for tensor in outputs]
        return written, itself

    def _is_a_number(self, tensor: Stored) -> bool:
        if not tensor.may_be_a_number:
            return False
        block = self._blocks.get(tensor.place)
        if block is None or not block.written:
            return True
        return block.dtype != tensor.spec.dtype or not block.holds(tensor)

    def _untouched(self, place: Hashable, since: int) -> bool:
        block = self._blocks.get(place)
        return block is None or block.written < since

    def _read(self, tensor: Stored) -> int:
        if tensor.place is None:
            return self._ids.fresh()
        block = self._blocks.get(tensor.place)
        if self._is_a_number(tensor):
            return self._ids.fresh()
        if (
            block is None
            or block.dtype != tensor.spec.dtype
            or (self._views_are_seen and block.written and not block.holds(tensor))
        ):
            block = self._renew(tensor)
        return block.memory

    def _write(self, tensor: Stored, own: set[Hashable], began: int) -> int:
        if tensor.place is None:
            return self._ids.fresh()
        block = self._blocks.get(tensor.place)
        if block is None or (tensor.place not in own and block.written < began):
            block = self._renew(tensor)
        block.written = self._now
        block.dtype = tensor.spec.dtype
        block.add(tensor)
        return block.memory

    def _renew(self, tensor: Stored) -> _MemoryBlock:
        block = _MemoryBlock(self._ids.fresh(), tensor.spec.dtype)
        block.add(tensor)
        self._blocks[tensor.place] = block
        return block
