"""Undo and redo: stepping between states of the work, instantly whatever the traces' size."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from opdiff.compare import Comparison, Request
from opdiff.session.work import Work

_MOST_STEPS = 500
_MOST_ANSWERS = 12
_MOST_ANSWERED_OPS = 6_000_000
"""How many ops all kept answers may cover together: about 250 bytes of memory each."""


class _UndoStep(NamedTuple):
    label: str
    work: Work


class History:
    """The states the work went through.

    A state is a small immutable value that shares everything unchanged with the one before it:
    remembering one costs nothing that grows with the traces.
    """

    def __init__(self, work: Work | None = None) -> None:
        self._steps = [_UndoStep("", work or Work())]
        self._at = 0

    @property
    def work(self) -> Work:
        """The current state."""
        return self._steps[self._at].work

    def record(self, work: Work, label: str) -> None:
        """Step on to a new state; what had been undone is forgotten."""
        if work == self.work:
            return
        del self._steps[self._at + 1 :]
        self._steps.append(_UndoStep(label, work))
        del self._steps[:-_MOST_STEPS]
        self._at = len(self._steps) - 1

    def amend(self, work: Work) -> None:
        """Let the current state be another one, without a step of its own."""
        self._steps[self._at] = _UndoStep(self._steps[self._at].label, work)

    def restart(self, work: Work) -> None:
        """Forget everything: other traces, another investigation."""
        self._steps = [_UndoStep("", work)]
        self._at = 0

    def undo_label(self) -> str | None:
        """What undoing would take back; None where there is nothing."""
        return self._steps[self._at].label if self._at else None

    def redo_label(self) -> str | None:
        """What redoing would bring back; None where there is nothing."""
        more = self._at + 1 < len(self._steps)
        return self._steps[self._at + 1].label if more else None

    def undo(self) -> Work:
        """The state before the current one."""
        self._at = max(0, self._at - 1)
        return self.work

    def redo(self) -> Work:
        """The state that was undone last."""
        self._at = min(len(self._steps) - 1, self._at + 1)
        return self.work


class Answers:
    """The latest comparisons by what was asked: going back never compares again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Request, Comparison] = OrderedDict()

    def keep(self, comparison: Comparison) -> None:
        """Remember an answer; the ones unused for longest go."""
        self._kept[comparison.request] = comparison
        self._kept.move_to_end(comparison.request)
        while len(self._kept) > 1 and self._is_too_much():
            self._kept.popitem(last=False)

    def to(self, request: Request) -> Comparison | None:
        """The answer to a request, where it is still there."""
        found = self._kept.get(request)
        if found is not None:
            self._kept.move_to_end(request)
        return found

    def clear(self) -> None:
        """Other traces: no answer holds any more."""
        self._kept.clear()

    def _is_too_much(self) -> bool:
        ops = sum(len(c.left.trace) + len(c.right.trace) for c in self._kept.values())
        return len(self._kept) > _MOST_ANSWERS or ops > _MOST_ANSWERED_OPS
