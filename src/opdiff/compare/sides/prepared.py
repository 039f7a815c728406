"""One side of a comparison made ready: which rows are aligned, and what of them is compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from opdiff.compare.names.kernel_names import parts_of
from opdiff.compare.names.vocabulary import Vocabulary
from opdiff.compare.sides.shares import shares, sizes
from opdiff.structure import Phase, phase_marks, phases
from opdiff.structure.phases import Phases
from opdiff.trace import Role, Trace
from opdiff.trace.columns import Flags, Ints, Longs, marked
from opdiff.trace.sorting import among, by_key, distinct, first_equal, followed
from opdiff.trace.traits import Trait
from opdiff.trace.words import Words, mixed, operand_words, row_sums

_IDLE = Trait.INSPECTS | Trait.BOOKKEEPING | Trait.EVENT | Trait.WORKSPACE | Trait.TRANSFER
_MOST_OUTPUTS = 64
_MANY_INPUTS = 8
_FEW_NUMBERS = 8
"""So many whole numbers from the host are axes, sizes or the like."""
_DEEPEST = 32
"""Steps that are followed from a constant on."""
_KERNEL = re.compile(r"-op\d+$")
"""What the names of kernels end with in a graph of MindSpore."""
_WHOLE_NUMBERS = ("Bool", "Int", "UInt", "int", "uint")


_Found = TypeVar("_Found")


class Asked(dict[int, _Found]):
    """What is asked of the same few rows again and again: found once, then looked up."""

    def __init__(self, find: Callable[[int], _Found]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, row: int) -> _Found:
        found = self[row] = self._find(row)
        return found


@dataclass(frozen=True)
class Prepared:
    """A trace with everything that comparing needs, a value a row (or an input)."""

    trace: Trace
    type: Ints
    """The shared number of the op type."""
    spelling: tuple[str, ...]
    """Of each of the trace's own types, how the table spells it."""
    family: Ints
    """The number of its family: op types that are known to do the same job."""
    rows: Ints
    """The rows that are aligned, ascending."""
    noise: Flags
    kept: Flags
    """Of each input, whether it is compared."""
    kept_outputs: Flags
    """Of each output, whether it is compared."""
    bare: Flags
    """Rows without any operand."""
    has_operands: bool
    dense: Ints
    """Of each of the trace's own specs, the shared number of its dtype and shape."""
    outputs: Words
    """Words for the outputs: dtype and shape."""
    inputs: Words
    """Words for the compared inputs: dtype and shape."""
    layout: Words
    """Words for outputs and compared inputs, strides and offset included."""
    passes: Flags
    """Rows that make no new value: views, copies, casts, other arrangements; none in place."""
    origin: Ints
    """Of each input, the value that was computed: views, copies and the like looked through."""
    upward: Words
    """Words for the families of the ops that computed the inputs, input by input."""
    downward: Words
    """Words for the families of the readers, whatever their order."""
    twin: Ints
    """Of each value, the one that it is once more, see :mod:`recompute`; else the value itself."""
    taken_apart: bool
    """Whether equal parts of one value count as results of an op: the other side has such ops."""

    @cached_property
    def family_words(self) -> Words:
        """A word a row for its family alone."""
        return mixed(self.family)

    @cached_property
    def looks(self) -> Words:
        """A word a row for its family, with dtype and shape of its operands."""
        return self.family_words + self.outputs + self.inputs

    @cached_property
    def faces(self) -> Words:
        """A word a row for its type, with dtype and shape of its operands."""
        return mixed(self.type) + self.outputs + self.inputs

    @cached_property
    def deeds(self) -> Words:
        """A word a row for what it is, and which values it reads."""
        inputs = self.trace.inputs
        reading = operand_words(inputs, self.kept, self.value, 8)
        attrs = mixed(self.trace.columns.attrs.astype(np.int64) + (7 << 40))
        return mixed(self.type) + self.layout + attrs + row_sums(inputs.start, reading)

    @cached_property
    def repeated(self) -> Flags:
        """Compared rows that compute, and look like another that reads the very same values."""
        random = self.trace.has_trait(Trait.RANDOM | Trait.COMMUNICATION)
        every = self.rows[~(self.passes | random)[self.rows]]
        first = first_equal(self.deeds[every])
        found = np.zeros(len(self.trace), np.bool_)
        found[every] = np.bincount(first, minlength=len(every))[first] > 1
        return found

    @cached_property
    def source(self) -> Ints:
        """Of each input, the value that is read: views looked through."""
        return self.trace.values.source

    @cached_property
    def outside(self) -> Flags:
        """Of each value, whether no op made it: parameters, constants, memory from elsewhere."""
        values = self.trace.values
        outside = np.ones(values.count, np.bool_)
        role = self.trace.role
        outside[: values.rows] = (role == Role.PARAMETER) | (role == Role.CONSTANT)
        return outside

    @cached_property
    def hidden(self) -> dict[int, dict[int, int]]:
        """Of each value that a copy without operands made, the values that this may have copied.

        Of each of those, the memory that was copied; the likeliest come first. What was copied may
        be what such a copy made, looked at otherwise.
        """
        trace, found = self.trace, dict[int, dict[int, int]]()
        if not trace.hidden_copies:
            return found
        outside, rows = trace.values.outside, len(trace)
        made = self.twin[behind(trace, self.passes)]
        memory, writer = trace.outputs.memory, trace.outputs.rows()
        order = np.lexsort((writer, memory))
        keys = memory[order] * np.int64(rows + 1) + writer[order]
        for block, copy in trace.hidden_copies.items():
            may = found.setdefault(int(np.searchsorted(outside, block)) + rows, {})
            for source in copy.sources:
                last = int(np.searchsorted(keys, source * (rows + 1) + copy.reader)) - 1
                if last >= 0 and memory[order[last]] == source:
                    may.setdefault(int(made[writer[order[last]]]), source)
                    continue
                number = int(np.searchsorted(outside, source))
                if number < len(outside) and outside[number] == source:
                    may.setdefault(int(made[rows + number]), source)
            for copied, source in list(may.items()):
                for further in found.get(copied, ()):
                    may.setdefault(further, source)
        return found

    @cached_property
    def idle(self) -> Flags:
        """Rows whose result changes nothing: checks for the host, and what is made for these only.

        What is made from nothing counts too: its readers tell. What only gives such a one its shape
        may be the loss, with which the backward begins.
        """
        trace = self.trace
        checks = trace.has_trait(Trait.INSPECTS).copy()
        read = among(trace.values.reader_row, np.flatnonzero(checks))
        waiting = distinct(trace.links.producer[read]).tolist()
        while waiting:
            row = waiting.pop()
            if row < 0 or checks[row] or not checks[trace.consumers(row)].all():
                continue
            checks[row] = True
            waiting += [int(p) for p in trace.producers(row) if p is not None]
        made = ((trace.inputs.counts() == 0) | trace.has_trait(Trait.CONSTANT)) & ~self.bare
        kept = trace.has_trait(Trait.RANDOM | Trait.IN_PLACE)
        idle: Flags = checks | ((trace.has_trait(_IDLE) | made) & ~kept)
        return idle

    @cached_property
    def constant(self) -> Flags:
        """Rows whose result depends on no tensor."""
        trace = self.trace
        constant: Flags = trace.has_trait(Trait.CONSTANT) & ~self.bare
        open_ = trace.has_trait(Trait.RANDOM | Trait.IN_PLACE | Trait.COMMUNICATION)
        has_input = trace.inputs.counts() > 0
        made = self.origin < len(trace)
        for _ in range(_DEEPEST):
            from_constant = made & constant[np.where(made, self.origin, 0)]
            other = marked(len(trace), trace.values.reader_row[~from_constant])
            further: Flags = constant | (has_input & ~other & ~open_)
            if np.array_equal(further, constant):
                break
            constant = further
        return constant

    @cached_property
    def any_order(self) -> memoryview[int]:
        """Of each row, whether the order of its inputs does not matter."""
        return self.trace.has_trait(Trait.COMMUTATIVE).data

    @cached_property
    def folded(self) -> Flags:
        """Of each input, whether it depends on no tensor: made from nothing, or a few numbers.

        A compiler folds such a one into the op that reads it.
        """
        made = self.value < len(self.trace)
        writer = np.where(made, self.value, 0)
        folded: Flags = _few_numbers(self.trace)[self.trace.inputs.spec]
        folded[made] = (self.constant | self.idle)[writer[made]]
        return folded

    @cached_property
    def telling_place(self) -> Ints:
        """Of each input which of its row's it is, where those that are folded do not count.

        Of one that is folded, which of all.
        """
        first = self.trace.inputs.start[self.trace.values.reader_row]
        told = np.cumsum(self.kept & ~self.folded)
        told = np.concatenate((np.zeros(1, np.int64), told))
        every, telling = self.kept_before, told
        place = np.where(self.folded, every[:-1] - every[first], telling[:-1] - telling[first])
        return place.astype(np.int32)

    @cached_property
    def copies(self) -> Flags:
        """Dense copies, which stand for themselves: never the counterpart of another name."""
        copies: Flags = (self.trace.traits & (Trait.COPY | Trait.VIEW)) == Trait.COPY
        return copies

    @cached_property
    def fused(self) -> Flags:
        """Kernels whose names list what they do."""
        by_type = np.array([bool(parts_of(name)) for name in self.trace.types], np.bool_)
        return by_type[self.trace.type]

    @cached_property
    def input_count(self) -> Ints:
        """How many inputs a row has, up to a few."""
        return np.minimum(self.trace.inputs.counts(), _MANY_INPUTS).astype(np.int32)

    @cached_property
    def output(self) -> Ints:
        """Of each input, which of its writer's several outputs it is; -1 where that is not told.

        Equal parts of one output count as several.
        """
        parts = shares(self.trace)
        return np.where(parts >= 0, parts, self.results)

    @cached_property
    def results(self) -> Ints:
        """The same without parts, unless the other side takes values apart by ops."""
        inputs, made = self.trace.inputs, self.source < len(self.trace)
        none = np.full(len(inputs.memory), -1, np.int32)
        told = shares(self.trace) if self.taken_apart else none
        several = self._of_several(np.where(made, self.source, -1))
        hits = np.zeros(len(several), np.int64)
        exact = np.zeros(len(several), np.int64)
        for place, same, flat in self._same_memory(several, self.source[several]):
            alike = same & (self.trace.outputs.spec[flat] == inputs.spec[several])
            told[several[same & (hits == 0)]] = place
            told[several[alike]] = place
            hits += same
            exact += alike
        told[several[(hits > 1) & (exact != 1)]] = -1
        # A part of a result is none of several: it may be a part of the only one on the other side.
        told[several[(exact == 0) & self._smaller(several, told[several])]] = -1
        return told

    def _smaller(self, operands: Longs, place: Ints) -> Flags:
        """Whether inputs have fewer elements than the result of their writers at that place."""
        outputs, inputs = self.trace.outputs, self.trace.inputs
        size = sizes(self.trace)
        whole = outputs.start[self.source[operands]] + np.maximum(place, 0)
        smaller: Flags = size[inputs.spec[operands]] < size[outputs.spec[whole]]
        return smaller

    @cached_property
    def adds(self) -> Flags:
        """Of each value, whether an addition made it that may be one of many."""
        adds = np.zeros(self.trace.values.count, np.bool_)
        kinds = distinct(self.type[self.trace.has_trait(Trait.ACCUMULATES)])
        adds[: len(self.trace)] = among(self.type, kinds)
        return adds

    @cached_property
    def tells_outputs(self) -> Flags:
        """Of each row, whether of any compared input it is told which of several outputs it is."""
        told = self.kept & (self.results >= 0)
        return marked(len(self.trace), self.trace.values.reader_row[told])

    @cached_property
    def part(self) -> Ints:
        """Of each input, which output of the very last writer it is, where all have their names."""
        producer = self.trace.links.producer
        told = np.full(len(producer), -1, np.int32)
        several = self._of_several(producer)
        hits = np.zeros(len(several), np.int64)
        for place, same, _ in self._same_memory(several, producer[several]):
            told[several[same]] = place
            hits += same
        told[several[hits != 1]] = -1
        return told

    def _of_several(self, writer: Ints) -> Longs:
        """The inputs whose writers, -1 where there is none, have several outputs."""
        several = np.append(self.trace.outputs.counts() > 1, False)
        return np.flatnonzero(several[writer])

    def _same_memory(self, operands: Longs, writer: Ints) -> Iterator[tuple[int, Flags, Longs]]:
        """Of each place among outputs, which inputs read the memory that their writers put there.

        And where the outputs at that place are among all.
        """
        outputs, inputs = self.trace.outputs, self.trace.inputs
        counts = outputs.counts()[writer]
        for place in range(int(min(counts.max(initial=0), _MOST_OUTPUTS))):
            there = place < counts
            flat = np.where(there, outputs.start[writer] + place, 0)
            yield place, there & (outputs.memory[flat] == inputs.memory[operands]), flat

    @cached_property
    def phase(self) -> Phases:
        """The phase of every row."""
        if any("Gradients" in x for x in self.trace.scopes):
            return phase_marks(self.trace)
        return phases(self.trace)

    @cached_property
    def crossing(self) -> Longs:
        """Of each row, how many values of its phase are made before it and read from it on."""
        rows = len(self.trace)
        reader, value = self.trace.values.reader_row, self.origin
        here = np.flatnonzero(value < rows)
        here = here[self.phase[value[here]] == self.phase[reader[here]]]
        last = np.arange(rows)
        np.maximum.at(last, value[here], reader[here])
        opened = np.bincount(np.arange(rows)[last > np.arange(rows)] + 1, minlength=rows + 2)
        closed = np.bincount(last[last > np.arange(rows)] + 1, minlength=rows + 2)
        return np.cumsum(opened - closed)[:rows]

    @cached_property
    def given(self) -> Flags:
        """Of each value, whether it is from outside, or an op made it of nothing else."""
        values = self.trace.values
        inside = self.bare.copy()
        inside[values.reader_row[~self.outside[self.source]]] = True
        given: Flags = self.outside.copy()
        given[: values.rows] |= ~inside
        return given

    @cached_property
    def updated(self) -> tuple[Ints, Ints]:
        """Parameters that the optimizer updates, in that order, and a spec of each.

        A trace may begin with the ops that set them up.
        """
        trace = self.trace
        reader = trace.values.reader_row
        writing = trace.has_trait(Trait.IN_PLACE) & ~self.noise & (self.phase == Phase.OPTIMIZER)
        operand = np.flatnonzero(writing[reader] & self.given[self.source])
        first = trace.inputs.start[reader[operand]]
        several = np.array([name.startswith("aten::_foreach_") for name in trace.types], np.bool_)
        # An op on lists updates all of a list, else the first input is what is written.
        operand = operand[(operand == first) | several[trace.type[reader[operand]]]]
        # Parameters are what the forward reads; gradients are added up in an order of their own.
        # One that it does not read is still known by an op that is all of an optimizer.
        plain = ~trace.has_trait(Trait.IN_PLACE)[reader] & (self.phase[reader] == Phase.FORWARD)
        parameter = marked(trace.values.count, self.source[plain])
        whole = trace.has_trait(Trait.OPTIMIZER)[reader[operand]]
        parameter[self.source[operand[whole]]] = True
        operand = operand[parameter[self.source[operand]]]
        value, once = np.unique(self.source[operand], return_index=True)
        order = np.argsort(once)
        return value[order].astype(np.int32), trace.inputs.spec[operand[once[order]]]

    @cached_property
    def kept_places(self) -> Longs:
        """The flat places of the compared inputs."""
        return np.flatnonzero(self.kept)

    @cached_property
    def kept_before(self) -> Longs:
        """Of each flat place, how many compared inputs come before it."""
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(self.kept)))

    @cached_property
    def kept_start(self) -> Longs:
        """Of each row, where its compared inputs begin among all of them; and where all end."""
        return self.kept_before[self.trace.inputs.start]

    @cached_property
    def computing_inputs(self) -> Longs:
        """The compared inputs of ops that compute."""
        return np.flatnonzero(self.kept & ~self.passes[self.trace.values.reader_row])

    @cached_property
    def _computing(self) -> tuple[Longs, Longs]:
        return self._by_value(~self.passes)

    @cached_property
    def _handing(self) -> tuple[Longs, Longs]:
        return self._by_value(self.passes)

    def _by_value(self, rows: Flags) -> tuple[Longs, Longs]:
        """The compared inputs of the rows, by the value they come from."""
        operand = np.flatnonzero(self.kept & rows[self.trace.values.reader_row])
        start, order = by_key(self.value[operand], self.trace.values.count)
        return start, operand[order]

    def readings(self, value: int) -> Longs:
        """The compared inputs of ops that compute and read what was computed here, ascending."""
        start, operand = self._computing
        return operand[start[value] : start[value + 1]]

    @cached_property
    def readers(self) -> Callable[[int], tuple[int, ...]]:
        """Of a value, the rows that these are inputs of, one an input."""
        return self._rows_at(self._computing)

    @cached_property
    def handers(self) -> Callable[[int], tuple[int, ...]]:
        """The same of rows that only hand it on."""
        return self._rows_at(self._handing)

    def _rows_at(self, places: tuple[Longs, Longs]) -> Callable[[int], tuple[int, ...]]:
        start, rows = places[0].data, self.trace.values.reader_row[places[1]].data
        return Asked(lambda value: tuple(rows[start[value] : start[value + 1]])).__getitem__

    @cached_property
    def read_where(self) -> Callable[[int], list[tuple[int, int]]]:
        """Of a value, the rows that compute and read it, each with the place of that input."""
        start, operand = self._computing
        place = self.kept_before[operand] - self.kept_start[self.trace.values.reader_row[operand]]
        begin, places = start.data, place.data

        def found(value: int) -> list[tuple[int, int]]:
            here = places[begin[value] : begin[value + 1]]
            return list(zip(self.readers(value), here, strict=True))

        return Asked(found).__getitem__

    def handings(self, value: int) -> Longs:
        """The compared inputs of those that only hand on what was computed here, ascending."""
        start, operand = self._handing
        return operand[start[value] : start[value + 1]]

    def of_types(self, rows: Ints, types: Iterable[int]) -> Ints:
        """Those of the rows that are of some of the trace's own types."""
        return rows[marked(len(self.trace.types), list(types))[self.trace.type[rows]]]

    @cached_property
    def _start(self) -> memoryview[int]:
        """Where the compared inputs of each row begin, to be asked without numpy's scalars."""
        return self.kept_start.data

    def places_in(self, row: int) -> Longs:
        """The flat places of the compared inputs of one row."""
        return self.kept_places[self._start[row] : self._start[row + 1]]

    def shape_read(self, row: int) -> tuple[int, ...]:
        """The shape of what a row reads first; none where it reads nothing."""
        inputs = self.trace.inputs
        first = inputs.start[row]
        if first == inputs.start[row + 1]:
            return ()
        shape: tuple[int, ...] = self.trace.tables.specs[inputs.spec[first]].shape
        return shape

    @cached_property
    def read_by(self) -> Callable[[int], tuple[int, ...]]:
        """Of a row, the values that its compared inputs come from."""
        return self._by_row(self.value)

    @cached_property
    def outputs_read_by(self) -> Callable[[int], tuple[int, ...]]:
        """Of a row, which of their writers' several outputs these are; -1 where not told."""
        return self._by_row(self.results)

    def _by_row(self, column: Ints) -> Callable[[int], tuple[int, ...]]:
        start, told = self._start, column[self.kept_places].data
        return Asked(lambda row: tuple(told[start[row] : start[row + 1]])).__getitem__

    def written_over(self, row: int) -> int | None:
        """The value that an op in place writes over, if it is one."""
        first = int(self.trace.inputs.start[row])
        in_place = bool(self.trace.traits[row] & Trait.IN_PLACE)
        if not in_place or first == self.trace.inputs.start[row + 1]:
            return None
        return int(self.value[first])

    @cached_property
    def inputs_of(self) -> Callable[[int], list[tuple[int, int]]]:
        """Of a row, the values of its compared inputs, each with its flat place."""

        def found(row: int) -> list[tuple[int, int]]:
            return list(zip(self.read_by(row), self.places_in(row).tolist(), strict=True))

        return Asked(found).__getitem__

    @cached_property
    def value(self) -> Ints:
        """Of each input, its origin, where what was computed again counts as the first one."""
        return self.twin[self.origin]


