"""What is asked of every rank."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from opdiff.compare import Direction, Request, Rules
from opdiff.errors import OpdiffError
from opdiff.ranks.values_table import ValuesWanted
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Trace
from opdiff.trace.told import Told

_ANCHOR = re.compile(r"(?P<op>.+):(?P<number>[0-9]{1,12})")


class Anchor(NamedTuple):
    """The N-th op of a type, which every rank has at a line of its own."""

    op: str
    number: int

    @classmethod
    def parse(cls, text: str) -> Anchor:
        """From ``OP:N``; raises OpdiffError."""
        match = _ANCHOR.fullmatch(text)
        if match is None or int(match["number"]) < 1:
            raise OpdiffError("ranks.not-an-anchor", text=text[:80])
        return cls(match["op"], int(match["number"]))

    def row(self, trace: Trace) -> int:
        """The op in one trace; raises OpdiffError where there are fewer."""
        rows = trace.rows_of(self.op)
        if len(rows) < self.number:
            raise OpdiffError(
                "ranks.no-such-anchor",
                op=self.op,
                number=self.number,
                count=len(rows),
                path=trace.source.path,
            )
        return int(rows[self.number - 1])


@dataclass(frozen=True, slots=True)
class Question:
    """Everything that decides the outcome of a rank besides its traces."""

    rules: Rules = field(default_factory=Rules)
    direction: Direction | None = None
    anchor: Anchor | None = None
    ancestors: bool = False
    graphs: tuple[str | None, str | None] = (None, None)
    held: ValueChoice = field(default_factory=ValueChoice)
    """What of the values beside traces counts in comparing them."""
    values: ValuesWanted | None = None
    """Which values to put into the table; None for none."""

    @property
    def told(self) -> Told:
        """What the rules say of files that do not say it themselves."""
        return Told(kernels=dict(self.rules.kernels))

    def request(self, left: Trace, right: Trace) -> Request:
        """The question put to two traces; raises OpdiffError where an anchor is not there."""
        rows: tuple[int | None, int | None] = (None, None)
        if self.anchor is not None:
            rows = (self.anchor.row(left), self.anchor.row(right))
        usual = Direction.WHOLE if self.anchor is None else Direction.UP
        return Request(
            direction=self.direction or usual,
            left_anchor=rows[0],
            right_anchor=rows[1],
            ancestors=self.ancestors,
            rules=self.rules,
        )
