"""Every divergence of an alignment, by kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeVar

import numpy as np

from opdiff.compare.kinds import Kind
from opdiff.compare.matching import FUSION, Matching
from opdiff.compare.names.table import Table
from opdiff.compare.records import phrases
from opdiff.compare.records.attributes import attribute_changes
from opdiff.compare.records.dataflow import Dataflow, Rewired
from opdiff.compare.records.differences import Difference, compared_specs, operand_differences
from opdiff.compare.records.fallback import bareness
from opdiff.compare.records.findings import AnyDetail, Findings
from opdiff.compare.records.unseen import print_alike, prints_outputs, same_links, unseen
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace import Trace
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.trace.sorting import among, lots
from opdiff.trace.words import Words, mixed
from opdiff.wording import Sentence

CONTIGUOUS_TYPES = frozenset({"Contiguous", "aten::contiguous"})
_RARE = frozenset({"event", "group", "comm_rank", "src_rank", "dst_rank", "root_rank"})
"""Attributes that few ops have: one side without any may have lost them."""
_Facts = TypeVar("_Facts", bound=Hashable)
_NOISE_BETWEEN = 64
"""How many records of a graph's start may stand between a copy and the op it is made for."""


@dataclass(frozen=True)
class Classifier:
    """Looks at pairs, blocks and what stands alone, one family of kinds after the other."""

    left: Prepared
    right: Prepared
    matching: Matching
    moved: Flags
    table: Table
    scope: tuple[Flags, Flags]
    findings: Findings

    def classify(self) -> None:
        """Find everything."""
        rows, others = self._pairs()
        sound = self._operands(rows, others)
        self._attributes(rows, others)
        rewired: list[Rewired] = []
        if same_links(self.left.trace, self.right.trace):
            rewired = self._dataflow(rows[sound], others[sound])
        self._moved(rows[self.moved[rows]], self._overtaken(rewired))
        self._fused()
        self._alone()

    def _pairs(self) -> tuple[Ints, Ints]:
        """All pairs, without anchors and pins that are part of a larger whole."""
        rows, others = self.matching.paired()
        outside = ~(self.matching.blocked(0)[rows] & self.matching.blocked(1)[others])
        return rows[outside], others[outside]

    @cached_property
    def _is_unseen(self) -> Callable[[Difference], bool]:
        return unseen(self.left.trace, self.right.trace)

    def _operands(self, rows: Ints, others: Ints) -> Flags:
        """Op types and operands; says which pairs agree in all that matters."""
        left, right = self.left, self.right
        bare, other_bare = left.bare[rows], right.bare[others]
        printed = left.has_operands and right.has_operands
        told = prints_outputs(left.trace) and prints_outputs(right.trace)
        host = (bare != other_bare) & printed & told
        compared = ~(bare | other_bare) & printed
        differ = left.type[rows] != right.type[others]
        laid_out = (left.layout[rows] != right.layout[others]) & compared
        key = mixed(left.type[rows].astype(np.int64) * (1 << 24) + right.type[others]) + np.where(
            laid_out, left.layout[rows] * np.uint64(3) + right.layout[others], np.uint64(0)
        )
        details: list[AnyDetail] = []
        alike: list[Longs] = []
        asked = [np.zeros(0, np.int64)]
        for lot in _lots(key, np.flatnonzero(differ | laid_out)):
            row, other = int(rows[lot[0]]), int(others[lot[0]])
            found = self._one_sort(row, other, bool(laid_out[lot[0]]))
            details += found
            alike += [lot] * len(found)
            if all(detail.harmless for detail in found) and self._takes_alike(row, other):
                asked.append(lot)
        self.findings.add_lots(details, alike, rows, others)
        for at in np.flatnonzero(host).tolist():
            self._host(int(rows[at]), int(others[at]))
        agree = (left.outputs[rows] == right.outputs[others]) & (
            left.inputs[rows] == right.inputs[others]
        )
        # Of what differs in nothing that matters, where it reads from has to be asked as well.
        members = np.concatenate(asked)
        agree[members] |= ~(left.passes[rows[members]] | right.passes[others[members]])
        sound: Flags = compared & agree
        return sound

    def _takes_alike(self, row: int, other: int) -> bool:
        """Whether two rows take as many elements at each place: names of one job may turn these."""
        mine, theirs = (
            [(each.dtype, prod(each.shape)) for each in compared_specs(side, at)[1]]
            for side, at in ((self.left, row), (self.right, other))
        )
        return mine == theirs

    def _one_sort(self, row: int, other: int, laid_out: bool) -> list[AnyDetail]:
        """What is to be said of pairs that differ in the same way as these two rows."""
        names = self.left.trace.type_name(row), self.right.trace.type_name(other)
        differences: tuple[Difference, ...] = ()
        same_read = False
        if laid_out:
            outputs, inputs = compared_specs(self.left, row)
            other_outputs, other_inputs = compared_specs(self.right, other)
            differences = tuple(
                difference
                for difference in operand_differences(outputs, other_outputs, inputs, other_inputs)
                if not self._is_unseen(difference)
            )
            same_read = phrases.as_sizes(inputs) == phrases.as_sizes(other_inputs)
        unlike = names[0] != names[1]
        known = unlike and self.table.may_pair(*names)
        found: list[AnyDetail] = []
        if unlike and self.table.same_rule(*names) is None:
            found.append(phrases.op_type(*names, known, differences))
        found += [
            phrases.operands(*names, each, known=known, same_read=same_read) for each in differences
        ]
        return found

    def _host(self, row: int, other: int) -> None:
        verdict = bareness(self.left, self.right, self.matching, row, other)
        if verdict is None:
            return
        names = self.left.trace.type_name(row), self.right.trace.type_name(other)
        if verdict.on_host:
            readers = len({link.consumer_row for link in verdict.lost})
            detail = phrases.on_host(*names, verdict.side, len(verdict.lost), readers)
            self.findings.add_one(detail, (row,), (other,), verdict.lost)
        else:
            outputs, inputs = compared_specs(self.left, row)
            other_outputs, other_inputs = compared_specs(self.right, other)
            counts = (len(outputs), len(inputs), len(other_outputs), len(other_inputs))
            difference = Difference(Kind.OPERANDS, counts=counts)
            self.findings.add_one(phrases.operands(*names, difference), (row,), (other,))

    def _attributes(self, rows: Ints, others: Ints) -> None:
        left, right = self.left.trace, self.right.trace
        every = dict.fromkeys((*left.tables.attrs, *right.tables.attrs))
        numbers = {attrs: at for at, attrs in enumerate(every)}
        mine, theirs = (
            np.array([numbers[attrs] for attrs in trace.tables.attrs], np.int64)[
                trace.columns.attrs[chosen]
            ]
            for trace, chosen in ((left, rows), (right, others))
        )
        differ = np.flatnonzero(mine != theirs)
        if not len(differ):
            return
        # What a format never prints, or one that prints no arguments, is no difference.
        told = _keys(left) & _keys(right)
        scoped = np.array([bool(scope) for scope in left.scopes])[left.scope[rows]]
        other_scoped = np.array([bool(scope) for scope in right.scopes])[right.scope[others]]
        across = scoped != other_scoped
        key = mixed((mine << 32) + theirs) + mixed(
            left.type[rows].astype(np.int64) * (1 << 24) + right.type[others] * 2 + across
        )
        details, alike = list[AnyDetail](), list[Longs]()
        for chosen in _lots(key, differ):
            row, other = int(rows[chosen[0]]), int(others[chosen[0]])
            mine_attrs, their_attrs = left.op(row).attrs, right.op(other).attrs
            changes = attribute_changes(
                {key: mine_attrs[key] for key in mine_attrs if key in told},
                {key: their_attrs[key] for key in their_attrs if key in told},
                across=bool(across[chosen[0]]),
                one_format=print_alike(left, right),
                same_name=_plain(left.type_name(row)) == _plain(right.type_name(other)),
            )
            if changes:
                details.append(phrases.attrs(left.type_name(row), right.type_name(other), changes))
                alike.append(chosen)
        self.findings.add_lots(details, alike, rows, others)

    def _dataflow(self, rows: Ints, others: Ints) -> list[Rewired]:
        left, right = self.left.trace, self.right.trace
        dataflow = Dataflow(self.left, self.right, self.matching, self.scope)
        rewired = dataflow.rewired(rows, others)
        fused = [block for block in self.matching.blocks if block.rule == FUSION]
        for found in (*rewired, *dataflow.rewired_blocks(fused)):
            detail = phrases.dataflow(
                left.type_name(found.row),
                right.type_name(found.other),
                found.place,
                _source(left, found.writer),
                _source(right, found.other_writer),
                found.results,
            )
            self.findings.add_one(detail, (found.row,), (found.other,))
        return rewired

    def _overtaken(self, rewired: list[Rewired]) -> set[int]:
        """Left rows of pairs in place that run before a reader on one side, after it on the other.

        On the one side the reader reads what they write, on the other what they write over.
        """
        sides, partner = (self.left, self.right), self.matching.partner
        found: set[int] = set()
        for each in rewired:
            writers = each.writer, each.other_writer
            for side in (0, 1):
                row = writers[side]
                if not 0 <= row < len(sides[side].trace) or partner[side][row] < 0:
                    continue
                other = int(partner[side][row])
                if sides[1 - side].written_over(other) == writers[1 - side]:
                    found.add((row, other)[side])
        return found

    def _moved(self, rows: Ints, overtaken: set[int]) -> None:
        partner = self.matching.partner[0]
        staying = np.flatnonzero((partner[: len(self.moved)] >= 0) & ~self.moved)
        others = partner[rows]
        distance = np.searchsorted(partner[staying], others) - np.searchsorted(staying, rows)
        left, right = self.left, self.right
        facts = (
            left.trace.type[rows],
            right.trace.type[others],
            distance,
            ~(left.bare[rows] & right.bare[others]),
            among(rows, list(overtaken)),
        )
        sorts, found = _sorts(zip(*(column.tolist() for column in facts), strict=True))
        details = [
            phrases.moved(
                left.trace.types[kind],
                right.trace.types[other_kind],
                by,
                linked=linked,
                overtaken=is_overtaken,
            )
            for kind, other_kind, by, linked, is_overtaken in found
        ]
        self.findings.add_each(details, sorts, rows, others)

    def _fused(self) -> None:
        """Several ops that do the work of one: the same ones in every layer."""
        blocks = [block for block in self.matching.blocks if block.rule == FUSION]
        left, right = self.left.trace, self.right.trace
        kinds, other_kinds = left.type.data, right.type.data
        sorts, found = _sorts(
            (tuple([kinds[row] for row in rows]), tuple([other_kinds[row] for row in others]))
            for rows, others, _ in blocks
        )
        details = [
            phrases.fused(
                tuple(left.types[kind] for kind in mine),
                tuple(right.types[kind] for kind in theirs),
            )
            for mine, theirs in found
        ]
        self.findings.add_blocks(details, sorts, blocks)

    def _alone(self) -> None:
        """Ops without counterpart."""
        for side, ready in enumerate((self.left, self.right)):
            alone = self.matching.alone(side, ready.rows)
            links = np.diff(ready.trace.links.start)[alone]
            kinds = ready.type[alone].astype(np.int64)
            scopes = ready.trace.scope[alone].astype(np.int64)
            key = mixed((kinds << 32) + links) + mixed(scopes)
            alike = lots(key)
            details = self._each_alone(side, ready, alone[[lot[0] for lot in alike]])
            both = alone, np.full(len(alone), -1, np.int32)
            self.findings.add_lots(details, alike, *both[:: -1 if side else 1])

    def _each_alone(self, side: int, ready: Prepared, rows: Ints) -> list[AnyDetail]:
        """What is to be said of ops without counterpart, one by one."""
        trace = ready.trace
        links = np.diff(trace.links.start)[rows]
        readers: list[int | None] = links.tolist()
        for at in np.flatnonzero((links > 1) | ready.bare[rows]).tolist():
            row = int(rows[at])
            readers[at] = None if ready.bare[row] else len(trace.consumers(row))
        kind = (Kind.ONLY_LEFT, Kind.ONLY_RIGHT)[side]
        names = (trace.types[number] for number in trace.type[rows].tolist())
        return [
            phrases.contiguous(side, self._copy_place(ready, row))
            if name in CONTIGUOUS_TYPES
            else phrases.alone(kind, name, count)
            for row, name, count in zip(rows.tolist(), names, readers, strict=True)
        ]

    def _copy_place(self, ready: Prepared, row: int) -> str:
        """Where a dense copy stands: at a border between eager code and a graph, or elsewhere."""
        if ready.bare[row]:
            return "hidden"
        trace = ready.trace
        producers = [row for row in trace.producers(row) if row is not None]
        # An op on the host names no inputs: the copy made for it is told by standing before it.
        readers: list[int] = list(trace.consumers(row))
        if not readers:
            behind = np.flatnonzero(~ready.noise[row + 1 : row + 1 + _NOISE_BETWEEN])[:1] + row + 1
            readers = [int(after) for after in behind if ready.bare[after]]
        into_graph = any(trace.in_graph(reader) for reader in readers)
        if into_graph and not any(trace.in_graph(producer) for producer in producers):
            return "entry"
        out_of_graph = bool(producers) and all(trace.in_graph(p) for p in producers)
        return "exit" if out_of_graph and readers and not into_graph else "copy"


