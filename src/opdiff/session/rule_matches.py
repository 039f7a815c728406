"""How many ops each rule speaks of, quickly enough to count while the rules are being typed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.compare import Ignore, Rules
from opdiff.session.rules_text import RuleEntry
from opdiff.trace import Role, Trace
from opdiff.trace.columns import Flags
from opdiff.trace.search import matching


@dataclass(frozen=True, slots=True)
class RuleMatches:
    """One entry of the rules, and how many ops (or sequences) of each trace it matches."""

    section: str
    index: int
    entry: RuleEntry
    left: int
    right: int


def rule_matches(rules: Rules, left: Trace, right: Trace) -> list[RuleMatches]:
    """The matches of every entry, section by section."""
    found: list[RuleMatches] = []
    for section in ("counterparts", "same"):
        for index, names in enumerate(getattr(rules, section)):
            counts = (
                int(matching(trace.types, names, trace.type).sum()) for trace in (left, right)
            )
            found.append(RuleMatches(section, index, names, *counts))
    for index, ignore in enumerate(rules.ignore):
        counts = (int(_ignored(trace, ignore).sum()) for trace in (left, right))
        found.append(RuleMatches("ignore", index, ignore, *counts))
    for index, rule in enumerate(rules.equivalent):
        sequences = _sequences(left, rule.left), _sequences(right, rule.right)
        found.append(RuleMatches("equivalent", index, rule, *sequences))
    return found


def _ignored(trace: Trace, ignore: Ignore) -> Flags:
    types = matching(trace.types, [ignore.op], trace.type)
    return types & matching(trace.scopes, [ignore.scope], trace.scope)


def _sequences(trace: Trace, names: tuple[str, ...]) -> int:
    """How often the types follow each other, bookkeeping between them left out."""
    real = trace.type[trace.role == Role.OP]
    starts = len(real) - len(names) + 1
    if starts <= 0:
        return 0
    here = np.ones(starts, np.bool_)
    for step, name in enumerate(names):
        here &= matching(trace.types, [name], real[step : step + starts])
    return int(here.sum())
