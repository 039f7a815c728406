"""The steps that pair the ops of two traces, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from opdiff.compare.matching import Block, Matching
from opdiff.compare.names.vocabulary import Vocabulary
from opdiff.compare.pairing.congruence import Congruence
from opdiff.compare.pairing.expansions import Expansions
from opdiff.compare.pairing.gaps import Gaps
from opdiff.compare.pairing.namesakes import Namesakes
from opdiff.compare.pairing.order import Ordering, Sequences, known_inputs
from opdiff.compare.pairing.segments import Segment
from opdiff.compare.pairing.substitutes import Substitutes
from opdiff.compare.pairing.sums import Sums
from opdiff.compare.pairing.tensor_lists import TensorLists
from opdiff.compare.pairing.turning import Task
from opdiff.compare.request import Direction
from opdiff.structure import Phase, names_gradients, phase_marks
from opdiff.trace import Trace
from opdiff.trace.columns import Ints, Longs, marked
from opdiff.trace.sorting import among, common, distinct

_ROUNDS = 3
_MOST_CELLS = 1_000_000
_SURE = 0.6


def by_decree(task: Task, words: Vocabulary, matching: Matching) -> None:
    """Anchors, pins, and what the user called equivalent."""
    matching.decree(task.decreed)
    matching.blocks.extend(task.blocks)


def by_order(task: Task, words: Vocabulary, matching: Matching) -> None:
    """The same ops in the same order, each stream by itself, one phase after the other.

    What the forward paired tells the layers of the backward apart, and both those of the
    optimizer: a layer has one counterpart in all phases.
    """
    gaps = Gaps(task.left, task.right, words, task.equivalent)
    ordering = Ordering(task.left, task.right, gaps, matching, task.progress)
    phases = _phases(task)
    for phase in phases:
        for sequences in _sequences(task, _of_phase(task, task.rows, phase)):
            ordering.align(sequences)
        _hold_parameters(task, matching, _of_phase(task, task.rows, phase))
        if phase != phases[-1]:
            _settle(_congruence(task, matching, phase))


def _hold_parameters(task: Task, matching: Matching, both: tuple[Ints, Ints]) -> None:
    """Pair those of some ops that set parameters up as the optimizers update these, for good.

    They look alike, and nothing that they read tells them apart: if what reads them did, two
    parameters that changed places would be two ops that changed places.
    """
    rows, others = _congruence(task, matching).by_updates()
    made = among(rows, both[0]) & among(others, both[1])
    free = made & ~matching.fixed[0][rows] & ~matching.fixed[1][others]
    for row, other in zip(rows[free].tolist(), others[free].tolist(), strict=True):
        matching.pair(row, other)
    matching.fixed[0][rows[free]] = matching.fixed[1][others[free]] = True


def _phases(task: Task) -> list[int | None]:
    """The phases, if both sides tell them; else all rows are one."""
    # Without operands there are no values that would tell layers apart.
    if not all(side.has_operands and _tells_phases(side.trace) for side in task.sides):
        return [None]
    left, right = (side.phase[rows] for side, rows in zip(task.sides, task.rows, strict=True))
    return list(distinct(np.concatenate((left, right))).tolist())


def _of_phase(task: Task, rows: tuple[Ints, Ints], phase: int | None) -> tuple[Ints, Ints]:
    if phase is None:
        return rows
    left, right = (
        chosen[side.phase[chosen] == phase] for side, chosen in zip(task.sides, rows, strict=True)
    )
    return left, right


def _settle(congruence: Congruence) -> None:
    """Pair otherwise what leaves fewer contradictions so."""
    congruence.pair_firsts()
    congruence.pair_outside()
    for _ in range(_ROUNDS):
        if not congruence.settle() or not congruence.pair_outside():
            break


def by_place(task: Task, words: Vocabulary, matching: Matching) -> None:
    """What is alone on both sides between the same two pairs, whatever its phase."""
    rows, others = matching.alone(0, task.rows[0]), matching.alone(1, task.rows[1])
    if not len(rows) or not len(others):
        return
    crossing = matching.crossing()
    paired, partners = matching.paired()
    straight = ~crossing[paired]
    slot = np.searchsorted(paired[straight], rows)
    other_slot = np.searchsorted(partners[straight], others)
    gaps = Gaps(task.left, task.right, words, ())
    gaps.learn(known_inputs(task.left, task.right, matching))
    backward = task.direction is Direction.UP
    both = common(slot, other_slot)
    if task.left.has_operands and task.right.has_operands:
        both = common(both, _telling(task, words, (rows, slot), (others, other_slot)))
    for span, other_span in _spans(both, slot, other_slot):
        here, there = rows[span], others[other_span]
        seen = here.tobytes(), there.tobytes()
        if len(here) * len(there) > _MOST_CELLS or seen in matching.tried:
            continue
        matching.tried.add(seen)
        for mine, other in gaps.solve(here, there, backward).pairs.tolist():
            row, partner = int(here[mine]), int(there[other])
            if not _sums_of_others(task, row, partner):
                matching.pair(row, partner)


def _sums_of_others(task: Task, row: int, other: int) -> bool:
    """Whether two additions have nothing but that in common.

    A sum of one term hands it on; one of another shape and of another number of terms is another.
    """
    left, right = task.sides
    bare = left.bare[row] or right.bare[other]  # on the host no operands are printed
    if bare or not (left.adds[row] and right.adds[other]):
        return False
    if left.passes[row] != right.passes[other]:
        return True
    numbers = len(left.read_by(row)), len(right.read_by(other))
    return numbers[0] != numbers[1] and bool(left.outputs[row] != right.outputs[other])


def _telling(
    task: Task, words: Vocabulary, mine: tuple[Ints, Longs], theirs: tuple[Ints, Longs]
) -> Longs:
    """The slots of either side that hold ops of names that may go together, or print no operands.

    Nothing else can be a pair: whole stretches of unlike ops need not be weighed.
    """
    names, bare = [], []
    for side, (rows, slot) in zip(task.sides, (mine, theirs), strict=True):
        names.append(slot * len(words.kin) + words.kin[side.type[rows]])
        bare.append(slot[side.bare[rows]])
    shared = common(names[0], names[1])
    return np.concatenate((shared // len(words.kin), *bare))


def _spans(numbers: Longs, *sequences: Longs) -> Iterator[tuple[slice, ...]]:
    """Where each of the numbers stands in each of some ascending sequences."""
    spans = []
    for sequence in sequences:
        first, last = (
            np.searchsorted(sequence, numbers, side).tolist() for side in ("left", "right")
        )
        spans.append(map(slice, first, last))
    return zip(*spans, strict=True)


def by_values(task: Task, words: Vocabulary, matching: Matching) -> None:
    """Pairs whose inputs contradict them are questioned."""
    for phase in _phases(task):
        _settle(_congruence(task, matching, phase))
    _congruence(task, matching).part_strangers()


def by_leftovers(task: Task, words: Vocabulary, matching: Matching) -> None:
    """What is alone on both sides and reads, or is read by, the same; in its own phase first."""
    for phase in dict.fromkeys((*_phases(task), None)):
        alone = matching.alone(0, task.rows[0]), matching.alone(1, task.rows[1])
        alike = _congruence(task, matching, phase)
        alike.extend(*_of_phase(task, alone, phase), words.linked)


def part_unlike(task: Task, words: Vocabulary, matching: Matching) -> None:
    """Pairs with another number of inputs that read other values may have other partners."""
    congruence = _congruence(task, matching)
    nearer = congruence.pair_nearer()
    parted = congruence.part_unlike()
    if nearer or parted:
        _pair_again(task, words, matching, parted)


def by_expansion(task: Task, words: Vocabulary, matching: Matching) -> None:
    """Several ops that do the work of one; pairs of which one is a part of the other included."""
    parted = _parts_of_another(task, matching)
    for row, _ in parted:
        matching.unpair(row)
    TensorLists(task.sides, matching, task.table, task.rows).find()
    phased = _phases(task) != [None]
    Expansions(task.sides, matching, task.table, task.rows, phased=phased).find()
    for row, other in parted:
        if not (matching.blocked(0)[row] or matching.blocked(1)[other]):
            matching.pair(row, other)


def _parts_of_another(task: Task, matching: Matching) -> list[tuple[int, int]]:
    """Pairs of which one reads more than the other and expands into it and further ops."""
    left, right = task.sides
    rows, others = matching.paired()
    counts = [
        side.kept_start[chosen + 1] - side.kept_start[chosen]
        for side, chosen in ((left, rows), (right, others))
    ]
    unlike = (counts[0] != counts[1]) & (left.type[rows] != right.type[others])
    unlike &= ~matching.fixed[0][rows] & ~matching.blocked(0)[rows]
    found = []
    for at in np.flatnonzero(unlike).tolist():
        names = (
            left.trace.type_name(int(rows[at])),
            right.trace.type_name(int(others[at])),
        )
        one, part = names if counts[0][at] > counts[1][at] else names[::-1]
        lots = task.table.expansions.get(task.table.spelling(one), ())
        if any(task.table.spelling(part) in lot for lot in lots):
            found.append((int(rows[at]), int(others[at])))
    return found


def by_terms(task: Task, words: Vocabulary, matching: Matching) -> None:
    """Sums of the same terms that are added up in other steps: one by one, or all at once.

    Their totals, the last rows, stay a pair for those that read them, until all is paired.
    """
    sums = Sums(task.sides, matching)
    for side in (0, 1):
        for rows, others in sums.regrouped(side, matching.alone(side, task.rows[side]).tolist()):
            both = (rows, others) if side == 0 else (others, rows)
            if not _among_themselves(matching, both) or not _among_themselves(matching, both, 1):
                continue
            for row in both[0]:
                matching.unpair(row)
            matching.pair(both[0][-1], both[1][-1])
            matching.blocks.append(Block(*both))


def _among_themselves(
    matching: Matching, both: tuple[tuple[int, ...], tuple[int, ...]], side: int = 0
) -> bool:
    """Whether rows of one side are alone or paired with those of the other, and no more."""
    partner, allowed = matching.partner[side], {-1, *both[1 - side]}
    return not any(
        matching.fixed[side][row] or matching.blocked(side)[row] or int(partner[row]) not in allowed
        for row in both[side]
    )


def by_role(task: Task, words: Vocabulary, matching: Matching) -> None:
    """Ops of unlike names in the same role."""
    substitutes = Substitutes(task.sides, matching, _congruence(task, matching))
    substitutes.pair(matching.alone(0, task.rows[0]), matching.alone(1, task.rows[1]))


def by_name(task: Task, words: Vocabulary, matching: Matching) -> None:
    """Ops that print no operands, by their names."""
    Namesakes(task.left, task.right, matching).pair(*task.rows)


def part_repeats(task: Task, words: Vocabulary, matching: Matching) -> None:
    """What both sides compute again is the same only if what it repeats is."""
    rows, others = matching.paired()
    left, right = (side.twin for side in task.sides)
    wrong = (left[rows] != rows) & (right[others] != others) & ~matching.fixed[0][rows]
    wrong &= matching.partner[0][left[rows]] != right[others]
    for row in rows[wrong].tolist():
        matching.unpair(row)


def part_strangers(task: Task, words: Vocabulary, matching: Matching) -> None:
    """Pairs out of order that read other values are not the same op; nor are views that do.

    Views go to where the same value is handed on, if anywhere; else they stay where they were.
    """
    congruence = _congruence(task, matching)
    congruence.pair_outside()
    rows, _ = matching.paired()
    crossing = matching.crossing()
    for row in rows[crossing[rows] & ~matching.fixed[0][rows]].tolist():
        if False in congruence.verdicts(row, int(matching.partner[0][row])):
            matching.unpair(row)
    _pair_again(task, words, matching, congruence.part_strangers())


def _pair_again(
    task: Task, words: Vocabulary, matching: Matching, parted: list[tuple[int, int]]
) -> None:
    """Pair what was parted by what it reads; what stays alone on both sides as it was."""
    by_leftovers(task, words, matching)
    for row, other in parted:
        if matching.partner[0][row] < 0 and matching.partner[1][other] < 0:
            matching.pair(row, other)


def part_islands(task: Task, words: Vocabulary, matching: Matching) -> None:
    """Pairs out of order that nothing ties to the others: a part of a block that changed places."""
    moved = matching.moved(task.left.trace.streams, matching.crossing())
    rows = np.flatnonzero(moved & ~matching.fixed[0][: len(moved)]).astype(np.int32)
    if len(rows) and task.left.has_operands and task.right.has_operands:
        for row in _congruence(task, matching).islands(rows).tolist():
            matching.unpair(row)


STEPS: tuple[Callable[[Task, Vocabulary, Matching], None], ...] = (
    by_decree,
    by_order,
    by_leftovers,
    by_place,
    by_values,
    by_leftovers,
    part_unlike,
    by_place,
    by_name,
    by_terms,
    by_expansion,
    by_role,
    part_repeats,
    part_strangers,
    part_islands,
)
"""All of them, in the order in which they run."""


def match(task: Task, words: Vocabulary) -> Matching:
    """Pair the ops of two traces; the same way whichever of them is left."""
    turned = task.lesser_is_right
    if turned:
        task = task.turned()
    values = task.left.trace.values.count, task.right.trace.values.count
    matching = Matching(values, (len(task.left.trace), len(task.right.trace)))
    for step in STEPS:
        step(task, words, matching)
    for row in [row for block in matching.blocks for row in block.left]:
        matching.unpair(row)
    return matching.turned() if turned else matching


def _tells_phases(trace: Trace) -> bool:
    """Whether most ops of the backward say so: a few names do not show where it begins and ends."""
    if names_gradients(trace):
        return True
    rows = np.flatnonzero(phase_marks(trace) > Phase.FORWARD)
    return bool(len(rows)) and len(rows) >= _SURE * (int(rows[-1]) - int(rows[0]) + 1)


def _congruence(task: Task, matching: Matching, phase: int | None = None) -> Congruence:
    """The rows of one phase, or all, may be paired otherwise."""
    free = tuple(
        marked(count, rows) & ~matching.blocked(side) & ~matching.fixed[side][:count]
        for side, (rows, count) in enumerate(zip(task.rows, matching.rows, strict=True))
    )
    if phase is not None:
        free = tuple(
            flags & (side.phase == phase) for flags, side in zip(free, task.sides, strict=True)
        )
    return Congruence(task.left, task.right, matching, (free[0], free[1]), task.progress)


def _sequences(task: Task, both: tuple[Ints, Ints]) -> Iterator[Sequences]:
    """The sequences to align: one a stream, and one for what runs again on both sides."""
    streams = tuple(side.trace.streams[rows] for side, rows in zip(task.sides, both, strict=True))
    names = tuple(distinct(stream) for stream in streams)
    if not np.array_equal(names[0], names[1]):
        streams = np.zeros_like(streams[0]), np.zeros_like(streams[1])
        names = (np.zeros(1, np.int32),) * 2
    again = tuple(side.twin[rows] != rows for side, rows in zip(task.sides, both, strict=True))
    for stream in names[0].tolist():
        for flag in (False, True):
            rows, others = (
                rows[(stream == of) & (flag == twin)]
                for rows, of, twin in zip(both, streams, again, strict=True)
            )
            if len(rows) and len(others):
                yield Sequences(rows, others, _segments(rows, others, task))


def _segments(rows: Ints, others: Ints, task: Task) -> list[Segment]:
    """The stretches between decreed pairs, nearest the anchor first, each walked away from it."""
    cuts = [
        (int(np.searchsorted(rows, row)), int(np.searchsorted(others, other)), row)
        for row, other in task.decreed
    ]
    starts = [(0, 0), *((here, there) for here, there, _ in cuts)]
    ends = [(here, there) for here, there, _ in cuts] + [(len(rows), len(others))]
    anchor, upward = task.anchor, task.direction is Direction.UP
    below = [False, *(anchor is not None and row >= anchor for *_, row in cuts)]
    segments = [
        Segment(
            range(start[0], end[0]),
            range(start[1], end[1]),
            backward=upward or (anchor is not None and not after),
        )
        for start, end, after in zip(starts, ends, below, strict=True)
    ]
    return segments[::-1] if upward else segments
