"""Ranks that should do the same: those of one stage of a pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from opdiff.ranks.calls import Calls, members_of


def stages_of(calls: Mapping[int, Calls]) -> dict[int, int | None]:
    """Of each rank, its stage: how many ranks hand on what the first one has begun.

    The first stage begins by sending. Every other begins by receiving, from the stage before it;
    where traces do not name the other rank, all that is known is that it is not the first.
    """
    stages = {rank: _stage(rank, calls) for rank in sorted(calls)}
    unknown = [rank for rank, stage in stages.items() if stage is None and calls[rank].first_peer]
    told = {rank: _stage_of_fellows(rank, calls, stages) for rank in unknown}
    return {**stages, **told}


def _stage_of_fellows(
    rank: int, calls: Mapping[int, Calls], stages: Mapping[int, int | None]
) -> int | None:
    """The stage of its smallest group, where the rank before it is missing."""
    groups = [members_of(here.members) for here in calls[rank].groups]
    for members in sorted(groups, key=len):
        known = Counter(stage for member in members if (stage := stages.get(member)) is not None)
        if known:
            return known.most_common(1)[0][0]
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
