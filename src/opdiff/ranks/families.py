"""Ranks that should do the same: those of one stage of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping

from opdiff.ranks.calls import Calls, members_of

_FEWEST_WITNESSES = 2
"""So many others have to agree before a rank's own word is not believed."""


def stages_of(calls: Mapping[int, Calls]) -> dict[int, int | None]:
    """Of each rank, its stage: how many ranks hand on what the first one has begun.

    The first stage begins by sending. Every other begins by receiving, from the stage before it;
    where traces do not name the other rank, all that is known is that it is not the first.
    """
    stages = {rank: _stage(rank, calls) for rank in sorted(calls)}
    told = {rank: _stage_of_fellows(rank, calls, stages) for rank in stages}
    return {rank: stage if told[rank] is None else told[rank] for rank, stage in stages.items()}


def _stage_of_fellows(
    rank: int, calls: Mapping[int, Calls], stages: Mapping[int, int | None]
) -> int | None:
    """The stage that all others of a group have: a rank may have lost its first word, or the rank
    before it its trace. The group of all ranks does not tell.
    """
    if calls[rank].first_peer is None:
        return None
    groups = [members_of(here.members) for here in calls[rank].groups]
    for members in sorted(groups, key=len):
        others = [member for member in members if member != rank and member in stages]
        found = {stages[member] for member in others}
        needed = 1 if stages[rank] is None else _FEWEST_WITNESSES
        if needed <= len(others) < len(stages) - 1 and len(found) == 1:
            return found.pop()
    return None


def _stage(rank: int, calls: Mapping[int, Calls]) -> int | None:
    seen: set[int] = set()
    depth = 0
    here = calls[rank]
    while here.first_peer is not None:
        sends, peer = here.first_peer
        if sends:
            return depth
        if peer is None:
            return depth + 1
        if peer in seen or peer not in calls:
            return None  # the rank before it has no trace, or all wait for each other
        seen.add(peer)
        depth += 1
        here = calls[peer]
    return depth if depth else None


def families_of(calls: Mapping[int, Calls]) -> list[list[int]]:
    """Ranks by their stage; those of which nothing is known are one family of their own."""
    families: dict[int | None, list[int]] = {}
    for rank, stage in stages_of(calls).items():
        families.setdefault(stage, []).append(rank)
    return list(families.values())
