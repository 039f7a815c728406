"""The same op reads the same values: pairs that do not are questioned, what is left over is found.

Two ops are congruent if they do the same and what they read is paired. The order alone pairs
layers with their neighbours, branches that ran in another order with each other, one schedule
with another; each leaves pairs whose inputs contradict them. Where pairing otherwise, and letting
congruence carry on from there, leaves fewer contradictions, it is done.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from opdiff.compare.components import joined
from opdiff.compare.matching import Matching
from opdiff.compare.names.argument_texts import ARGUMENTS
from opdiff.compare.pairing.sums import Sums
from opdiff.compare.sides.prepared import Asked, Prepared, codes_of, kept_inputs, paired_inputs
from opdiff.progress import Progress
from opdiff.structure import Phase
from opdiff.trace.columns import Flags, Ints, Longs, marked
from opdiff.trace.sorting import among, distinct, fresh
from opdiff.trace.traits import Trait

_FARTHEST = 32
"""How many pairs congruence carries on for the sake of a trial."""
_MOST_TRIALS = 4_000
_MOST_SWEEPS = 64
"""How often the totals of sums are looked for while contradictions are settled."""
_ASKED, _ASKED_A_ROW = 30_000, 4
"""How often trials may ask whether two ops read the same. Real pairs ask twice a row at most."""
_CANDIDATES = 6
_PAIR = 2
"""Differences fewer where two ops that are alone become a pair."""
_FEEDS = 256
_MOST_FOLLOWED = 1024
_NEAREST = 64
"""Readers of one value that are looked at, where very many read it."""

Trial = tuple[tuple[int, int], ...]
"""Pairs that are tried at once."""


class Congruence:
    """Settles contradictions and finds what is congruent, in the matching it is given."""

    def __init__(
        self,
        left: Prepared,
        right: Prepared,
        matching: Matching,
        free: tuple[Flags, Flags],
        progress: Progress,
    ) -> None:
        self._sides = (left, right)
        self._matching = matching
        self._partner = matching.partner
        self._mate = matching.mate
        self._present: dict[int, int] = {}
        """How many inputs contradict a left row, since somebody was last paired otherwise."""
        self._free = (free[0].data, free[1].data)
        self._passes = (left.passes.data, right.passes.data)
        self._outside = (left.outside.data, right.outside.data)
        self._rows = (left.trace.values.rows, right.trace.values.rows)
        self._fixed = matching.fixed[0].data
        self._progress = progress
        self._code = codes_of(left, right)[0]
        self._coded = (self._code[0].data, self._code[1].data)
        self._family = (left.family.data, right.family.data)
        self._tells = (left.tells_outputs.data, right.tells_outputs.data)
        self._by_place = Asked(partial(_by_place, right, self._coded[1]))
        self._sums = Sums((left, right), matching)
        self._adds = (left.adds.data, right.adds.data)
        self._hidden = (left.hidden, right.hidden)
        self._lookalikes: dict[int, list[int]] = {}
        self._any_order = left.any_order

    # Contradictions

    def pair_outside(self) -> bool:
        """Pair values from outside, parameters above all; whether any is paired otherwise now.

        Where both sides update equally many of a sort, they are known by that order. Else by
        what most of their readers say whose other inputs agree; else if they are the only ones
        left of their dtype and shape.
        """
        left, right = self._sides
        before = self._partner[0][left.trace.values.rows :].copy()
        for side, values in zip(self._partner, (left, right), strict=True):
            side[values.trace.values.rows :] = -1
        only_ones = self._by_elimination  # what is read beside them tells the others
        for found in (self.by_updates, only_ones, self._by_votes, only_ones):
            mine, theirs = found()
            new = (self._partner[0][mine] < 0) & (self._partner[1][theirs] < 0)
            new &= left.outside[mine] & right.outside[theirs]
            self._partner[0][mine[new]] = theirs[new]
            self._partner[1][theirs[new]] = mine[new]
        return not np.array_equal(before, self._partner[0][left.trace.values.rows :])

    def by_updates(self) -> tuple[Ints, Ints]:
        """Parameters as the optimizers update them.

        The first of a dtype and shape with the first, if there are equally many.
        """
        lots = []
        for side in self._sides:
            values, specs = side.updated
            by_look: dict[tuple[int, bool], list[int]] = {}
            for value, look in zip(values.tolist(), side.dense[specs].tolist(), strict=True):
                by_look.setdefault((look, value < len(side.trace)), []).append(value)
            lots.append(by_look)
        pairs = [
            pair
            for look, mine in lots[0].items()
            if len(mine) == len(lots[1].get(look, ()))
            for pair in zip(mine, lots[1][look], strict=True)
        ]
        found = np.array(pairs, np.int32).reshape(-1, 2)
        return found[:, 0], found[:, 1]

    def _by_votes(self) -> tuple[Ints, Ints]:
        left, right = self._sides
        rows, others = self._computing_pairs()
        here, there, owner = paired_inputs(left, right, rows, others)
        mine, theirs = left.value[here], right.value[there]
        outside = left.outside[mine] & right.outside[theirs]
        for side, values in ((left, mine), (right, theirs)):
            if side.hidden:
                outside &= ~among(values, list(side.hidden))
        agree = self._partner[0][mine] == theirs
        # A reader's word counts where all else that it reads agrees.
        sound = marked(len(rows), owner[agree])
        sound[owner[~agree & ~outside]] = False
        voting = outside & sound[owner]
        voting &= (
            left.dense[left.trace.inputs.spec[here]]
            == (right.dense[right.trace.inputs.spec[there]])
        )
        mine, theirs = mine[voting].astype(np.int64), theirs[voting].astype(np.int64)
        width = np.int64(right.trace.values.count)
        pairs, first, lot, votes = np.unique(
            mine * width + theirs, return_index=True, return_inverse=True, return_counts=True
        )
        # The backward repeats what the forward says, of some ops; the earlier reader breaks a tie.
        early = (left.phase[rows] == Phase.FORWARD) & (right.phase[others] == Phase.FORWARD)
        said = np.bincount(lot, early[owner[voting]], len(pairs)).astype(np.int64)
        every = np.int64(len(here) + 1)
        weight = np.where(said > 0, (said + every) * every, votes * every) - first
        mine, theirs = pairs // width, pairs % width
        best = _leaders(mine, weight) & _leaders(theirs, weight)
        return mine[best].astype(np.int32), theirs[best].astype(np.int32)

    def _by_elimination(self) -> tuple[Ints, Ints]:
        single = [self._single(side) for side in (0, 1)]
        both = sorted(single[0].keys() & single[1].keys())
        return (
            np.array([single[0][look] for look in both], np.int32),
            np.array([single[1][look] for look in both], np.int32),
        )

    def _single(self, side: int) -> dict[int, int]:
        """Of each dtype and shape that one value from outside alone has, that value."""
        prepared = self._sides[side]
        values = prepared.trace.values
        operand = np.flatnonzero(prepared.kept & (prepared.source >= values.rows))
        value, first = np.unique(prepared.source[operand], return_index=True)
        look = prepared.dense[prepared.trace.inputs.spec[operand[first]]]
        free = self._partner[side][value] < 0
        looks, place, count = np.unique(look[free], return_index=True, return_counts=True)
        once = count == 1
        return dict(zip(looks[once].tolist(), value[free][place[once]].tolist(), strict=True))

    def settle(self) -> bool:
        """Pair otherwise what leaves fewer contradictions so; whether anything changed."""
        self._lookalikes = self._find_lookalikes()
        self._present.clear()
        changed = bool(self.pair_totals())
        waiting = deque(sorted({*self._contradicted(), *self._lookalikes}))
        tried: dict[int, int] = {}
        trials = sweeps = 0
        while waiting and trials < _MOST_TRIALS and not self._exhausted:
            row = waiting.popleft()
            if tried.get(row, 0) > 3 or not self._contrary_now(row):
                continue
            tried[row] = tried.get(row, 0) + 1
            most, best = 0, None
            for trial in (*((pair,) for pair in self._candidates(row)), *self._together(row)):
                trials += 1
                gain = self._gain(trial, most)
                if gain > most:
                    most, best = gain, trial
            self._progress.report("aligning", 1, 1)
            if best is not None:
                changed = True
                waiting.extend(self._adopt(best))
            if not waiting and sweeps < _MOST_SWEEPS and (new := self.pair_totals()):
                sweeps += 1
                changed = True
                self._present.clear()
                readers = {reader for top in new for reader in self._sides[0].readers(top)}
                waiting.extend(sorted(each for each in readers if self._contrary_now(each)))
        if self._exhausted:
            self._matching.coarse = max(self._matching.coarse, len(waiting))
        return changed

    def pair_firsts(self) -> None:
        """Pair what both sides compute first, where one of them was paired with a repeat of it.

        What reads a repeat reads the first: they are one value.
        """
        twins = [side.twin.data for side in self._sides]
        rows, others = self._matching.paired()
        for side, again in ((0, others), (1, rows)):
            repeats = again[self._sides[1 - side].twin[again] != again].tolist()
            mates = self._mate[side], self._mate[1 - side]
            for there in repeats:
                here, first = mates[1][there], twins[1 - side][there]
                if here < 0 or twins[side][here] != here:
                    continue
                other = mates[1][first]
                free = self._free[side][here] and self._free[1 - side][first]
                if free and (other < 0 or twins[side][other] == here):
                    self._rejoin(side, here, first)
                    if other >= 0:
                        self._rejoin(side, other, there)

    def _rejoin(self, side: int, here: int, there: int) -> None:
        row, other = (here, there) if side == 0 else (there, here)
        self._matching.pair(row, other, late=True)

    def pair_totals(self) -> list[int]:
        """Pair what is alone and the total of the same terms, in whatever steps; the left rows.

        Gradients are added up one by one, or all at once; what reads their sum is told by it.
        """
        rows = np.flatnonzero(self._partner[0][: self._rows[0]] < 0)
        free = self._free
        found = []
        for row, other in self._sums.totals(rows[self._sides[0].adds[rows]].tolist()):
            alone = self._mate[0][row] < 0 and self._mate[1][other] < 0
            if alone and free[0][row] and free[1][other]:
                self._matching.pair(row, other, late=True)
                found.append(row)
        return found

    @property
    def _exhausted(self) -> bool:
        """Whether trials have asked so much that the traces are not worth it: they are unlike."""
        return self._matching.asked > _ASKED + _ASKED_A_ROW * sum(self._matching.rows)

    def _computing_pairs(self) -> tuple[Ints, Ints]:
        rows, others = self._matching.paired()
        both = ~(self._sides[0].passes[rows] | self._sides[1].passes[others])
        return rows[both], others[both]

    def _contradicted(self) -> list[int]:
        """Paired left rows one of whose inputs comes from elsewhere, ascending."""
        left, right = self._sides
        rows, others = self._computing_pairs()
        here, there, owner = paired_inputs(left, right, rows, others)
        partner, back = self._partner[0][left.value[here]], self._partner[1][right.value[there]]
        doubtful = partner != right.value[there]
        if not self._hidden[0] and not self._hidden[1]:
            # Of two values without counterparts nothing is known.
            telling = left.tells_outputs[rows] & right.tells_outputs[others]
            doubtful &= (partner >= 0) | (back >= 0) | telling[owner]
        which, other_which = left.results[here], right.results[there]
        doubtful |= (which != other_which) & (which >= 0) & (other_which >= 0)
        asked = distinct(rows[owner[doubtful]]).tolist()
        return [row for row in asked if self._contrary_now(row)]

    def _contrary(self, row: int, mine: dict[int, int], theirs: dict[int, int]) -> int:
        """How many inputs of a pair contradict it; an anchor holds whatever it reads."""
        other = mine.get(row, self._mate[0][row])
        if other < 0 or self._fixed[row]:
            return 0
        verdicts = self._verdicts(row, other, mine, theirs)
        unlike = row in self._lookalikes and self._unlike(row, other)
        return verdicts.count(False) + unlike

    def _contrary_now(self, row: int) -> int:
        """The same as things are; asked again by every trial until one is adopted."""
        found = self._present.get(row)
        if found is None:
            found = self._present[row] = self._contrary(row, {}, {})
        return found

    def _find_lookalikes(self) -> dict[int, list[int]]:
        """Of left rows whose partners look otherwise, those of the right that look the same.

        Only where as many of these have partners of other looks: branches that changed places.
        """
        rows, others = self._computing_pairs()
        unlike = self._code[0][rows] != self._code[1][others]
        mine, theirs = rows[unlike].tolist(), others[unlike].tolist()
        by_code: dict[int, tuple[list[int], list[int]]] = {}
        for side, several in ((0, mine), (1, theirs)):
            for row in several:
                by_code.setdefault(self._coded[side][row], ([], []))[side].append(row)
        return {
            row: there
            for here, there in by_code.values()
            if len(here) == len(there)
            for row in here
        }

    def verdicts(self, row: int, other: int) -> list[bool | None]:
        """Of each compared input, whether both sides read the same; None where nothing is known."""
        return self._verdicts(row, other, {}, {})

    def _verdicts(
        self, row: int, other: int, mine: dict[int, int], theirs: dict[int, int]
    ) -> list[bool | None]:
        """The same under a trial that pairs some values otherwise."""
        self._matching.asked += 1
        left, right = self._sides
        values, others = left.read_by(row), right.read_by(other)
        if len(values) != len(others):
            return []
        if self._hidden[0] or self._hidden[1]:
            same = self._same
            found = [
                same(value, there, mine, theirs)
                for value, there in zip(values, others, strict=True)
            ]
        else:
            same, mate = self._same_seen, self._mate[0]
            found = [
                mine.get(value, mate[value]) == there or same(value, there, mine, theirs)
                for value, there in zip(values, others, strict=True)
            ]
        if self._tells[0][row] and self._tells[1][other]:
            which, other_which = left.outputs_read_by(row), right.outputs_read_by(other)
            if which != other_which:
                found = [
                    False if verdict and 0 <= one != another >= 0 else verdict
                    for verdict, one, another in zip(found, which, other_which, strict=True)
                ]
        if self._adds[0][row] and False in found and self._sums.same_total(row, other):
            return [None if verdict is False else verdict for verdict in found]
        if len(values) == 2 and False in found and self._any_order[row]:
            crossed = [
                same(value, there, mine, theirs)
                for value, there in zip(values, others[::-1], strict=True)
            ]
            if False not in crossed:
                return crossed
        return found

    def _same(
        self, value: int, other: int, mine: dict[int, int], theirs: dict[int, int]
    ) -> bool | None:
        if value in self._hidden[0] or other in self._hidden[1]:
            return None if self._may_be_copies(value, other, mine, theirs) else False
        return self._same_seen(value, other, mine, theirs)

    def _same_seen(
        self, value: int, other: int, mine: dict[int, int], theirs: dict[int, int]
    ) -> bool | None:
        """The same of values that no hidden copy made."""
        partner = mine.get(value, self._mate[0][value])
        if partner == other:
            return True
        back = theirs.get(other, self._mate[1][other])
        if partner >= 0 and back >= 0:
            if self._adds[0][value] and self._sums.same_sum(value, other):
                return True
            return None if self._updated_there(value, other, back, partner) else False
        if partner < 0 and back < 0:
            return None
        # One of the two has no counterpart: it may stand in between, for what it reads itself.
        if partner < 0:
            return None if self._feeds(0, back, value, mine) else False
        return None if self._feeds(1, partner, other, theirs) else False

    def _may_be_copies(
        self, value: int, other: int, mine: dict[int, int], theirs: dict[int, int]
    ) -> bool:
        """Whether hidden copies may have copied the same on both sides."""
        hidden, other_hidden = self._hidden
        return any(
            self._same_seen(here, there, mine, theirs) is not False
            for here in hidden.get(value, (value,))
            for there in other_hidden.get(other, (other,))
        )

    def _updated_there(self, value: int, other: int, back: int, partner: int) -> bool:
        """Whether one side reads a state that the other side's op hands on as a result.

        Eager code updates running statistics in place, compiled code returns them.
        """
        rows, others = self._rows
        if self._outside[0][value] and other < others and back < rows:
            return value in self._sides[0].read_by(back)
        if self._outside[1][other] and value < rows and partner < others:
            return other in self._sides[1].read_by(partner)
        return False

    def _feeds(self, side: int, source: int, value: int, partners: dict[int, int]) -> bool:
        """Whether a paired value is one of those that a value without counterpart is made from."""
        prepared, partner = self._sides[side], self._mate[side]
        rows = prepared.trace.values.rows
        if value >= rows:
            return False
        readers = prepared.readers(source)
        for reader in readers if len(readers) < _NEAREST else ():
            if reader == value or (reader < value and partners.get(reader, partner[reader]) < 0):
                break
        else:
            if len(readers) < _NEAREST:
                return False  # all that is made from it has counterparts
        earliest = source if source < rows else 0  # what ran before it was not made from it
        read_by = prepared.read_by
        seen = {value}
        waiting = [value]
        while waiting and len(seen) < _FEEDS:
            for read in read_by(waiting.pop()):
                if read == source:
                    return True
                if earliest < read < rows and read not in seen:
                    seen.add(read)
                    if partners.get(read, partner[read]) < 0:
                        waiting.append(read)
        return False

    # Trials

    def _candidates(self, row: int) -> list[tuple[int, int]]:
        """Pairs to try where a pair is contradicted: of its readers or of what they read."""
        left, right = self._sides
        other = self._mate[0][row]
        found: dict[tuple[int, int], None] = {}
        alike = sorted(self._lookalikes.get(row, ()), key=lambda there: abs(there - other))
        found.update(dict.fromkeys((row, there) for there in alike[:_CANDIDATES]))
        places = zip(left.read_by(row), right.read_by(other), strict=False)
        for place, (value, there) in enumerate(places):
            partner, back = self._mate[0][value], self._mate[1][there]
            if partner == there and not self._other_result(row, other, place):
                continue
            if partner != there and self._may_pair(value, there):
                found[value, there] = None
            if back >= 0:
                for candidate in self._like_readers(0, back, place, row, self._coded[1][other]):
                    found[candidate, other] = None
            if partner >= 0:
                for candidate in self._like_readers(1, partner, place, other, self._coded[0][row]):
                    found[row, candidate] = None
        return [pair for pair in found if self._may_pair(*pair) and not self._worse(*pair)]

    def _together(self, row: int) -> Iterator[Trial]:
        """All that reads one value at once, where a pair is contradicted that reads it.

        Several products of one value, each paired with another's, hold each other in place by the
        sums that read two of them: one by one none is better elsewhere.
        """
        left, right = self._sides
        values = dict.fromkeys(left.read_by(row))
        others = right.read_by(self._mate[0][row])
        values.update(dict.fromkeys(v for o in others if (v := self._mate[1][o]) >= 0))
        for value in values:
            trial = self._readers_alike(value)
            if len(trial) > 1:
                yield trial

    def _readers_alike(self, value: int) -> Trial:
        """Readers of a value, each with the only one that may be its counterpart and is not."""
        other = self._mate[0][value]
        readers = self._sides[0].read_where(value)
        if other < 0 or len(readers) > _NEAREST:
            return ()
        by_place = self._by_place[other]
        found = []
        for reader, place in readers:
            present = self._mate[0][reader]
            candidates = by_place.get((place, self._coded[0][reader]), ())[:_NEAREST]
            # Most readers have nothing against their partners.
            if not candidates or (present in candidates and self._fits(reader, present)):
                continue
            fitting = (there for there in candidates if self._fits(reader, there))
            first = next(fitting, None)
            if first is not None and next(fitting, None) is None:
                found.append((reader, first))
        return tuple(found)

    def _fits(self, row: int, other: int) -> bool:
        """Whether two rows may be paired, and nothing that they read contradicts it."""
        return self._may_pair(row, other) and False not in self._verdicts(row, other, {}, {})

    def _other_result(self, row: int, other: int, place: int) -> bool:
        """Whether two rows read another of several results at a place, where both sides tell."""
        left, right = self._sides
        one, another = left.outputs_read_by(row)[place], right.outputs_read_by(other)[place]
        return 0 <= one != another >= 0

    def _worse(self, row: int, other: int) -> bool:
        """Whether two rows contradict each other more than the pairs they are part of.

        What they read may change partners with them.
        """
        rows = (row, self._mate[1][other])
        present = max(self._contrary_now(here) if here >= 0 else 0 for here in rows)
        verdicts = self._verdicts(row, other, {}, {})
        reads = zip(self._sides[0].read_by(row), self._sides[1].read_by(other), strict=False)
        lasting = [
            verdict is False and not self._may_pair(value, there)
            for verdict, (value, there) in zip(verdicts, reads, strict=False)
        ]
        return sum(lasting) > present

    def _like_readers(self, side: int, value: int, place: int, near: int, code: int) -> list[int]:
        prepared, coded = self._sides[side], self._coded[side]
        few = _few_nearest(prepared.readers(value), near)
        alike = [
            row
            for row, at in prepared.read_where(value)[few]
            if at == place and row != near and coded[row] == code
        ]
        return sorted(alike, key=lambda row: abs(row - near))[:_CANDIDATES]

    def _may_pair(self, row: int, other: int) -> bool:
        if row >= self._rows[0] or other >= self._rows[1]:
            return False
        return (
            self._coded[0][row] == self._coded[1][other]
            and bool(self._free[0][row] and self._free[1][other])
            and not (self._passes[0][row] or self._passes[1][other])
        )

    def _gain(self, trial: Trial, least: int) -> int:
        """How many differences fewer there are if some rows are paired; or *least*, if no more.

        A contradiction is one; two ops that lose each other are one each.
        """
        mine, theirs = self._carried(trial, _FARTHEST)
        concerned = self._concerned(mine, theirs)
        lost = sum(self._mate[0][here] >= 0 for here in mine) - sum(v >= 0 for v in mine.values())
        gain = sum(map(self._contrary_now, concerned)) - 2 * lost
        for here in concerned:
            if gain <= least:
                return least
            gain -= self._contrary(here, mine, theirs)
        return gain

    def _concerned(self, mine: dict[int, int], theirs: dict[int, int]) -> set[int]:
        """The left rows whose pairs look otherwise after a trial."""
        left, right = self._sides
        concerned = set(mine)
        for row in mine:
            concerned.update(left.readers(row))
        for other in theirs:
            concerned.update(self._mate[1][reader] for reader in right.readers(other))
        concerned.discard(-1)
        return concerned

    def _carried(self, trial: Trial, farthest: int) -> tuple[dict[int, int], dict[int, int]]:
        """Who is paired otherwise if some rows are paired and congruence carries on from there."""
        mine: dict[int, int] = {}
        theirs: dict[int, int] = {}
        waiting = deque(trial)
        steps = 0
        while waiting and steps < farthest:
            here, there = waiting.popleft()
            if mine.get(here, -1) >= 0 or theirs.get(there, -1) >= 0:
                continue
            steps += 1
            lost = self._mate[1][there], self._mate[0][here]
            mine[here], theirs[there] = there, here
            if lost[0] >= 0:
                mine.setdefault(lost[0], -1)
            if lost[1] >= 0:
                theirs.setdefault(lost[1], -1)
            waiting.extend(self._makers(here, there, mine, theirs))
            waiting.extend(self._followers(here, there, mine, theirs))
        for there in sorted(there for there, here in theirs.items() if here < 0):
            here = self._left_over(there, mine)
            if here >= 0:
                self._exchange(here, there, mine, theirs)
        return mine, theirs

    def _left_over(self, other: int, mine: dict[int, int]) -> int:
        """Who lost a partner to the one whose partner this was, or to the next, around a ring."""
        row = self._mate[1][other]
        while row >= 0 and mine.get(row, -1) >= 0:
            row = self._mate[1][mine[row]]
        return row

    def _makers(
        self, row: int, other: int, mine: dict[int, int], theirs: dict[int, int]
    ) -> Iterator[tuple[int, int]]:
        """What a new pair reads, where that contradicts it and may be a pair itself."""
        left, right = self._sides
        for value, there in zip(left.read_by(row), right.read_by(other), strict=False):
            if self._same(value, there, mine, theirs) is not False:
                continue
            if mine.get(value, -1) >= 0 or theirs.get(there, -1) >= 0:
                continue
            if self._may_pair(value, there):
                yield value, there

    def _unlike(self, row: int, other: int) -> bool:
        """Whether two rows are not alike, or one has no partner."""
        return row < 0 or other < 0 or bool(self._coded[0][row] != self._coded[1][other])

    def _exchange(self, row: int, other: int, mine: dict[int, int], theirs: dict[int, int]) -> None:
        """Let two who lost their partners have each other, if no more than now contradicts it."""
        if mine.get(row, -1) >= 0 or theirs.get(other, -1) >= 0 or not self._may_pair(row, other):
            return
        verdicts = self._verdicts(row, other, mine, theirs)
        hidden = any(value in self._hidden[0] for value in self._sides[0].read_by(row)) or any(
            value in self._hidden[1] for value in self._sides[1].read_by(other)
        )
        present = max(self._contrary_now(here) for here in (row, self._mate[1][other]))
        if (True in verdicts or hidden) and verdicts.count(False) <= present:
            mine[row], theirs[other] = other, row

    def _followers(
        self, row: int, other: int, mine: dict[int, int], theirs: dict[int, int]
    ) -> Iterator[tuple[int, int]]:
        """Readers of a new pair that are congruent now, and not each other's partners yet."""
        by_place, readers = self._by_place[other], self._sides[0].read_where(row)
        for reader, place in readers if by_place and len(readers) <= _MOST_FOLLOWED else ():
            code = self._coded[0][reader]
            candidates = by_place.get((place, code), ())
            if mine.get(reader, -1) >= 0:
                continue
            present = self._mate[0][reader]
            kept = present >= 0 and theirs.get(present, reader) == reader
            # A sum takes its terms in any order.
            if kept and (present in candidates or self._sums.same_total(reader, present)):
                continue
            turned = by_place.get((1 - place, code), ()) if self._any_order[reader] else ()
            if kept and present in turned:
                continue
            wanted = self._expected(reader, other)
            for several in (candidates, turned):
                near = several
                if len(near) > 1:
                    near = sorted(near, key=lambda place: abs(place - wanted))
                found = self._congruent(reader, near, mine, theirs, turned=several is turned)
                if found >= 0:
                    yield reader, found
                    break

    def _congruent(
        self,
        row: int,
        others: Sequence[int],
        mine: dict[int, int],
        theirs: dict[int, int],
        *,
        turned: bool,
    ) -> int:
        """The first of some that may be paired with a row, and which nothing contradicts; else -1.

        Of those that read what is paired at the other place, no addition of many: any would do.
        """
        for other in others:
            if theirs.get(other, -1) >= 0 or not self._may_pair(row, other):
                continue
            if turned and self._sums.among_others(row, other):
                continue
            if False not in self._verdicts(row, other, mine, theirs):
                return other
        return -1

    def _expected(self, row: int, near: int) -> int:
        """About where the counterpart of a row stands."""
        return near + row - self._mate[1][near] if self._mate[1][near] >= 0 else near

    def _adopt(self, trial: Trial) -> list[int]:
        """Pair some rows for good; the left rows whose inputs contradict them now."""
        mine, theirs = self._carried(trial, len(self._partner[0]))
        concerned = self._concerned(mine, theirs)
        for here in mine:
            self._matching.unpair(here)
        for there in theirs:
            if self._partner[1][there] >= 0:
                self._matching.unpair(self._mate[1][there])
        for here, there in mine.items():
            if there >= 0:
                self._matching.pair(here, there, late=True)
        self._present.clear()
        return sorted(here for here in concerned if self._contrary_now(here))

    # What is left over

    def extend(self, rows: Ints, others: Ints, linked: Mapping[int, frozenset[int]]) -> list[int]:
        """Pair what is alone on both sides and congruent; the left rows paired so.

        *linked* are, of each type, the others that are known to do its job.
        """
        left, right = self._sides
        kin = right.family[self._alone(1, others)]
        found: list[int] = []
        alike = among(left.family[self._alone(0, rows)], kin).any()
        for _ in range(4 if alike or self._of_known_names(rows, others, linked) else 0):
            new = [
                *self.pair_totals(),
                *self._by_inputs(rows, others),
                *self._by_readers(rows, others),
            ]
            new = new or self._by_known_names(rows, others, linked)
            new = new or self._by_exchange(rows, others)
            found += new
            if not new:
                break
        return found

    def _of_known_names(
        self, rows: Ints, others: Ints, linked: Mapping[int, frozenset[int]]
    ) -> list[int]:
        """Those left rows that are alone and have a name that is known for one that is alone."""
        left, right = self._sides
        there = set(right.type[self._alone(1, others)].tolist())
        alone = self._alone(0, rows)
        kinds = [
            kind
            for kind in distinct(left.type[alone]).tolist()
            if not there.isdisjoint(linked.get(kind, ()))
        ]
        rows_of: list[int] = alone[among(left.type[alone], kinds) & ~left.passes[alone]].tolist()
        return rows_of

    def _by_known_names(
        self, rows: Ints, others: Ints, linked: Mapping[int, frozenset[int]]
    ) -> list[int]:
        """Pair ops of names that are known to do one job, if all that they read agrees.

        Where both sides use both names, they are no family; here nothing else is left.
        """
        left, right = self._sides
        waiting = set(self._alone(1, others).tolist())
        found = []
        for row in self._of_known_names(rows, others, linked):
            known = linked[int(left.type[row])]
            fitting = [
                other
                for other in dict.fromkeys(self._reading_there(row, waiting))
                if int(right.type[other]) in known and self._agreement(row, other)
            ]
            if len(fitting) == 1:
                waiting.discard(fitting[0])
                self._matching.pair(row, fitting[0], late=True)
                found.append(row)
        return found

    def _by_exchange(self, rows: Ints, others: Ints) -> list[int]:
        """Pair ops that are alone and look alike if all agrees once what they read is exchanged.

        Products of one value are told apart by nothing but the sums that read them.
        """
        left = self._sides[0]
        alone, other_alone = self._alone(0, rows), self._alone(1, others)
        alone = alone[among(self._code[0][alone], self._code[1][other_alone])]
        waiting = set(other_alone.tolist())
        found: list[int] = []
        self._present.clear()
        for row in alone[~left.passes[alone]].tolist():
            for other in self._exchangeable(row, waiting):
                if not self._exhausted and self._gain(((row, other),), _PAIR - 1) >= _PAIR:
                    self._adopt(((row, other),))
                    waiting.discard(other)
                    found.append(row)
                    break
        return found

    def _exchangeable(self, row: int, waiting: set[int]) -> list[int]:
        """Those of some that look like a row and read what may be exchanged for what it reads."""
        right = self._sides[1]
        found: dict[int, None] = {}
        for place, value in enumerate(self._sides[0].read_by(row)):
            for maker in self._like_makers(value):
                readers = {row for row, at in right.read_where(maker)[:_NEAREST] if at == place}
                found.update(dict.fromkeys(waiting & readers))
        alike = [other for other in found if self._may_pair(row, other)]
        wanted = self._place(row) if len(alike) > 1 else 0
        return sorted(alike, key=lambda other: (abs(other - wanted), other))[:_CANDIDATES]

    def _like_makers(self, value: int) -> list[int]:
        """The partner of a value, and those of the ones that look like it and read what it does."""
        left, mate = self._sides[0], self._mate[0]
        found = {mate[value]: None}
        if value < left.trace.values.rows:
            for read in left.read_by(value):
                for like in left.readers(read)[:_NEAREST]:
                    if self._coded[0][like] == self._coded[0][value]:
                        found[mate[like]] = None
        return [there for there in found if there >= 0]

    def reading_pairs(self, rows: Ints) -> Flags:
        """Of each left row, whether it is one of these and reads a value that is paired."""
        left = self._sides[0]
        begin, operand = kept_inputs(left, rows)
        told = self._partner[0][left.value[operand]] >= 0
        return self._marked(np.repeat(rows, np.diff(begin))[told])

    def read_by_pairs(self, rows: Ints) -> Flags:
        """Of each left row, whether it is one of these and an op that is paired reads it."""
        left = self._sides[0]
        operand = left.computing_inputs
        told = self._partner[0][left.trace.values.reader_row[operand]] >= 0
        return self._marked(rows) & self._marked(left.value[operand[told]])

    def _marked(self, rows: Ints) -> Flags:
        return marked(self._sides[0].trace.values.count, rows)

    def _alone(self, side: int, rows: Ints) -> Ints:
        return rows[self._partner[side][rows] < 0]

    def _by_inputs(self, rows: Ints, others: Ints) -> list[int]:
        """Pair ops that are alone and read the same values, as far as these are paired."""
        left, right = self._sides
        alone, other_alone = self._alone(0, rows), self._alone(1, others)
        alone = alone[among(left.family[alone], right.family[other_alone])]
        waiting = set(other_alone.tolist())
        found = []
        near = bytearray(self._promising(alone, other_alone))
        for row in alone.tolist():
            if not near[row]:
                continue
            alike = [
                other
                for other in dict.fromkeys(self._reading_there(row, waiting))
                if self._family[0][row] == self._family[1][other]
                and not self._other_view(row, other)
            ] or self._turned(row, waiting)
            candidates = {other: self._agreement(row, other) for other in alike}
            most = max(candidates.values(), default=0)
            if most:
                best = [other for other, score in candidates.items() if score == most]
                other = best[0] if len(best) == 1 else self._nearest(row, best)
                waiting.discard(other)
                self._matching.pair(row, other, late=True)
                found.append(row)
                for reader in (*left.readers(row), *left.handers(row)):
                    near[reader] = True
        return found

    def _reading_there(self, row: int, waiting: set[int]) -> Iterator[int]:
        """Ops of some that read the counterpart of what a row reads, at the same place."""
        left = self._sides[0]
        places = left.telling_place[left.places_in(row)].tolist()
        for place, value in zip(places, left.read_by(row), strict=True):
            partner = self._mate[0][value]
            readers = self._reading(partner, row, place) if partner >= 0 else ()
            yield from (other for other in readers if other in waiting)

    def _turned(self, row: int, waiting: set[int]) -> Iterator[int]:
        """Ops of some that read the same two values as one whose inputs' order does not matter."""
        left, right = self._sides
        read = left.read_by(row)
        if len(read) != 2 or not self._any_order[row]:
            return
        met = tuple(self._mate[0][value] for value in read[::-1])
        if min(met) < 0:
            return
        for other in self._reading(met[0], row, 0):
            same = right.read_by(other) == met and self._family[0][row] == self._family[1][other]
            if same and other in waiting:
                yield other

    def _other_view(self, row: int, other: int) -> bool:
        """Whether two views of one value, made in two phases, are told to be of other parts."""
        left, right = self._sides
        if not left.passes[row] or left.phase[row] == right.phase[other]:
            return False
        told = _arguments(left, row), _arguments(right, other)
        return told[0] != told[1] and left.type[row] == right.type[other] and None not in told

    def _promising(self, rows: Ints, others: Ints) -> Flags:
        """Of each left row, whether one of the others, of its family, reads what it reads there."""
        names = []
        for side, alone in zip(self._sides, (rows, others), strict=True):
            begin, operand = kept_inputs(side, alone)
            reader = np.repeat(alone, np.diff(begin))
            place = np.minimum(side.telling_place[operand], 63)
            place[side.trace.has_trait(Trait.COMMUTATIVE)[reader]] = 0
            sort = (side.family[reader].astype(np.int64) * 2 + side.passes[reader]) * 64 + place
            names.append((reader, side.value[operand], sort))
        (reader, value, sort), (_, there, other_sort) = names
        partner = self._partner[0][value]
        width = np.int64(self._sides[1].trace.values.count)
        shared = among(sort * width + partner, other_sort * width + there) & (partner >= 0)
        return self._marked(reader[shared])

    def _agreement(self, row: int, other: int) -> int:
        """How far two ops that are alone read the same values; 0 where one contradicts the pair."""
        verdicts = self._verdicts(row, other, {}, {}) or self._in_common(row, other)
        agreeing = verdicts.count(True)
        alike = self._coded[0][row] == self._coded[1][other]
        # Of other shapes, or another name of the same job: only if all else agrees.
        if False in verdicts or agreeing < (1 if alike else len(verdicts)) or not agreeing:
            return 0
        return 2 * agreeing + bool(alike)

    def _in_common(self, row: int, other: int) -> list[bool | None]:
        """The same of two ops with another number of inputs: all of the fewer, in their order.

        Or all that depend on a tensor: a compiler folds the others into the op.
        """
        telling = self._telling(0, row), self._telling(1, other)
        if len(telling[0]) == len(telling[1]):
            same = [self._same(*values, {}, {}) for values in zip(*telling, strict=True)]
            return same if all(same) else []
        mine = [self._mate[0][value] for value in self._sides[0].read_by(row)]
        theirs = self._sides[1].read_by(other)
        fewer, more = sorted((mine, theirs), key=len)
        rest = iter(more)
        found = len(fewer) > 1 and all(value >= 0 and value in rest for value in fewer)
        return [True] * len(fewer) if found else []

    def _telling(self, side: int, row: int) -> list[int]:
        """The values that a row reads and that depend on a tensor."""
        prepared = self._sides[side]
        places = prepared.places_in(row)
        values: list[int] = prepared.value[places[~prepared.folded[places]]].tolist()
        return values

    def _reading(self, value: int, like: int, place: int) -> list[int]:
        """Rows of the right that read a value at a place as a left row does; few of very many."""
        right = self._sides[1]
        operands = right.handings(value) if self._passes[0][like] else right.readings(value)
        reader = right.trace.values.reader_row
        if len(operands) > _NEAREST:
            operands = operands[_few_nearest(reader[operands].tolist(), self._place(like))]
        rows: list[int] = reader[operands[right.telling_place[operands] == place]].tolist()
        return rows

    def _nearest(self, row: int, candidates: Iterable[int]) -> int:
        """The likeliest of several that are alike: by layout, then by its place in the order."""
        left, right = self._sides
        wanted = self._place(row)
        return min(
            candidates,
            key=lambda other: (left.layout[row] != right.layout[other], abs(other - wanted)),
        )

    def _place(self, row: int) -> int:
        """The counterpart of the nearest row before this one that has any."""
        partner = self._mate[0]
        for near in range(row - 1, max(-1, row - 256), -1):
            if partner[near] >= 0:
                return partner[near]
        return row

    def _by_readers(self, rows: Ints, others: Ints) -> list[int]:
        """Pair ops that are alone and read by the same ops at the same place."""
        left, right = self._sides
        found = []
        alone, other_alone = self._alone(0, rows), self._alone(1, others)
        alone = alone[among(left.family[alone], right.family[other_alone])]
        asked = set(other_alone.tolist())
        alone = alone[~left.passes[alone]]
        near = bytearray(self.read_by_pairs(alone))
        for row in alone[::-1].tolist():
            if not near[row]:
                continue
            for reader, place in left.read_where(row):
                other_reader = self._mate[0][reader]
                if other_reader < 0:
                    continue
                read = right.read_by(other_reader)
                other = read[place] if place < len(read) else -1
                if other not in asked or self._family[0][row] != self._family[1][other]:
                    continue
                if self._coded[0][row] != self._coded[1][other] and len(left.readers(row)) > 1:
                    continue
                if self._reads_elsewhere(row, other):
                    continue
                if False in self.verdicts(row, other) and not self._exchanged(row, other):
                    continue
                asked.discard(other)
                self._matching.pair(row, other, late=True)
                found.append(row)
                for value in left.read_by(row):
                    near[value] = True
                break
        return found

    def _reads_elsewhere(self, row: int, other: int) -> bool:
        """Whether of two ops with another number of inputs the one with fewer reads another value.

        It may lack inputs; but what has a counterpart is not read in place of another.
        """
        mine, theirs = self._sides[0].read_by(row), self._sides[1].read_by(other)
        if len(mine) == len(theirs):
            return False
        if len(mine) < len(theirs):
            met, read = [self._mate[0][value] for value in mine], theirs
        else:
            met, read = [self._mate[1][value] for value in theirs], mine
        return any(value >= 0 and value not in read for value in met)

    def _exchanged(self, row: int, other: int) -> bool:
        """Pair what two rows read with each other, where nothing contradicts that; if it helps."""
        if self._exhausted:
            return False
        left, right = self._sides
        self._present.clear()
        for value, there in zip(left.read_by(row), right.read_by(other), strict=False):
            if self._same(value, there, {}, {}) is not False:
                continue
            if not self._may_pair(value, there) or self._worse(value, there):
                return False
            if self._gain(((value, there),), 0) <= 0:
                return False
            self._adopt(((value, there),))
        return False not in self.verdicts(row, other)

    def islands(self, rows: Ints) -> Ints:
        """Those of some paired left rows that no value ties to the other pairs, however far.

        A value from outside ties if the optimizers tell it, or another pair reads it too.
        """
        left, right = self._sides
        paired, others = self._matching.paired()
        here, there, owner = paired_inputs(left, right, paired, others)
        reader, value, read = paired[owner], left.value[here], right.value[there]
        # What one side does not print is what the other reads there.
        unseen = among(value, list(self._hidden[0]))
        value = np.where(unseen & (self._partner[1][read] >= 0), self._partner[1][read], value)
        known = unseen | among(read, list(self._hidden[1])) | (self._partner[0][value] == read)
        commutes = left.trace.has_trait(Trait.COMMUTATIVE)[reader]
        known |= commutes & (self._partner[0][value] == read[_other_of_two(owner)])
        tied = np.ones(len(left.outside), np.bool_)
        tied[rows[self._marked(reader)[rows]]] = False
        outside = value[left.outside[value] & ~tied[reader]]
        tied[outside] = False
        tied[self.by_updates()[0]] = True
        known &= ~tied[reader] | ~tied[value]
        component = joined(len(tied), reader[known], value[known])
        tied[component[tied]] = True
        return rows[~tied[component[rows]]]

    def part_unlike(self) -> list[tuple[int, int]]:
        """Undo pairs of ops with another number of inputs that read other values; which these were.

        They look unlike, so that no trial exchanges them. Sums may be added up in other steps.
        """
        left, right = self._sides
        rows, others = self._computing_pairs()
        counts = [
            side.kept_start[each + 1] - side.kept_start[each]
            for side, each in ((left, rows), (right, others))
        ]
        unlike = (counts[0] != counts[1]) & ~self._matching.fixed[0][rows]
        pairs = [
            (row, other)
            for row, other in zip(rows[unlike].tolist(), others[unlike].tolist(), strict=True)
            if self._reads_elsewhere(row, other) and not self._sums.same_total(row, other)
        ]
        for row, _ in pairs:
            self._matching.unpair(row)
        return pairs

    def pair_nearer(self) -> bool:
        """Pair again what reads its counterpart's values through an op that might be it itself.

        Of two like ops in a row the first reads what the only one of the other side reads; the
        second may be the counterpart of what comes next. What reads them must not contradict it
        more: an addition that was put before a norm, and the one behind it, are two as well.
        """
        self._present.clear()
        left, right = self._sides
        rows, others = self._computing_pairs()
        here, there, owner = paired_inputs(left, right, rows, others)
        mine, theirs = left.value[here], right.value[there]
        alone = (self._partner[0][mine] < 0, self._partner[1][theirs] < 0)
        changed = False
        for at in np.flatnonzero(alone[0] != alone[1]).tolist():
            row, other = int(rows[owner[at]]), int(others[owner[at]])
            pair = (int(mine[at]), other) if alone[0][at] else (row, int(theirs[at]))
            known = self._mate[0][row] == other and not self._fixed[row]
            fits = known and self._may_pair(*pair) and self._reads_the_same(*pair)
            if fits and not self._exhausted and self._gain((pair,), -1) >= 0:
                self._matching.unpair(row)
                self._matching.pair(*pair, late=True)
                self._present.clear()
                changed = True
        return changed

    def _reads_the_same(self, row: int, other: int) -> bool:
        verdicts = self._verdicts(row, other, {}, {})
        return bool(verdicts) and all(verdicts)

    def part_strangers(self) -> list[tuple[int, int]]:
        """Undo pairs of views and copies that hand on values of other ops; which these were."""
        left, right = self._sides
        rows, others = self._matching.paired()
        handing = left.passes[rows] & right.passes[others] & ~self._matching.fixed[0][rows]
        rows, others = rows[handing], others[handing]
        here, there, owner = paired_inputs(left, right, rows, others)
        mine, theirs = left.value[here], right.value[there]
        partner, back = self._partner[0][mine], self._partner[1][theirs]
        contrary = (partner != theirs) & (partner >= 0) & (back >= 0)
        parted = distinct(rows[owner[contrary]])
        pairs = list(zip(parted.tolist(), self._partner[0][parted].tolist(), strict=True))
        for row, _ in pairs:
            self._matching.unpair(row)
        return pairs


