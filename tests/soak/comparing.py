"""Any pair and any question: an answer that holds together, in which decrees hold."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.soak.samples import tracker_records

from opdiff.compare import Comparison, Direction, Equivalent, Ignore, Request, Rules, Side, compare
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.report import FORMATS, ReportOptions, render
from opdiff.trace import Trace

_MOST_RECORDS = 120


def one_round(chance: random.Random, scratch: Path) -> None:
    """Compare a piece of a sample with an edited copy, or with a piece of another one."""
    left = _piece(chance)
    right = _edited(left, chance) if chance.random() < 0.8 else _piece(chance)
    traces = []
    for name, records in (("left.ir", left), ("right.ir", right)):
        (scratch / name).write_bytes(b"".join(records))
        try:
            traces.append(open_trace(scratch / name))
        except OpdiffError:
            return
    request = _request(chance, *traces)
    (scratch / "request.txt").write_text(repr(request))
    comparison = compare(*traces, request)
    check_comparison(comparison)
    for format_ in FORMATS:
        options = ReportOptions(language=chance.choice(("en", "zh")), pairs=True, everything=True)
        text = render(comparison, format_, options)
        if format_ == "json":
            json.loads(text)
    again = compare(*traces, request)
    assert again.left.partner.tolist() == comparison.left.partner.tolist(), "not the same again"


def _piece(chance: random.Random) -> list[bytes]:
    records = tracker_records(chance)
    size = chance.randint(2, _MOST_RECORDS)
    start = chance.randrange(max(1, len(records) - size))
    return records[start : start + size]


def _edited(records: list[bytes], chance: random.Random) -> list[bytes]:
    records = list(records)
    for _ in range(chance.choice((0, 1, 2, 5, 12))):
        if len(records) < 2:
            break
        one, two = chance.randrange(len(records)), chance.randrange(len(records))
        word = chance.choice(("drop", "double", "swap", "rename", "bare", "shape", "move", "block"))
        if word == "drop":
            del records[one]
        elif word == "double":
            records.insert(one, records[two])
        elif word == "swap":
            records[one], records[two] = records[two], records[one]
        elif word == "rename":
            records[one] = records[one].replace(b") = ", b") = Other", 1)
        elif word == "bare":
            head, _, rest = records[one].partition(b"\n")
            records[one] = head + b"\n    () <- ()\n" + rest.partition(b"\n")[2]
        elif word == "shape":
            records[one] = records[one].replace(b"[", b"[7, ", 1)
        elif word == "move":
            records.insert(two, records.pop(one))
        else:
            first, last = sorted((one, two))
            records[first:first] = records[first:last]
    return records


def _request(chance: random.Random, left: Trace, right: Trace) -> Request:
    count = chance.randint(0, min(4, len(left), len(right)))
    rows = sorted(chance.sample(range(len(left)), count))
    others = sorted(chance.sample(range(len(right)), count))
    decreed = list(zip(rows, others, strict=True))
    request = Request(chance.choice(list(Direction)), ancestors=chance.random() < 0.15)
    if decreed and chance.random() < 0.8:
        # All further pairs lie on the side of the anchors that is compared.
        anchor = decreed.pop(0 if request.direction is Direction.DOWN else -1)
        request = replace(request, left_anchor=anchor[0], right_anchor=anchor[1])
    elif request.direction is not Direction.WHOLE:
        request = replace(request, direction=Direction.WHOLE)
    request = replace(request, pins=tuple(decreed), rules=_rules(chance, left, right))
    taken = {row for row, _ in decreed} | {request.left_anchor}
    taken_right = {row for _, row in decreed} | {request.right_anchor}
    free = [row for row in range(len(left)) if row not in taken]
    free_right = [row for row in range(len(right)) if row not in taken_right]
    if chance.random() < 0.3 and free and free_right:
        request = replace(
            request,
            alone_left=frozenset(chance.sample(free, min(2, len(free)))),
            ignored_right=frozenset(chance.sample(free_right, min(2, len(free_right)))),
        )
    return request


def _rules(chance: random.Random, left: Trace, right: Trace) -> Rules:
    def some(trace: Trace, most: int) -> tuple[str, ...]:
        return tuple(chance.choice(trace.types) for _ in range(chance.randint(1, most)))

    if chance.random() < 0.5:
        return Rules(builtin=chance.random() < 0.8)
    return Rules(
        counterparts=((*some(left, 1), *some(right, 2)),),
        same=((*some(left, 1), *some(right, 1)),) if chance.random() < 0.5 else (),
        ignore=(Ignore(op=some(left, 1)[0]),) if chance.random() < 0.3 else (),
        equivalent=(Equivalent(some(left, 3), some(right, 2)),) if chance.random() < 0.5 else (),
    )


def check_comparison(comparison: Comparison) -> None:
    """What holds for every comparison."""
    request = comparison.request
    left, right = comparison.left, comparison.right
    for one, other in ((left, right), (right, left)):
        rows = np.flatnonzero(one.partner >= 0)
        assert (other.partner[one.partner[rows]] == rows).all(), "partners of one side only"
    decreed = list(request.pins)
    if request.left_anchor is not None and request.right_anchor is not None:
        decreed.append((request.left_anchor, request.right_anchor))
    broken = [pair for pair in decreed if left.partner[pair[0]] != pair[1]]
    assert not broken, f"decreed and not paired: {broken}"
    for row in request.alone_left:
        assert left.partner[row] < 0, f"left {row} has a counterpart against a decree"
    members = [index for group in comparison.groups for index in group.members]
    assert sorted(members) == list(range(len(comparison.divergences)))
    for index, found in enumerate(comparison.divergences):
        assert index in comparison.groups[found.group].members
        assert found.caused_by is None or 0 <= found.caused_by < len(comparison.divergences)
        for side in Side:
            count = len(comparison.side(side).trace)
            assert all(0 <= row < count for row in found.rows(side))
        assert str(found.sentence)
