"""What can be wrong with a network, and in which ways it can be run correctly."""

from __future__ import annotations

from dataclasses import dataclass

EAGER = "eager"
NEEDS_SCALARS = "to be seen only where traces hold scalar arguments"


@dataclass(frozen=True)
class Bug:
    """One change of a network that makes its numbers or its gradients wrong.

    *place* is the layer (expert, time step, group of parameters) that has it; None means all that
    could. *ways* are the other ways of running in which the bug is recorded too; it is always
    recorded in the way of the good run. *held_out* keeps it away from whoever tunes the engine.
    *alike*: all places look the same in a trace, so that naming any of them is right.
    *shows* is the type of an op that only this bug executes, for graphs that name no lines.
    """

    name: str
    sort: str
    place: str | int | None = None
    ways: tuple[str, ...] = ()
    held_out: bool = False
    alike: bool = False
    shows: str = ""
    note: str = ""

    @property
    def key(self) -> str:
        """The name with the place, as cases and sites are called."""
        return site_key(self.name, self.place)

    def covers(self, key: str) -> bool:
        """Whether a site belongs to this bug."""
        name, _, place = key.partition("@")
        return name == self.name and (self.place is None or place == str(self.place))

    def may_cover(self, key: str) -> bool:
        """Whether a site of the good run looks as if it belonged to this bug."""
        return self.covers(key) or (self.alike and key.partition("@")[0] == self.name)


@dataclass(frozen=True)
class Variant:
    """Another way of running the same network with the same result."""

    way: str
    held_out: bool = False


def site_key(name: str, place: str | int | None) -> str:
    """``no_scale@2``, or the bare name where there is only one place."""
    return name if place is None else f"{name}@{place}"