def _other_of_two(owner: Longs) -> Longs:
    """Of each of several operands, by their ascending owners, the other one of two; else itself."""
    place = np.arange(len(owner))
    first = np.searchsorted(owner, owner)
    two = np.searchsorted(owner, owner, "right") - first == 2
    return np.where(two, 2 * first + 1 - place, place)


def _by_place(
    side: Prepared, code: memoryview[int], value: int
) -> dict[tuple[int, int], list[int]]:
    """The rows that read a value, by the place at which they do and their looks."""
    found: dict[tuple[int, int], list[int]] = {}
    readers = side.read_where(value)
    # What very many read tells none of them from the others.
    for row, place in readers if len(readers) <= _MOST_FOLLOWED else ():
        found.setdefault((place, code[row]), []).append(row)
    return found


def _few_nearest(rows: Sequence[int], row: int) -> slice:
    """Which of some ascending rows stand nearest to one, where they are very many."""
    if len(rows) <= _NEAREST:
        return slice(None)
    first = min(max(0, bisect_left(rows, row) - _NEAREST // 2), len(rows) - _NEAREST)
    return slice(first, first + _NEAREST)


def _arguments(side: Prepared, row: int) -> str | None:
    """The arguments of a call, where they are told."""
    attrs = side.trace.tables.attrs[side.trace.columns.attrs[row]]
    return next((text for key, text in attrs if key == ARGUMENTS), None)


def _leaders(names: Longs, weight: Longs) -> Flags:
    """Of each pair, whether it weighs most of those with its name."""
    order = np.lexsort((-weight, names))
    ordered = names[order]
    return marked(len(names), order[fresh(ordered)])
