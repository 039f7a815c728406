"""Names as msprobe's files give operands: those of calls and modules, with more behind them."""

from __future__ import annotations

import re
from functools import cached_property

from opdiff.readers.msprobe.entries import EntryName, read_name
from opdiff.trace import Trace

_OWNER = re.compile(
    r"(?P<owner>.+\.(?:forward|backward)(?:\.\d+)?|.+\.parameters_grad(?:\.\d+)?)(?P<operand>\..*)?$"
)
_NUMBER = re.compile(r"-op(\d+)$")


def owner_of(operand: str) -> tuple[EntryName | None, str]:
    """The call or module that an operand belongs to, and the rest of its name: ``input.0``."""
    match = _OWNER.match(operand)
    if match is None:
        return None, ""
    return read_name(match["owner"]), (match["operand"] or "")[1:]


class RowsByName:
    """Where the calls and modules that msprobe's names mean stand in a trace."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @cached_property
    def rows(self) -> dict[tuple[str, str, str], int]:
        """By path (of a module), type and number."""
        found: dict[tuple[str, str, str], int] = {}
        trace = self.trace
        numbers = [_NUMBER.search(name) for name in trace.tables.names]
        for row, name in enumerate(trace.columns.name.tolist()):
            kind, number = trace.type_name(row), numbers[name]
            path = "" if is_call(kind) else trace.scopes[trace.scope[row]]
            found.setdefault((path, kind, number[1] if number else ""), row)
        return found

    def row(self, name: EntryName | None) -> int | None:
        """The row that a name means, or None."""
        return None if name is None else self.rows.get((name.path, name.type, name.number))


def is_call(kind: str) -> bool:
    """Whether an op type is that of a call, ``Functional::linear``, and no class of modules."""
    return "::" in kind
