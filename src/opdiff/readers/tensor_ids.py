"""Numbers for tensors in files that name them in other ways, or not at all."""

from __future__ import annotations

from collections.abc import Hashable


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

    def renew(self, key: Hashable) -> int:
        """A new number for a key: what it names is another tensor from now on."""
        number = self._numbers[key] = self.fresh()
        return number

    def fresh(self) -> int:
        """A number that nothing else has."""
        self._last += 1
        return self._last