def prepare(
    trace: Trace,
    side: int,
    words: Vocabulary,
    rows: Ints,
    noise: Flags,
    unseen: Longs | None = None,
    *,
    taken_apart: bool = False,
) -> Prepared:
    """Make one side ready to align *rows*; *unseen* memory is never listed by the other side.

    *taken_apart*: see :func:`takes_apart`, of the other side.
    """
    inputs, outputs = trace.inputs, trace.outputs
    kept = compared_inputs(trace)
    every = np.ones(len(outputs.spec), np.bool_)
    if unseen is not None and len(unseen):
        kept &= ~among(inputs.memory, unseen)
        every &= ~among(outputs.memory, unseen)
    full = words.spec_of[side]
    dense = words.dense[full]
    bare = (inputs.counts() == 0) & (outputs.counts() == 0)
    kind = words.type_of[side][trace.type]
    family = words.family[kind]
    passes = trace.has_trait(Trait.PASSES_ON) | _hands_on_one(trace)
    passes &= ~trace.has_trait(Trait.IN_PLACE) & ~bare
    origin = behind(trace, passes)[trace.values.source]
    out_full, in_full = (
        row_sums(operands.start, operand_words(operands, mask, full[operands.spec], salt))
        for operands, mask, salt in ((outputs, every, 3), (inputs, kept, 4))
    )
    upward, downward = _neighbours(trace, family, kept, passes, origin)
    return Prepared(
        trace=trace,
        type=kind,
        spelling=tuple(words.spelling[number] for number in words.type_of[side].tolist()),
        family=family,
        rows=rows,
        noise=noise,
        kept=kept,
        kept_outputs=every,
        bare=bare,
        has_operands=not bool(bare[rows].all()),
        dense=dense,
        outputs=row_sums(outputs.start, operand_words(outputs, every, dense[outputs.spec], 1)),
        inputs=row_sums(inputs.start, operand_words(inputs, kept, dense[inputs.spec], 2)),
        layout=out_full + in_full,
        passes=passes,
        origin=origin,
        upward=upward,
        downward=downward,
        twin=np.arange(trace.values.count, dtype=np.int32),
        taken_apart=taken_apart,
    )


