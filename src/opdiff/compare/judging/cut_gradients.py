"""Ops of the forward that stop gradients on one side only, and what of the backward each explains.

Numbers of the forward are the same with and without them. The order of the ops shows what cut the
backward off where a parameter has a part in it on the other side only, or where few ops stop
gradients. A compiled graph is full of such ops, for what it keeps: there the values tell, by the
first gradient that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from opdiff.compare.kinds import Kind
from opdiff.compare.matching import Matching
from opdiff.compare.records import phrases
from opdiff.compare.records.findings import Columns
from opdiff.compare.sides.prepared import Prepared
from opdiff.structure import Phase
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.trace.sorting import among
from opdiff.trace.traits import Trait

if TYPE_CHECKING:
    from opdiff.compare.values.value_comparison import ValueComparison

_FEW_STOPS = 4
"""So many ops that stop gradients on one side only are no habit of a compiler."""
_MOST_READERS = 64
_FLOATS = ("Float", "BFloat", "float", "bfloat", "Complex")


def part_stops(sides: tuple[Prepared, Prepared], matching: Matching) -> None:
    """Part a few ops that stop gradients in the forward from such of the backward.

    These hand on what the backward saved, wherever it is; those are meant to cut it off, where the
    other side alone computes the gradient.
    """
    stops = [side.trace.has_trait(Trait.STOPS_GRADIENT) for side in sides]
    pairs = matching.paired()
    forward = [side.phase[rows] == Phase.FORWARD for side, rows in zip(sides, pairs, strict=True)]
    crossed = stops[0][pairs[0]] & stops[1][pairs[1]] & (forward[0] != forward[1])
    crossed &= ~matching.fixed[0][pairs[0]]
    here = np.flatnonzero(crossed)
    alone = sum(
        int((stops[which][rows] & (side.phase[rows] == Phase.FORWARD)).sum())
        for which, side in enumerate(sides)
        for rows in (matching.alone(which, side.rows),)
    )
    for at in here.tolist() if len(here) + alone <= _FEW_STOPS else ():
        cut = 0 if forward[0][at] else 1
        full = sides[1 - cut]
        lost = matching.alone(1 - cut, full.rows)
        lost = lost[(full.phase[lost] >= Phase.BACKWARD) & ~full.passes[lost]]
        partners = _partners_around(sides[cut], matching.partner[cut], int(pairs[cut][at]))
        if any(partners & set(full.read_by(row)) for row in lost.tolist()):
            matching.unpair(int(pairs[0][at]))


def cuts_gradient(
    columns: Columns, sides: tuple[Prepared, Prepared], matching: Matching, harmless: Flags
) -> dict[int, list[int]]:
    """Of each op that stops gradients on one side only, what of the backward it explains.

    It is what cut the backward off if parameters that it depends on have a part in the backward
    on the other side only. What is *harmless* there is no gradient that was lost.
    """
    found: dict[int, list[int]] = {}
    for side, mine, theirs in (
        (0, Kind.ONLY_LEFT, Kind.ONLY_RIGHT),
        (1, Kind.ONLY_RIGHT, Kind.ONLY_LEFT),
    ):
        prepared, full = sides[side], sides[1 - side]
        rows, others = (columns.left, columns.right)[:: -1 if side else 1]
        alone = columns.of_kind(mine)
        stops = alone[(prepared.trace.traits[rows[alone]] & Trait.STOPS_GRADIENT) > 0]
        stops = stops[prepared.phase[rows[stops]] == Phase.FORWARD]
        stops = stops[_stopping(prepared, rows[stops])]
        lost = columns.of_kind(theirs)
        lost = lost[(full.phase[others[lost]] >= Phase.BACKWARD) & ~harmless[lost]]
        idle = _without_backward(prepared) if len(stops) and len(lost) else set()
        updated = set(full.updated[0].tolist())
        used = {
            value
            for value in idle
            if (partner := int(matching.partner[side][value])) >= 0
            and not _forward_only(full, partner)
            and (not updated or partner in updated)
        }
        if 0 < len(stops) <= _FEW_STOPS and len(lost):
            found.update(_by_lost_readers(sides, matching, side, stops, rows, lost, others))
            continue
        # The last stop that an idle parameter leads to cut it off.
        for at in stops[np.argsort(-rows[stops])].tolist() if used else []:
            cut = used & _upstream(prepared, int(rows[at]))
            if cut:
                used -= cut
                found[at] = lost.tolist()
                lost = lost[:0]
    return found


def _by_lost_readers(
    sides: tuple[Prepared, Prepared],
    matching: Matching,
    side: int,
    stops: Longs,
    rows: Ints,
    lost: Longs,
    others: Ints,
) -> dict[int, list[int]]:
    """The same where a few ops alone stop gradients: what is read around them tells enough.

    The gradient that is lost was computed from what the stopped value is made from, or from what
    is read beside it.
    """
    prepared, full = sides[side], sides[1 - side]
    found: dict[int, list[int]] = {}
    left = lost.tolist()
    for at in stops[np.argsort(rows[stops])].tolist():  # what one is made from, the later ones are
        partners = _partners_around(prepared, matching.partner[side], int(rows[at]))
        reading = {n for n in left if partners & _read_near(full, int(others[n]))}
        if reading:
            found[at] = sorted(reading)
            left = [n for n in left if n not in reading]
    if found:
        found[next(iter(found))] += left
    return found


def _read_near(side: Prepared, row: int) -> set[int]:
    """What an op reads; of a sum, which reads gradients alone, what is read along with it."""
    read = set(side.read_by(row))
    if _is_sum(side, row):
        read |= _read_beside(side, row)
    return read


def _partners_around(side: Prepared, partner: Ints, row: int) -> set[int]:
    """What stands on the other side for what a row is made from, and is read beside it."""
    around = _upstream(side, row) | _read_beside(side, row)
    return {int(partner[value]) for value in around} - {-1}


def _read_beside(side: Prepared, row: int) -> set[int]:
    """The other values that the first to compute with a row's result read."""
    waiting, seen, found = [row], {row}, set[int]()
    while waiting and len(seen) < _MOST_READERS:
        for reader in side.trace.consumers(waiting.pop()):
            if reader not in seen:
                seen.add(reader)
                found.update(side.read_by(reader))
                if side.passes[reader]:
                    waiting.append(reader)
    return found