def _plain(name: str) -> str:
    """The name of an op; one that PyTorch does in place takes the same arguments."""
    return name.removesuffix("_")


def _keys(trace: Trace) -> set[str]:
    """The attributes that a trace prints at all; a run of one program may lack most of them."""
    keys = {key for attrs in trace.tables.attrs for key, _ in attrs}
    return keys | _RARE


def _source(trace: Trace, value: int) -> Sentence:
    """Where a value comes from, in words."""
    if value < 0:
        return phrases.no_source()
    if value < len(trace):
        return phrases.source(trace.type_name(value), trace.line_of(value))
    first = int(trace.values.reader_row[trace.values.readings(value)[0]])
    memory = int(trace.values.outside[value - len(trace)])
    return phrases.outside_source(memory, trace.line_of(first))


def _sorts(facts: Iterable[_Facts]) -> tuple[Longs, list[_Facts]]:
    """Of each fact, which of the distinct ones it is; and these."""
    numbers: dict[_Facts, int] = {}
    sorts = [numbers.setdefault(fact, len(numbers)) for fact in facts]
    return np.array(sorts, np.int64), list(numbers)


def _lots(key: Words, places: Longs) -> list[Longs]:
    """The places with equal keys together, ascending within each lot."""
    return [places[lot] for lot in lots(key[places])]
