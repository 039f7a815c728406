"""Where the ranks of a communication group part: the call at which a cluster hangs.

And which ranks should do the same: those of one stage of a pipeline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from opdiff.ranks.calls import CallList, Calls
from opdiff.structure.runs import runs_text
from opdiff.wording import Sentence

_FEWEST_WITNESSES = 2
"""So many others have to agree before a rank's own word is not believed."""
_NONE = CallList.of((), ())


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
    groups = [here.members for here in calls[rank].groups]
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


@dataclass(frozen=True, slots=True)
class Parting:
    """Ranks that call something else than the others of their group."""

    group: str
    """The name of a group, or ``0 → 1`` for what one rank sends to another."""
    index: int
    """The how-many-th call of the group it is, from 1."""
    ranks: tuple[int, ...]
    """Those that part."""
    others: tuple[int, ...]
    """Those that agree with each other."""
    expected: str
    """What the others call; empty where they call nothing more."""
    found: str
    """What those that part call; empty where they call nothing more."""
    line: int | None
    """The line of that call, in the trace of :attr:`line_rank`."""
    line_rank: int
    counts: tuple[int, int]
    """How many calls the first that parts makes in all, and how many the others make."""
    majority: bool = True
    """Whether more ranks agree than part."""
    peers: bool = False
    """Whether it is about what one rank sends to another."""

    def sentence(self) -> Sentence:
        """What to tell."""
        if self.peers:
            return self._of_peers()
        if self.found and self.expected:
            code = "ranks.parts-many" if self.majority else "ranks.parts-even"
        else:
            code = "ranks.parts-nothing" if self.expected else "ranks.parts-more"
        return Sentence.of(
            code,
            ranks=rank_list(self.ranks),
            found=self.found,
            expected=self.expected,
            others=len(self.others) if self.majority else rank_list(self.others),
            index=self.index,
            group=self.group or "–",
            calls=self.counts[0],
            expected_calls=self.counts[1],
        )

    def _of_peers(self) -> Sentence:
        code = "ranks.pair" if self.found else "ranks.pair-lost"
        return Sentence.of(
            code if self.expected else "ranks.pair-unsent",
            receiver=rank_list(self.ranks),
            sender=rank_list(self.others),
            found=self.found,
            expected=self.expected,
            index=self.index,
            calls=self.counts[0],
            expected_calls=self.counts[1],
        )


def rank_list(ranks: Iterable[int]) -> str:
    """``0-3, 8``."""
    return runs_text(sorted(ranks), most=None, dash="-")


def partings(
    calls: Mapping[int, Calls], families: Sequence[Sequence[int]] | None = None
) -> list[Parting]:
    """Where the ranks of each group part, and sends that nobody receives so.

    Groups that no trace names are looked at within *families* of ranks that should do the same.
    """
    found: list[Parting] = []
    for name, ranks in _groups(calls, families or [sorted(calls)]).items():
        found += _part(name[0], ranks)
    found += _peers(calls)
    return sorted(found, key=lambda parting: (parting.peers, parting.index, parting.ranks))


def _groups(
    calls: Mapping[int, Calls], families: Sequence[Sequence[int]]
) -> dict[tuple[str, tuple[int, ...]], dict[int, CallList]]:
    """For every group the calls of each rank that belongs to it and has a trace."""
    family = {rank: number for number, ranks in enumerate(families) for rank in ranks}
    found: dict[tuple[str, tuple[int, ...]], dict[int, CallList]] = {}
    members: dict[tuple[str, tuple[int, ...]], set[int]] = {}
    for rank, mine in calls.items():
        for here in mine.groups:
            named, listed = bool(here.group or here.runs), here.members
            # Of groups of one name some may be of other ranks, as each stage has its own.
            apart = tuple(listed[:1])
            key = (here.group or rank_list(listed), apart if named else (family.get(rank, -1),))
            found.setdefault(key, {})[rank] = here.calls
            members.setdefault(key, set()).update(listed)
    for key, ranks in members.items():
        for rank in ranks:
            if rank in calls:
                found[key].setdefault(rank, _NONE)
    return found


def _part(group: str, calls: Mapping[int, CallList]) -> Iterator[Parting]:
    """At each call most are right; who calls something else is told and followed no more."""
    if len({each.digest for each in calls.values()}) <= 1:
        return
    texts = {rank: _texts(each) for rank, each in calls.items()}
    agreeing = sorted(texts)
    index = 0
    while len(agreeing) > 1:
        index = _agree_until(agreeing, texts, index)
        words = {rank: texts[rank][index] if index < len(texts[rank]) else "" for rank in agreeing}
        counted = Counter(words.values())
        if len(counted) == 1:
            return
        # Of equally many, what the first rank calls; and rather something than nothing.
        first = {word: place for place, word in reversed(list(enumerate(words.values())))}
        expected = min(counted, key=lambda word: (-counted[word], not word, first[word]))
        stay = [rank for rank in agreeing if words[rank] == expected]
        for word in counted:
            if word == expected:
                continue
            parted = tuple(rank for rank in agreeing if words[rank] == word)
            mine = calls[parted[0]]
            yield Parting(
                group,
                index + 1,
                parted,
                tuple(stay),
                expected,
                word,
                int(mine.lines()[index]) if word else None,
                parted[0],
                (mine.count, calls[stay[0]].count),
                majority=len(stay) > len(parted),
            )
        agreeing = stay


def _agree_until(ranks: Sequence[int], texts: Mapping[int, Sequence[str]], index: int) -> int:
    """The first place from *index* on where they do not all say the same."""
    lists = [texts[rank] for rank in ranks]
    shortest = min(map(len, lists))
    first, others = lists[0], lists[1:]
    while index < shortest and all(other[index] == first[index] for other in others):
        index += 1
    return index


def _texts(calls: CallList) -> list[str]:
    words = calls.words
    return [words[number] for number in calls.numbers().tolist()]


def _peers(calls: Mapping[int, Calls]) -> Iterator[Parting]:
    """What one rank sends another against what that one receives, in their order."""
    sent = {
        (rank, here.peer): here.calls
        for rank, mine in calls.items()
        for here in mine.peers
        if here.sends
    }
    received = {
        (here.peer, rank): here.calls
        for rank, mine in calls.items()
        for here in mine.peers
        if not here.sends
    }
    for pair in sorted({*sent, *received}):
        sender, receiver = pair
        # Of a rank without a trace nobody knows what it sent.
        if sender not in calls or receiver not in calls:
            continue
        out, come = sent.get(pair, _NONE), received.get(pair, _NONE)
        if out.digest == come.digest:
            continue
        wanted, got = _texts(out), _texts(come)
        index = _agree_until([0, 1], {0: wanted, 1: got}, 0)
        # Traces without operands only tell how many there are.
        expected = wanted[index] or "Send" if index < len(wanted) else ""
        found = got[index] or "Receive" if index < len(got) else ""
        yield Parting(
            f"{sender} → {receiver}",
            index + 1,
            (receiver,),
            (sender,),
            expected,
            found,
            int((come if found else out).lines()[index]),
            receiver if found else sender,
            (come.count, out.count),
            majority=False,
            peers=True,
        )