def _without_backward(side: Prepared) -> set[int]:
    """Values from outside that only the forward reads."""
    values = side.trace.values
    return {value for value in range(values.rows, values.count) if _forward_only(side, value)}


def _forward_only(side: Prepared, value: int) -> bool:
    readers = side.trace.values.reader_row[side.trace.values.readings(value)]
    return not bool((side.phase[readers] >= Phase.BACKWARD).any())


def _upstream(side: Prepared, row: int) -> set[int]:
    """The values that a row is made from, all the way up."""
    seen: set[int] = set()
    waiting = list(side.read_by(row))
    rows = len(side.trace)
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        if value < rows:
            waiting += side.read_by(value)
    return seen


class Cut(NamedTuple):
    """An op of the forward that stops the gradients which rows of the other side compute.

    What these are made of, and the other side lacks as well, is explained with them.
    """

    side: int
    row: int
    lost: frozenset[int]

    def told(self, columns: Columns) -> dict[int, list[int]]:
        """Its divergence, and those that it explains, as :func:`cuts_gradient` has them."""
        rows = (columns.left, columns.right)
        alone = columns.of_kind((Kind.ONLY_LEFT, Kind.ONLY_RIGHT)[self.side])
        gone = np.flatnonzero(among(rows[1 - self.side], list(self.lost))).tolist()
        return dict.fromkeys(alone[rows[self.side][alone] == self.row].tolist(), gone)


