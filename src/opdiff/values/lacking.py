"""Operands of paired ops that the counterpart lacks: lists of tensors of which one is missing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.trace.columns import Ints, Longs
from opdiff.values.flow import Flow


@dataclass(frozen=True, slots=True)
class Lacking:
    """One side: by row, what is compared with nothing though the op has a counterpart."""

    written: dict[int, set[int]]
    """The memory of such outputs."""
    read: dict[int, list[int]]
    """The places of such inputs."""

    @classmethod
    def of(cls, flow: Flow, pair_of: Ints, places: Longs, outputs: Longs | None) -> Lacking:
        """Those of a side of which *places* and *outputs* are compared."""
        written: dict[int, set[int]] = {}
        read: dict[int, list[int]] = {}
        if outputs is None:
            return cls(written, read)
        alone = np.ones(len(flow.output_row), np.bool_)
        alone[outputs] = False
        # An op none of whose results is compared lacks none of them.
        some = np.zeros(len(flow), np.bool_)
        some[flow.output_row[outputs]] = True
        more = np.flatnonzero(alone & some[flow.output_row] & (pair_of[flow.output_row] >= 0))
        for at in more.tolist():
            written.setdefault(int(flow.output_row[at]), set()).add(int(flow.output_block[at]))
        compared = set(places.tolist()) if written else set()
        for row in written:
            every = range(flow.start[row], flow.start[row + 1])
            read[row] = [place for place in every if place not in compared]
        return cls(written, read)

    def behind(self, row: int, block: int) -> list[int]:
        """What a result that the counterpart of its op lacks was made from; nothing for others."""
        return self.read[row] if block in self.written.get(row, ()) else []
