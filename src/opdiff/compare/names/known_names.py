"""Which names of ops the vocabulary knows: those of the frameworks, and of its own tables."""

from __future__ import annotations

from collections import Counter
from functools import cache

from opdiff.compare.names.spelling import canonical, families_by_name, spelling
from opdiff.compare.names.table import table_for
from opdiff.compare.rules import Rules
from opdiff.data import lines, table
from opdiff.trace import Role, Trace

_BACKWARD = "backward"
_MADE = ("GraphKernel_", "Fused_", "copy_from")
"""What compilers and recorders call what they make themselves."""


def is_known(name: str) -> bool:
    """Whether some framework, or a table of ours, has an op of this name."""
    if name.startswith(_MADE):
        return True
    spelled = (spelling(name), canonical(name))
    return any(one in _known() or one.removesuffix(_BACKWARD) in _known() for one in spelled)


def unknown_names(trace: Trace) -> dict[str, int]:
    """The op types of a trace that are not known, and how often each occurs, commonest first."""
    counts: Counter[int] = Counter(trace.type[trace.role == Role.OP].tolist())
    modules = trace.source.format == "msprobe"
    return {
        trace.types[kind]: count
        for kind, count in counts.most_common()
        # msprobe's modules are called by their classes: names of the user's own.
        if not is_known(trace.types[kind]) and not (modules and "::" not in trace.types[kind])
    }


@cache
def _known() -> frozenset[str]:
    names = table_for(Rules())
    listed = [*lines("known_names"), *map(spelling, table("families")["known"][0])]
    many = (one for lots in names.expansions.values() for lot in lots for one in lot)
    families = families_by_name()
    return frozenset(
        {*listed, *families, *families.values(), *names.known, *names.expansions, *many}
    )
