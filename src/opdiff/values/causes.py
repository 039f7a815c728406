"""Which ops made the numbers wrong: the first whose output is far off although its inputs are not.

Works on plain arrays, so that any engine can call it: who is paired with whom, who wrote what is
read, and how far the operands of pairs are apart.

Every pair of ops has a *level*: the largest error among its outputs. An op without counterpart has
that of the pairs it depends on through others like it. Where an error jumps over all levels it was
made from, there is a cause:

- ``EXTERNAL``: an input differs that no op wrote, on either side;
- ``STRUCTURE``: an input differs more than the pairs it depends on, through ops that have no
  counterpart: these are to blame;
- ``WIRING``: an input differs more than what its producers wrote, and these have counterparts: it
  reads something else, or another part of it;
- ``COMPUTE``: an output differs more than all inputs.

All other pairs that differ follow from one of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

import numpy as np

from opdiff.trace.columns import Bytes, Flags, Floats, Ints, Longs, marked, places_among
from opdiff.trace.sorting import distinct, fresh
from opdiff.values.conditions import ROOT
from opdiff.values.floors import JUMP, jumps, within_noise
from opdiff.values.flow import NOBODY, Flow
from opdiff.values.levels import Lacking, handed_down, levels_of

_JUMPS, _AGREES, _UNKNOWN = 1, 2, 4
"""What the readers of an op tell of it: something jumps, does not, or nobody knows."""
_FEW_LOADED = 8
_ALMOST_ALL = 0.9
"""If so many of the tensors from outside are equal to the last digit, all should be."""
_LONGEST_CHAIN = 16
"""So many ops in a row that only hand on values are looked through."""


class Cause(IntEnum):
    """Why values part."""

    NONE = 0
    COMPUTE = 1
    WIRING = 2
    STRUCTURE = 3
    EXTERNAL = 4

    @property
    def word(self) -> str:
        """As reports spell it; empty for none."""
        return self.name.lower() if self else ""


@dataclass(frozen=True, slots=True)
class ErrorsOfPairs:
    """The errors of the operands of paired ops.

    Pairs stand in the order in which they are to be read, best that of execution. Operands that
    are compared with each other have one entry, in the order of their pairs; NaN is an error that
    is not known.
    """

    left_row: Ints
    right_row: Ints
    input_pair: Ints
    """The pair that an input belongs to, ascending."""
    input_left: Longs
    """Its place among the flat inputs of the left side."""
    input_right: Longs
    input_error: Floats
    input_floor: Floats
    output_pair: Ints
    output_error: Floats
    output_floor: Floats
    input_norm: Floats
    """The larger norm of both sides, NaN where it is not known."""
    only_moves: Flags
    """Pairs of ops that only hand on what they read (views, slices, copies): where an input differs
    already, that a part of it differs more is no cause; and if they read something else, they are
    taken for ops without counterpart."""
    two_names: Flags
    """Pairs of ops of two names: where an input differs already, that the outputs differ more is
    no cause."""
    output_condition: Floats
    """How many times an output may enlarge the errors of inputs by its nature: numbers that almost
    cancel leave little but their noise. 1 for most."""
    output_left: Longs
    """Where each output stands among the flat outputs of the left side."""
    output_right: Longs
    output_turns: Floats
    """The power of the noise that the error of an output may be that changes by leaps (signs,
    roundings): noise may turn single elements. NaN for most."""

    def __len__(self) -> int:
        return len(self.left_row)


@dataclass(frozen=True, slots=True)
class Causes:
    """What was found, a value a pair unless it says otherwise."""

    cause: Bytes
    """The :class:`Cause` that a pair is, NONE for most."""
    error: Floats
    """The error that jumped, at a cause; else the largest of the pair, NaN if none is known."""
    source: Floats
    """At a cause, the largest error of what that was made from."""
    operand: Longs
    """At a cause, which of the compared inputs (COMPUTE: outputs) it is; else -1."""
    differs: Flags
    """Whether any operand is over its floor."""
    caused_by: Ints
    """The pair that a difference follows from: itself at a cause, -1 where that is not known."""
    blamed_left: Ints
    """A row of the left side: the pair whose cause blames it, -1 for most."""
    blamed_right: Ints
    neutral_left: Bytes
    """A row of the left side without counterpart: 1 if what depends on it does not jump, 0 if
    something does, -1 if nobody can tell. -1 for rows with a counterpart."""
    neutral_right: Bytes
    chance: Flags
    """Pairs of constants that are none: all who read them find them to agree."""

    def roots(self) -> Ints:
        """The pairs that are causes, in the order of the pairs."""
        return np.flatnonzero(self.cause).astype(np.int32)


def find_causes(
    pairs: ErrorsOfPairs,
    left: Flow,
    right: Flow,
    *,
    factor: float = JUMP,
    further: Sequence[tuple[Ints, Ints]] = (),
    parts: Sequence[Floats] = (),
) -> Causes:
    """Tell causes from what follows from them, in time linear in the operands (but for sorting).

    *further* are rows of each side, and the pairs whose results they have too; *parts* are the
    norms of the largest parts of the rows of a side that are sums.
    """
    return _Search(pairs, left, right, factor, further, parts).causes()


class _Search:
    """One search, step by step."""

    def __init__(
        self,
        pairs: ErrorsOfPairs,
        left: Flow,
        right: Flow,
        factor: float,
        further: Sequence[tuple[Ints, Ints]],
        parts: Sequence[Floats],
    ) -> None:
        self._pairs = pairs
        self._flows = (left, right)
        self._factor = factor
        self._pair_of = tuple(
            places_among(len(flow), rows)
            for rows, flow in ((pairs.left_row, left), (pairs.right_row, right))
        )
        for pair_of, (rows, owner) in zip(self._pair_of, further, strict=False):
            pair_of[rows] = owner
        self._parts = parts
        self._before = self._read_before()
        self._pairs = self._loaded_exactly()
        self._apart = np.zeros(len(pairs), np.bool_)
        """Pairs that are none as far as values go."""
        self._largest = (
            largest(len(pairs), pairs.input_pair, pairs.input_error),
            largest(len(pairs), pairs.output_pair, pairs.output_error),
        )
        self._find_jumps()

    def _find_jumps(self) -> None:
        """Where inputs jump over what they were written by.

        Ops that only hand on what they read are nobody's fault if they read something else, and
        may be paired by chance: they count as ops without counterpart, and those who read their
        results are asked.
        """
        pairs = self._pairs
        level = self._pair_levels()
        for _ in range(_LONGEST_CHAIN):
            self._producers = [self._producers_on(side) for side in (0, 1)]
            self._kind = self._kinds()
            self._source, self._origin = self._sources(level)
            times = self._enlarged()
            self._jumped = jumps(
                pairs.input_error, self._source * times, pairs.input_floor * times, self._factor
            )
            self._jumped &= ~self._apart[pairs.input_pair]
            # What takes the part of a tensor from outside that agrees does not read the other one.
            takes = pairs.only_moves & self._agreeing()
            self._jumped &= ~((self._kind == Cause.EXTERNAL) & takes[pairs.input_pair])
            other = self._jumped & pairs.only_moves[pairs.input_pair]
            other &= self._kind != Cause.EXTERNAL
            if not other.any():
                break
            here = distinct(pairs.input_pair[other])
            self._apart[here] = True
            self._pair_of[0][pairs.left_row[here]] = NOBODY
            self._pair_of[1][pairs.right_row[here]] = NOBODY

    def causes(self) -> Causes:
        """Everything."""
        pairs, kind, jumped = self._pairs, self._kind, self._jumped
        first = self._first_readers()
        known = np.where(np.isnan(pairs.input_error), self._source, pairs.input_error)
        count = len(pairs)
        cause = np.zeros(count, np.int8)
        error = np.fmax(*self._largest)
        made_from = np.full(count, np.nan)
        operand = np.full(count, NOBODY, np.int64)

        own = np.flatnonzero(jumped & (first == np.arange(len(jumped))))
        # Of several in one pair the largest stays, as the last one written.
        own = own[np.argsort(pairs.input_error[own], kind="stable")]
        here = pairs.input_pair[own]
        cause[here], error[here] = kind[own], pairs.input_error[own]
        made_from[here], operand[here] = self._source[own], own

        computed, over = self._computed(known)
        computed = computed[cause[pairs.output_pair[computed]] == Cause.NONE]
        computed = computed[np.argsort(pairs.output_error[computed], kind="stable")]
        here = pairs.output_pair[computed]
        cause[here], error[here] = Cause.COMPUTE, pairs.output_error[computed]
        made_from[here], operand[here] = over[computed], computed
        self._blame_what_is_not_known(cause, operand)

        blamed, same = self._blamed(cause, operand)
        again = np.array(list(same), np.int64)
        through = self._through_what_is_not_seen(cause)
        for others in (again, through):
            cause[others], operand[others] = Cause.NONE, NOBODY
        parent = self._parents(cause, first, known)
        parent[again] = np.array(list(same.values()), np.int32)
        parent[through] = np.flatnonzero(cause)[:1]
        neutral = self._neutral(jumped & (kind == Cause.STRUCTURE), blamed)
        return Causes(
            cause=cause,
            error=error,
            source=made_from,
            operand=operand,
            differs=self._differs(),
            caused_by=_followed(parent, cause > 0),
            blamed_left=blamed[0],
            blamed_right=blamed[1],
            neutral_left=neutral[0],
            neutral_right=neutral[1],
            chance=self.chance,
        )

    def _pair_levels(self) -> Floats:
        """The largest error of the outputs; of the inputs where none is known of an output."""
        inputs, outputs = self._largest
        level = np.where(np.isnan(outputs), inputs, outputs)
        return np.nan_to_num(level, nan=0.0)

    # Inputs

    def _read_before(self) -> Ints:
        """Of inputs from outside the pair that read the same tensor last, and found it to agree."""
        pairs = self._pairs
        found = np.full(len(pairs.input_pair), NOBODY, np.int32)
        outside = np.flatnonzero(
            (self._flows[0].producer[pairs.input_left] < 0)
            & (self._flows[1].producer[pairs.input_right] < 0)
        )
        blocks = [
            flow.input_block[places[outside]]
            for flow, places in zip(self._flows, self._places(), strict=True)
        ]
        order = np.lexsort((outside, *blocks))
        again = np.ones(max(len(order) - 1, 0), np.bool_)
        for block in blocks:
            again &= np.diff(block[order]) == 0
        later, earlier = outside[order[1:][again]], outside[order[:-1][again]]
        agreed = pairs.input_error[earlier] <= pairs.input_floor[earlier]
        found[later[agreed]] = pairs.input_pair[earlier[agreed]]
        return found

    def _loaded_exactly(self) -> ErrorsOfPairs:
        """Where almost all tensors from outside are the very same, they have no noise."""
        pairs = self._pairs
        loaded = np.flatnonzero(
            (self._flows[0].producer[pairs.input_left] < 0)
            & (self._flows[1].producer[pairs.input_right] < 0)
            & (self._before == NOBODY)
            & ~np.isnan(pairs.input_error)
        )
        exact = pairs.input_error[loaded] == 0.0
        if len(loaded) < _FEW_LOADED or exact.mean() < _ALMOST_ALL:
            return pairs
        floor = pairs.input_floor.copy()
        floor[loaded] = 0.0
        return replace(pairs, input_floor=floor)

    def _places(self) -> tuple[Longs, Longs]:
        return self._pairs.input_left, self._pairs.input_right

    def _sources(self, pair_level: Floats) -> tuple[Floats, Ints]:
        """The largest level of what wrote each compared input, on both sides; and whose it is.

        Of inputs that agree nobody asks: they are left at none.
        """
        pairs = self._pairs
        level = np.zeros(len(pairs.input_pair))
        origin = np.full(len(level), NOBODY, np.int32)
        asked = np.flatnonzero(~(pairs.input_error <= pairs.input_floor))
        for places, flow, pair_of in zip(self._places(), self._flows, self._pair_of, strict=True):
            levels = levels_of(flow, pair_of, pair_level, places[asked])
            higher = levels.level > level[asked]
            taken = higher | (origin[asked] == NOBODY)
            level[asked] = np.where(higher, levels.level, level[asked])
            origin[asked] = np.where(taken, levels.origin, origin[asked])
        # What agreed when it was read before was changed since, by the op that read it: batch
        # normalisation writes its statistics so.
        since = asked[self._before[asked] != NOBODY]
        origin[since] = self._before[since]
        level[since] = pair_level[origin[since]]
        return level, origin

    def _producers_on(self, side: int) -> tuple[Ints, Flags]:
        """The row that wrote each compared input, and whether that has no counterpart."""
        row = self._flows[side].producer[self._places()[side]]
        return row, (row >= 0) & (self._pair_of[side][row] == NOBODY)

    def _enlarged(self) -> Floats:
        """How much noise may be enlarged in each input by sums that cancel before it.

        Those among ops without counterpart: as many times as their parts are larger than it is.
        """
        norm = self._pairs.input_norm
        times = np.ones(len(self._pairs.input_pair))
        for flow, pair_of, parts, (row, alone) in zip(
            self._flows, self._pair_of, self._parts, self._producers, strict=False
        ):
            here = np.flatnonzero(alone & (norm > 0.0))
            larger = handed_down(flow, pair_of, parts)[row[here]] / norm[here]
            times[here] = np.maximum(times[here], larger)
        return times

    def _kinds(self) -> Bytes:
        """What each input would be the cause of, if it jumped."""
        (left, left_alone), (right, right_alone) = self._producers
        kind = np.full(len(left), Cause.WIRING, np.int8)
        kind[left_alone | right_alone] = Cause.STRUCTURE
        kind[(left < 0) & (right < 0)] = Cause.EXTERNAL
        return kind

    def _first_readers(self) -> Longs:
        """The first input that jumps for the same reason; itself for one that does not jump.

        The reason is the same tensor from outside, or the same producers.
        """
        first = np.arange(len(self._jumped))
        which = np.flatnonzero(self._jumped)
        if not len(which):
            return first
        kind = self._kind[which]
        keys = [kind.astype(np.int64)]
        for places, flow, (row, _) in zip(
            self._places(), self._flows, self._producers, strict=True
        ):
            block = flow.input_block[places[which]]
            keys.append(np.where(kind == Cause.EXTERNAL, block, row[which].astype(np.int64)))
        _, start, same = np.unique(
            np.stack(keys, axis=1), axis=0, return_index=True, return_inverse=True
        )
        first[which] = which[start[same.reshape(-1)]]
        return first

    # Outputs

    def _computed(self, known: Floats) -> tuple[Longs, Floats]:
        """The outputs that jump over all inputs of their op, and the errors they jump over."""
        pairs = self._pairs
        count = len(pairs)
        outputs = np.flatnonzero(pairs.output_error > pairs.output_floor)  # few; no other jumps
        owner = pairs.output_pair[outputs]
        asked = marked(count, owner)
        inputs = np.flatnonzero(asked[pairs.input_pair])
        reader, known, noisy = pairs.input_pair[inputs], known[inputs], pairs.input_floor[inputs]
        fuzzy = noisy > 0.0
        over = largest(count, reader, known)
        noise = largest(count, reader[fuzzy], known[fuzzy])
        # What other whole numbers pick (indices, masks) may be anything.
        over[reader[~fuzzy & (known > 0.0)]] = np.inf
        source = np.fmax(over[owner], 0.0)
        floor = pairs.output_floor[outputs]
        # Noise may turn a comparison: of all elements about its share changes.
        power = np.where(floor == 0.0, ROOT, np.nan)
        power = np.fmin(power, pairs.output_turns[outputs])
        share = np.fmax(noise[owner], 0.0)
        turning = np.flatnonzero((share > 0.0) & ~np.isnan(power))
        turned = share[turning] ** power[turning]
        source[turning] = np.maximum(source[turning], turned)
        condition = pairs.output_condition[outputs]
        source, floor = source * condition, floor * condition
        jumped = jumps(pairs.output_error[outputs], source, floor, self._factor)
        jumped &= ~(self._apart | self.chance)[owner]
        dirty, coarsely = np.zeros((2, count), np.bool_)
        dirty[reader[known > noisy]] = True
        jumped &= ~(pairs.only_moves & dirty)[owner]
        # Whether ops of two names do the same job nobody knows for sure.
        coarsely[reader[known > np.maximum(noisy, self._coarsest[reader])]] = True
        jumped &= ~(pairs.two_names & coarsely)[owner]
        jumped_over = np.full(len(pairs.output_error), np.nan)
        jumped_over[outputs] = source
        return outputs[jumped], jumped_over

    @cached_property
    def _coarsest(self) -> Floats:
        """Of each pair the floor of the coarsest precision that ran up to it.

        What was computed in a coarse precision has its noise in a finer one, too.
        """
        pairs = self._pairs
        floor = np.zeros(len(pairs))
        np.maximum.at(floor, pairs.output_pair, pairs.output_floor)
        found: Floats = np.maximum.accumulate(floor)
        return found

    @cached_property
    def chance(self) -> Flags:
        """Pairs made from nothing that all who read them find to agree: paired by chance."""
        pairs = self._pairs
        unlike = marked(len(pairs), pairs.output_pair[pairs.output_error > pairs.output_floor])
        unlike[pairs.input_pair] = False
        if not unlike.any():
            return unlike
        agreed, differs = np.zeros((2, len(pairs)), np.bool_)
        wrong = ~(pairs.input_error <= pairs.input_floor)
        for pair_of, (row, _) in zip(self._pair_of, self._producers, strict=True):
            writer = np.where(row >= 0, pair_of[row], NOBODY)
            agreed[writer[(writer >= 0) & ~wrong]] = True
            differs[writer[(writer >= 0) & wrong]] = True
        return unlike & agreed & ~differs

    def _blame_what_is_not_known(self, cause: Bytes, operand: Longs) -> None:
        """Blame ops without counterpart that wrote inputs which nobody can compare."""
        pairs = self._pairs
        (_, left_alone), (_, right_alone) = self._producers
        unsure = np.flatnonzero(np.isnan(pairs.input_error) & (left_alone | right_alone))[::-1]
        unsure = unsure[cause[pairs.input_pair[unsure]] == Cause.COMPUTE]
        here = pairs.input_pair[unsure]
        cause[here], operand[here] = Cause.STRUCTURE, unsure

    def _through_what_is_not_seen(self, cause: Bytes) -> Longs:
        """Inputs from outside that differ after another cause, where not every op is seen.

        Who wrote them is only guessed there: more likely they come from that cause, through ops
        that were not recorded.
        """
        roots = np.flatnonzero(cause)
        if not any(flow.guessed for flow in self._flows) or len(roots) < 2:
            return roots[:0]
        later = roots[1:]
        found: Longs = later[cause[later] == Cause.EXTERNAL]
        return found

    # What follows

    def _differs(self) -> Flags:
        pairs = self._pairs
        differs = marked(len(pairs), pairs.input_pair[pairs.input_error > pairs.input_floor])
        differs[pairs.output_pair[pairs.output_error > pairs.output_floor]] = True
        return differs & ~self.chance

    def _parents(self, cause: Bytes, first: Longs, known: Floats) -> Ints:
        """The pair that each pair has its error from: that of its worst input."""
        pairs = self._pairs
        parent = np.full(len(pairs), NOBODY, np.int32)
        dirty = np.flatnonzero(known > pairs.input_floor)
        dirty = dirty[np.argsort(known[dirty], kind="stable")]
        origin = np.where(self._jumped, pairs.input_pair[first], self._origin)
        parent[pairs.input_pair[dirty]] = origin[dirty]
        here = np.flatnonzero(cause)
        parent[here] = here
        return parent

    def _blamed(self, cause: Bytes, operand: Longs) -> tuple[list[Ints], dict[int, int]]:
        """The ops without counterpart between each such cause and the pairs above it.

        And the causes that blame none but those which an earlier one blames, with that one: one op
        left out that wrote many tensors is one cause.
        """
        blamed = [np.full(len(flow), NOBODY, np.int32) for flow in self._flows]
        same: dict[int, int] = {}
        for pair in np.flatnonzero(cause == Cause.STRUCTURE).tolist():
            met, new = NOBODY, False
            for side, places in enumerate(self._places()):
                flow, pair_of, owner = self._flows[side], self._pair_of[side], blamed[side]
                above = [int(places[operand[pair]])]
                while above:
                    place = above.pop()
                    row = int(flow.producer[place])
                    if row < 0 or owner[row] == pair:
                        continue
                    if pair_of[row] != NOBODY:
                        above += self._lacking[side].behind(row, int(flow.input_block[place]))
                        continue
                    if owner[row] != NOBODY:
                        met = int(owner[row])
                        continue
                    owner[row], new = pair, True
                    above += range(flow.start[row], flow.start[row + 1])
            if met != NOBODY and not new:
                same[pair] = met
        return blamed, same

    @cached_property
    def _lacking(self) -> tuple[Lacking, Lacking]:
        pairs = self._pairs
        left, right = (
            Lacking.of(flow, pair_of, places, outputs)
            for flow, pair_of, places, outputs in zip(
                self._flows,
                self._pair_of,
                self._places(),
                (pairs.output_left, pairs.output_right),
                strict=True,
            )
        )
        return left, right

    def _agreeing(self) -> Flags:
        """Pairs all of whose outputs agree: whatever they read, it changed nothing."""
        pairs = self._pairs
        agree = marked(len(pairs), pairs.output_pair)
        noise = within_noise(pairs.output_error, pairs.output_floor, self._factor)
        agree[pairs.output_pair[~noise]] = False
        return agree

    def _neutral(self, harmful: Flags, blamed: list[Ints]) -> list[Bytes]:
        """Whether ops without counterpart change a value of any pair that depends on them."""
        pairs, agreeing = self._pairs, self._agreeing()
        # Where numbers are wrong already, nobody can tell whether something made them worse.
        unknown = ~(pairs.input_error <= pairs.input_floor) & ~harmful
        unknown &= ~agreeing[pairs.input_pair]
        found = []
        for flow, pair_of, places, (row, alone), guilty in zip(
            self._flows, self._pair_of, self._places(), self._producers, blamed, strict=True
        ):
            told = np.zeros(len(flow), np.int8)
            more = _not_compared(flow, pair_of, places)
            writer, reader = flow.producer[more], pair_of[flow.readers[more]]
            for bit, rows in (
                (_JUMPS, row[alone & harmful]),
                (_AGREES, row[alone & ~harmful & ~unknown]),
                (_UNKNOWN, row[alone & unknown]),
                (_AGREES, writer[agreeing[reader]]),
                (_UNKNOWN, writer[~agreeing[reader]]),
            ):
                told[rows] |= bit
            _hand_up(flow, pair_of == NOBODY, told)
            neutral = np.full(len(flow), -1, np.int8)
            neutral[(told & (_AGREES | _UNKNOWN)) == _AGREES] = 1
            neutral[(told & _JUMPS > 0) | (guilty != NOBODY)] = 0
            neutral[pair_of != NOBODY] = -1
            found.append(neutral)
        return found


def _hand_up(flow: Flow, alone: Flags, told: Bytes) -> None:
    """Give ops without counterpart what is told of those like them that read what they wrote."""
    writer = flow.producer
    edges = np.flatnonzero(alone[flow.readers] & (writer >= 0) & alone[np.maximum(writer, 0)])
    readers, writers = flow.readers[edges][::-1].tolist(), writer[edges][::-1].tolist()
    for reader, above in zip(readers, writers, strict=True):
        # What nobody reads tells nothing.
        told[above] |= told[reader] or _UNKNOWN


def _not_compared(flow: Flow, pair_of: Ints, places: Longs) -> Longs:
    """The inputs of pairs that are compared with none and that an op without counterpart wrote."""
    compared = marked(len(flow.producer), places)
    writer = flow.producer
    alone = (writer >= 0) & (pair_of[np.maximum(writer, 0)] == NOBODY)
    return np.flatnonzero(alone & ~compared & (pair_of[flow.readers] != NOBODY))


def largest(count: int, owner: Ints, error: Floats) -> Floats:
    """The largest error of each owner, which ascend; NaN where none is known."""
    found = np.full(count, np.nan)
    if len(owner):
        first = np.flatnonzero(fresh(owner))
        found[owner[first]] = np.fmax.reduceat(error, first)
    return found


def _followed(parent: Ints, is_cause: Flags) -> Ints:
    """The cause at the end of each way along parents, -1 where it ends elsewhere or nowhere."""
    nowhere = len(parent)
    step = np.append(np.where(parent < 0, nowhere, parent), nowhere)
    step[:-1][is_cause] = np.flatnonzero(is_cause)
    for _ in range(max(nowhere, 1).bit_length() + 1):
        before, step = step, step[step]
        if np.array_equal(before, step):
            break
    end = step[:-1]
    at_cause = np.append(is_cause, False)[end]
    return np.where(at_cause, end, NOBODY).astype(np.int32)