def _hands_on_one(trace: Trace) -> Flags:
    """Ops for any number of inputs that got one, or join one with itself: that is spread out."""
    inputs, several = trace.inputs, trace.has_trait(Trait.N_ARY)
    counts = inputs.counts()
    found: Flags = several & (counts == 1)
    joining = np.flatnonzero(several & ~trace.has_trait(Trait.ADDS_UP) & (counts > 1))
    if len(joining):
        begin, operand = picked(inputs.start[joining], counts[joining], np.arange(inputs.start[-1]))
        first = np.repeat(inputs.start[joining], counts[joining])
        same = inputs.memory[operand] == inputs.memory[first]
        same &= inputs.spec[operand] == inputs.spec[first]
        found[joining] = np.logical_and.reduceat(same, begin[:-1])
    return found


def compared_inputs(trace: Trace) -> Flags:
    """Which inputs are compared: no constants and no single numbers that only graphs list."""
    producer = trace.links.producer
    if not len(producer):
        return np.zeros(0, np.bool_)
    written = producer >= 0
    constant = written & (trace.role == Role.CONSTANT)[np.maximum(producer, 0)]
    compared: Flags = ~constant & ~(_is_number(trace) & ~written) & ~_from_host(trace)
    return compared


def _is_number(trace: Trace) -> Flags:
    """Inputs that are single numbers: whole ones, and all that kernels of a graph take.

    Graphs alone list them as operands; eager code, too, runs some ops as a graph of one kernel.
    Such a one takes axes and sizes, too, a few whole numbers.
    """
    specs, inputs = trace.tables.specs, trace.inputs
    few = _few_numbers(trace)[inputs.spec]
    single = np.array([not spec.shape for spec in specs], np.bool_)[inputs.spec]
    whole = np.array([spec.dtype.startswith(_WHOLE_NUMBERS) for spec in specs], np.bool_)
    kernel = np.array([bool(_KERNEL.search(name)) for name in trace.tables.names], np.bool_)
    taken = kernel[trace.columns.name[trace.values.reader_row]]
    number: Flags = single & (whole[inputs.spec] | taken) | (few & taken)
    return number


