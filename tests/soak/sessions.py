"""Sessions and rules that anybody may have edited: read, or refused with a word."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path

from tests.soak.damage import damaged
from tests.soak.samples import ROOT

from opdiff.compare import Direction, Equivalent, Ignore, Kind, Request, Rules, Side
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.session import DivergenceKey, GroupKey, Work, read_session, save_session
from opdiff.session.coding import as_said
from opdiff.session.rules_text import add_rule, remove_rule, rules_of
from opdiff.trace import Trace
from opdiff.wording import Sentence

_VALUES: list[object] = [
    None, True, False, -1, 0, 1, 10**30, 0.5, float("inf"), "", "x", "\0", "\x1b[2J", "注", "../..",
    "/dev/zero", [], {}, [[]], [None], {"left": 1}, "9" * 5000, "up", ["op-type"],
]  # fmt: skip
_RULES = """\
# ours
counterparts:
  - [Slice, StridedSlice]  # one
same:
- [AddExt, Add]

ignore: [Contiguous, {scope: "Default/*"}]
equivalent:
  - left: [Mul, Sigmoid]
    right: ["Fused*"]
"""


@cache
def _traces() -> tuple[Trace, Trace]:
    folder = ROOT / "samples/rope"
    return open_trace(folder / "eager.ir"), open_trace(folder / "jit.ir")


def one_round(chance: random.Random, scratch: Path) -> None:
    """Save and read again; damage what was saved; damage and edit rules."""
    session = scratch / "work.opdiff"
    work = _work(chance)
    save_session(session, work, *_traces(), {"foldEqual": True})
    restored = read_session(session).restore(*_traces())
    assert restored.work == work, "what was saved reads back otherwise"
    assert not restored.remarks
    _damage_fields(session, chance)
    _read(session)
    save_session(session, work, *_traces())
    session.write_bytes(damaged(session.read_bytes(), chance, _RULES.encode()))
    _read(session)
    _damage_rules(chance, scratch)


def _work(chance: random.Random) -> Work:
    left, right = _traces()

    def rows(trace: Trace) -> frozenset[int]:
        return frozenset(chance.sample(range(len(trace)), chance.choice((0, 0, 1, 3))))

    count = chance.choice((0, 1, 4))
    pins = zip(
        sorted(chance.sample(range(len(left)), count)),
        sorted(chance.sample(range(len(right)), count)),
        strict=True,
    )
    request = Request(
        chance.choice(list(Direction)),
        chance.choice((None, chance.randrange(len(left)))),
        chance.choice((None, chance.randrange(len(right)))),
        pins=tuple(pins),
        alone_left=rows(left),
        alone_right=rows(right),
        ignored_left=rows(left),
        ignored_right=rows(right),
        ancestors=chance.random() < 0.5,
    )
    work = replace(Work(request), known_hidden=chance.random() < 0.5)
    text = chance.choice(("", "", "x", "注\n\x1b", "\u202e\ud800"))
    titles = (as_said(f"title {text}"), Sentence.of("group.op-type", left=text, right="Mul"))
    title = chance.choice(titles)
    work = work.with_note(GroupKey(chance.choice(list(Kind)), title), f"note {text}")
    about = DivergenceKey(chance.choice(list(Kind)), (chance.randrange(len(left)),), ())
    work = work.with_note(about, f"note {text}")
    return work.with_rules(chance.choice(("", _RULES)))


def _read(session: Path) -> None:
    try:
        found = read_session(session)
        found.direction()
        restored = found.restore(*_traces())
    except OpdiffError as error:
        error.text("zh")
        return
    request = restored.work.request
    for side in Side:
        count = len(_traces()[side])
        anchor = restored.work.anchor(side)
        assert anchor is None or 0 <= anchor < count
        assert all(0 <= pin[side] < count for pin in request.pins)
    assert all(str(remark) for remark in restored.remarks)


def _damage_fields(session: Path, chance: random.Random) -> None:
    document = json.loads(session.read_text())
    for _ in range(chance.randint(1, 4)):
        holder: object = document
        for _ in range(chance.randint(0, 3)):
            inner = [v for v in _entries(holder) if isinstance(v, (dict, list)) and v]
            if not inner:
                break
            holder = chance.choice(inner)
        if isinstance(holder, dict) and holder:
            key = chance.choice(sorted(holder))
            if chance.random() < 0.2:
                del holder[key]
            else:
                holder[key] = deepcopy(chance.choice(_VALUES))
        elif isinstance(holder, list) and holder:
            holder[chance.randrange(len(holder))] = deepcopy(chance.choice(_VALUES))
    session.write_text(json.dumps(document))


def _entries(holder: object) -> list[object]:
    if isinstance(holder, dict):
        return list(holder.values())
    return holder if isinstance(holder, list) else []


def _damage_rules(chance: random.Random, scratch: Path) -> None:
    text = damaged(_RULES.encode(), chance).decode("utf-8", "replace")
    (scratch / "rules.yaml").write_text(text, errors="replace")
    try:
        rules = rules_of(text)
    except OpdiffError as error:
        error.text("zh")
        return
    entry = chance.choice(
        [Ignore(op=chance.choice(("A", "y", "*", "a: b", "# c", "注"))), ("One", "Two*")]
    )
    section = "ignore" if isinstance(entry, Ignore) else "same"
    try:
        more = add_rule(text, section, entry)
        assert entry in getattr(rules_of(more), section)
        at = getattr(rules_of(more), section).index(entry)
        less = rules_of(remove_rule(more, section, at))
        assert entry not in getattr(less, section) or entry in getattr(rules, section)
    except OpdiffError as error:
        if error.sentence.code != "rules.edit-by-hand":
            raise
    assert isinstance(rules, Rules)
    assert all(isinstance(e, Equivalent) for e in rules.equivalent)
