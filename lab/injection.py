"""Bugs in PyTorch networks: where they are, whether they are on, and which ops they execute.

    with lab.site("no_scale", layer):
        if not lab.broken("no_scale", layer):
            scores = scores / scale

Whatever runs inside the site, in the good run or in the wrong one, is what the change executes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

import torch
from torch.fx.traceback import annotate
from torch.utils._python_dispatch import _disable_current_modes

from lab.bugs import Bug, site_key
from lab.records import Record
from opdiff.record import OpTrace


class Injection:
    """One run of a network: its bug, if any, its way of running, and what is known about it."""

    def __init__(self, bug: Bug | None, way: str, trace: OpTrace) -> None:
        self.bug = bug
        self.way = way
        self.trace = trace
        self.wrap: Callable[[Any], Any] | None = None
        self.spans: dict[str, list[Span]] = defaultdict(list)
        self.facts: dict[str, float] = {}

    def broken(self, name: str, place: str | int | None = None) -> bool:
        """Whether the bug of this name is on at this place."""
        return self.bug is not None and self.bug.covers(site_key(name, place))

    def site(
        self, name: str, place: str | int | None = None, only: str = ""
    ) -> AbstractContextManager[Any]:
        """The ops run inside belong to the bug.

        *only* says which of them: those of that name, or where it is no name of an op, those
        called by a line of code that holds it. While a network is compiled nothing runs: there the
        nodes of the graph are annotated.
        """
        key = site_key(name, place)
        if torch.compiler.is_compiling():
            return annotate({key: only})
        return Span(self, key, only)

    def compiled(self, function: Any) -> Any:
        """The network as this way of running wants it."""
        return function if self.wrap is None else self.wrap(function)

    def runs(self, way: str) -> bool:
        """Whether a network should run in a way of its own."""
        return self.way == way

    # What is noted of a run, without being recorded

    def forward_ended(self, loss: torch.Tensor) -> None:
        """The loss is there; what is recorded from now on is the backward."""
        self.facts["forward_end"] = len(self.trace)
        with _disable_current_modes():
            self.facts["loss"] = loss.item()

    def backward_ended(self, parameters: Iterable[torch.Tensor]) -> None:
        """The gradients are there, as the backward left them."""
        self.facts["bwd_op"] = len(self.trace)
        with _disable_current_modes():
            self.facts["gradients"] = digest(parameter.grad for parameter in parameters)

    def step_ended(self, parameters: Iterable[torch.Tensor]) -> None:
        """The optimizer is done."""
        with _disable_current_modes():
            self.facts["weights"] = digest(parameters)


class Span:
    """The ops recorded inside a site."""

    def __init__(self, lab: Injection, key: str, only: str) -> None:
        self._lab = lab
        self._key = key
        self._only = only
        self.first = self.last = 0

    def __enter__(self) -> None:
        self.first = len(self._lab.trace) + 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.last = len(self._lab.trace)
        self._lab.spans[self._key].append(self)

    def holds(self, record: Record) -> bool:
        """Whether the bug executes this one of the ops inside."""
        if record.name.startswith("profiler::"):
            return False
        if "::" in self._only:
            return record.name == self._only
        return self._only in record.code()


def digest(tensors: Iterable[torch.Tensor | None]) -> float:
    """One number that changes when any number in the tensors does, or changes its place."""
    total = 0.0
    for place, tensor in enumerate(tensors, 1):
        if tensor is not None:
            flat = tensor.detach().double().flatten()
            ramp = torch.linspace(1, 2, flat.numel(), dtype=torch.float64)
            total += (flat * ramp).sum().item() * (1 + 0.1 * place)
    return total