def _few_numbers(trace: Trace) -> Flags:
    """Of each spec, whether it is of a few whole numbers: axes, sizes or the like."""
    few = [
        spec.dtype.startswith(_WHOLE_NUMBERS)
        and len(spec.shape) <= 1
        and max(spec.shape, default=1) <= _FEW_NUMBERS
        for spec in trace.tables.specs
    ]
    return np.array(few, np.bool_)


def _from_host(trace: Trace) -> Flags:
    """Inputs that are copies of host memory: a run without the copy prints no such operand."""
    producer = trace.links.producer
    lone: Flags = trace.has_trait(Trait.HOST_COPY) & (trace.inputs.counts() == 0)
    from_host: Flags = (producer >= 0) & lone[np.maximum(producer, 0)]
    return from_host


def behind(trace: Trace, passes: Flags) -> Ints:
    """Of each value, the one that was computed: what only hands on is looked through."""
    values, start = trace.values, trace.inputs.start
    behind = np.arange(values.count)
    handing = np.flatnonzero(passes & (trace.inputs.counts() > 0))
    behind[handing] = values.source[start[handing]]
    return followed(behind).astype(np.int32)


def _neighbours(
    trace: Trace, family: Ints, kept: Flags, passes: Flags, origin: Ints
) -> tuple[Words, Words]:
    rows = len(family)
    if not rows:
        return np.zeros(0, np.uint64), np.zeros(0, np.uint64)
    inputs, links = trace.inputs, trace.links
    made = origin < rows
    wrote = np.where(made, family[np.where(made, origin, 0)], -1)
    upward = row_sums(inputs.start, operand_words(inputs, kept, wrote + 1, 5))
    downward = row_sums(links.start, mixed(family[links.consumer].astype(np.int64) + (6 << 52)))
    # Who reads a value is told by the ops that compute, whatever copies stand in between.
    reader = trace.values.reader_row
    computing = np.flatnonzero(made & ~passes[reader])
    word = mixed(family[reader[computing]].astype(np.int64) + (6 << 52))
    start, order = by_key(origin[computing], rows)
    by_origin = row_sums(start, word[order])
    return upward, np.where(passes, downward, by_origin)