def cut_by_values(
    told: ValueComparison, sides: tuple[Prepared, Prepared], matching: Matching
) -> Cut | None:
    """What stops the first gradient that is lost, where values agree up to the backward.

    An op of the backward reads what the op of the forward that it belongs to read or made. So what
    the first ops of the lost gradient read is read along with the stopped value, and what later
    ones read, up to the one that misses it, is what made that value, or around it. The op that
    stops it has no counterpart: whatever it was paired with stops nothing.
    """
    roots = [told.rows(pair) for pair in told.roots()]
    # A constant in the place of a gradient may stand anywhere.
    phases = [max(sides[0].phase[row], sides[1].phase[other]) for row, other in roots]
    missing = _miss_gradients(told, sides)
    phases = [
        max(phase, Phase.OPTIMIZER) if phase == Phase.FORWARD and pair in missing else phase
        for phase, pair in zip(phases, told.roots(), strict=True)
    ]
    if not roots or min(phases) < Phase.BACKWARD:
        return None
    # What is made like a value of the forward, and reads another, shows that these do not agree.
    if any(sides[0].constant[row] and sides[1].constant[other] for row, other in roots):
        return None
    roots = [pair for pair, phase in zip(roots, phases, strict=True) if phase == Phase.BACKWARD]
    best: tuple[tuple[bool, int, int], int, int] = (False, 0, 0), 0, -1
    lost = [_lost(told, sides, matching, roots, full) for full in (0, 1)]
    for cut, full in ((0, 1), (1, 0)):
        if not lost[full]:
            continue
        fits = _Fits(sides, matching, cut, lost[full], roots)
        # What runs behind the first gradient that is wrong belongs to the next step.
        misses = [pair[cut] for pair in roots if sides[cut].phase[pair[cut]] >= Phase.BACKWARD]
        read = {value for each in lost[full] for value in sides[full].read_by(each)}
        for row in _stops(sides, matching, cut, read):
            if misses and row > misses[0]:
                continue
            score = fits.score(row)
            if score is not None and score > best[0]:
                best = score, cut, row
    _, cut, row = best
    if row < 0:
        return None
    other = int(matching.partner[cut][row])
    if other >= 0:
        matching.unpair((row, other)[cut])
    blamed = (told.causes.blamed_left, told.causes.blamed_right)[1 - cut]
    return Cut(cut, row, frozenset(lost[1 - cut]).union(np.flatnonzero(blamed >= 0).tolist()))


def _miss_gradients(told: ValueComparison, sides: tuple[Prepared, Prepared]) -> set[int]:
    """The causes that blame ops of the backward: whatever they look like, they run behind it."""
    found: set[int] = set()
    blamed = (told.causes.blamed_left, told.causes.blamed_right)
    for side, owner in zip(sides, blamed, strict=True):
        found.update(owner[(owner >= 0) & (side.phase[: len(owner)] >= Phase.BACKWARD)].tolist())
    return found


class _Fits:
    """How well ops that stop gradients on one side fit those that it lost."""

    def __init__(
        self,
        sides: tuple[Prepared, Prepared],
        matching: Matching,
        cut: int,
        lost: set[int],
        roots: list[tuple[int, int]],
    ) -> None:
        full = sides[1 - cut]
        gained = {row for row in lost if _from_common(full, matching.partner[1 - cut], row)}
        self._first = _forward_reads(full, gained)
        self._every = self._first | _forward_reads(full, lost | {pair[1 - cut] for pair in roots})
        self._side, self._partner = sides[cut], matching.partner[cut]
        self._there = partial(matching.counterparts, cut)
        # All gradients that are left may agree, where a weight has none any more. Then what the
        # lost ones read must tell: what steps of the optimizer read, weights, tells nothing.
        self._made = None if roots else len(full.trace)

    def score(self, row: int) -> tuple[bool, int, int] | None:
        """More for what fits better; None for what does not."""
        readers, makers = (
            {other for value in values for other in self._there(value)}
            for values in (_read_with(self._side, row), _made_from(self._side, row))
        )
        near = self._first & readers
        if self._made is not None and min(near, default=self._made) >= self._made:
            return None
        fit = len(self._every & readers) + len(self._every & makers)
        return (bool(self._partner[row] < 0), len(near), fit) if fit else None


def tell_cuts(columns: Columns, sides: tuple[Prepared, Prepared], cuts: Iterable[int]) -> Columns:
    """Let the ops that stop gradients be called so."""
    for at in cuts:
        which = int(columns.left[at] < 0)
        row = int((columns.left, columns.right)[which][at])
        columns = columns.retold(
            at, phrases.stops_gradient(sides[which].trace.type_name(row), which)
        )
    return columns


def _lost(
    told: ValueComparison,
    sides: tuple[Prepared, Prepared],
    matching: Matching,
    roots: list[tuple[int, int]],
    full: int,
) -> set[int]:
    """Ops that compute gradients of which the other side has none, or a constant."""
    side, other = sides[full], sides[1 - full]
    blamed = (told.causes.blamed_left, told.causes.blamed_right)[full]
    found = {
        row
        for row in np.flatnonzero(blamed >= 0).tolist()
        if side.phase[row] == Phase.BACKWARD and not (side.passes[row] or side.constant[row])
    }
    waiting = [
        pair[full]
        for pair in roots
        if other.constant[pair[1 - full]] and not side.constant[pair[full]]
    ]
    while waiting:
        row = waiting.pop()
        found.add(row)
        waiting += [
            value
            for value in side.read_by(row)
            if value < len(side.trace)
            and value not in found
            and side.phase[value] >= Phase.BACKWARD
            and matching.partner[full][value] < 0
        ]
    return found