def codes_of(left: Prepared, right: Prepared) -> tuple[tuple[Words, Words], tuple[Words, Words]]:
    """Per strictness, per side, a word a row: family with specs, and family alone.

    Specs count only where both sides print operands at all.
    """
    loose = (left.family_words, right.family_words)
    if not (left.has_operands and right.has_operands):
        return loose, loose
    return (left.looks, right.looks), loose


def kept_inputs(side: Prepared, rows: Ints) -> tuple[Longs, Longs]:
    """The compared inputs of the given rows: where each row's begin, and their flat places."""
    first = side.kept_start[rows]
    return picked(first, side.kept_start[rows + 1] - first, side.kept_places)


def picked(first: Longs, count: Longs, some: Longs) -> tuple[Longs, Longs]:
    """Several ranges of an array one after the other: where each begins, and all they hold."""
    begin = np.zeros(len(count) + 1, np.int64)
    np.cumsum(count, out=begin[1:])
    place = np.arange(begin[-1])
    place += np.repeat(first - begin[:-1], count)
    return begin, some[place]


def paired_inputs(
    left: Prepared, right: Prepared, rows: Ints, others: Ints
) -> tuple[Longs, Longs, Longs]:
    """The compared inputs of pairs that have equally many: flat places, and the pair's number."""
    first, other_first = left.kept_start[rows], right.kept_start[others]
    count = left.kept_start[rows + 1] - first
    alike = np.flatnonzero(count == right.kept_start[others + 1] - other_first)
    count = count[alike]
    _, here = picked(first[alike], count, left.kept_places)
    _, there = picked(other_first[alike], count, right.kept_places)
    return here, there, np.repeat(alike, count)