def _from_common(side: Prepared, partner: Ints, row: int) -> bool:
    """Whether an op of the backward reads no gradient that only its side has."""
    rows = len(side.trace)
    return not any(
        value < rows and side.phase[value] >= Phase.BACKWARD and partner[value] < 0
        for value in side.read_by(row)
    )


def _forward_reads(side: Prepared, rows: set[int]) -> set[int]:
    """Values of the forward that rows of the backward read; indices and constants tell little."""
    trace, found = side.trace, set[int]()
    for row in rows:
        for value, operand in side.inputs_of(row):
            made = value < len(trace)
            if made and (side.phase[value] >= Phase.BACKWARD or side.constant[value]):
                continue
            if trace.tables.specs[trace.inputs.spec[operand]].dtype.startswith(_FLOATS):
                found.add(value)
    return found


def _stops(
    sides: tuple[Prepared, Prepared], matching: Matching, which: int, read: set[int]
) -> list[int]:
    """Ops of the forward that stop gradients of what is computed on with there, on one side.

    What both sides stop is none, unless the lost gradients *read* it: the other keeps it for them.
    """
    side = sides[which]
    free = ~matching.fixed[which][: len(side.trace)] & ~matching.blocked(which)
    stops = side.trace.has_trait(Trait.STOPS_GRADIENT)
    wanted = side.rows[(stops & free & (side.phase == Phase.FORWARD))[side.rows]].tolist()
    partner = matching.partner[which]
    left_over = [row for row in wanted if not _stopped_on_both(sides, partner, which, row, read)]
    rows = np.array(left_over, np.int32)
    found: list[int] = rows[_stopping(side, rows)].tolist()
    return found


def _stopping(side: Prepared, rows: Ints) -> Flags:
    """Which of some rows stop gradients of what is computed on with, as no compiler does.

    Compilers stop those of all parameters, and of what they keep.
    """
    goes_on = np.array([_goes_on(side, row) for row in rows.tolist()], np.bool_)
    made = [min(side.read_by(row), default=0) < len(side.trace) for row in rows.tolist()]
    given = goes_on & ~np.array(made, np.bool_)
    return goes_on if np.count_nonzero(given) <= _FEW_STOPS else goes_on & ~given


def _goes_on(side: Prepared, row: int) -> bool:
    """Whether the forward computes on with what an op that stops gradients hands on."""
    readers = side.trace.consumers(row)
    stops = (side.trace.traits[readers] & Trait.STOPS_GRADIENT) > 0
    return bool((~stops & (side.phase[readers] < Phase.BACKWARD)).any())


def _stopped_on_both(
    sides: tuple[Prepared, Prepared], partner: Ints, which: int, row: int, read: set[int]
) -> bool:
    """Whether the counterpart stops the gradients of the same value, and the forward goes on."""
    side, other, met = sides[which], sides[1 - which], int(partner[row])
    if met < 0 or not other.trace.traits[met] & Trait.STOPS_GRADIENT:
        return False
    stopped = list(other.read_by(met))
    same = [int(partner[value]) for value in side.read_by(row)] == stopped
    here = other.phase[met] == Phase.FORWARD and _goes_on(other, met)
    return same and here and read.isdisjoint(stopped)


def _read_with(side: Prepared, row: int) -> set[int]:
    """What the ops of the forward that compute with a row's result read beside it, and make.

    Sums hand gradients on as they are: what computes with them counts too.
    """
    own = set(side.read_by(row))
    waiting, seen, found = [row], {row}, set[int]()
    while waiting and len(seen) < _MOST_READERS:
        for reader in side.trace.consumers(waiting.pop()):
            if reader in seen or side.phase[reader] >= Phase.BACKWARD:
                continue
            seen.add(reader)
            if not side.passes[reader]:
                found |= {reader, *side.read_by(reader)}
            if side.passes[reader] or _is_sum(side, reader):
                waiting.append(reader)
    return found - own


def _made_from(side: Prepared, row: int) -> set[int]:
    """What a row hands on, if it was computed, and what that was computed from, sums apart."""
    waiting, found = [*side.read_by(row)], set[int]()
    while waiting and len(found) < _MOST_READERS:
        value = waiting.pop()
        if value < len(side.trace) and value not in found:
            found.add(value)
            if _is_sum(side, value):
                waiting += side.read_by(value)
    return found.union(*(side.read_by(value) for value in found))


def _is_sum(side: Prepared, row: int) -> bool:
    return bool(side.trace.traits[row] & Trait.ACCUMULATES)
