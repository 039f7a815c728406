"""One recorded training step of a PyTorch network, and which of its records a change executes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch._decomp import core_aten_decompositions
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.backends.debugging import aot_eager, boxed_nop
from torch._functorch.partitioners import min_cut_rematerialization_partition

from lab.bugs import Bug
from lab.injection import Injection
from lab.records import Record, make_neutral, read_records
from opdiff.record import OpTrace, recording_backend

AOT_EAGER, RECORDING = "aot_eager", "recording"
DECOMPOSED, CORE_ATEN = "decomposed", "core_aten"

_ASSIGNED = re.compile(r"^    (\w+) = ")


def record(network: ModuleType, bug: Bug | None, way: str, path: Path) -> dict[str, Any]:
    """Run a training step, save its trace, and tell what is known about it.

    The ``step`` of a network builds all it needs, calls the ``…_ended`` methods of what it is
    given, and runs the same every time but for the bug and the way.
    """
    torch._dynamo.reset()
    torch.manual_seed(0)
    trace = OpTrace(path)
    lab = Injection(bug, way, trace)
    graphs = MarkedGraphs()
    lab.wrap = _wrap(way, trace, graphs)
    network.step(lab)
    if lab.wrap is not None:
        trace.require_compiled()
    records = read_records(path)
    facts = {
        **lab.facts,
        "ops": len(records),
        "loss_op": loss_record(records, int(lab.facts["forward_end"])),
        "compiled": trace.compiled_runs,
        "marks": _marks(lab, graphs, records),
    }
    make_neutral(path)
    return facts


def loss_record(records: Sequence[Record], forward_end: int) -> int:
    """The record, counted from 1, that computed the loss.

    A compiled forward may do other things after it. The backward begins with a gradient of ones
    shaped like the loss, so the first thing it reads is the loss.
    """
    loss = records[forward_end].inputs[0]
    for place in range(forward_end - 1, -1, -1):
        if loss in records[place].outputs and loss not in records[place].inputs:
            return place + 1
    raise AssertionError(f"nothing computed the loss {loss}")


def _marks(lab: Injection, graphs: MarkedGraphs, records: Sequence[Record]) -> dict[str, list[int]]:
    """The records of every site, counted from 1."""
    marks: dict[str, set[int]] = {}
    for key, spans in lab.spans.items():
        marks[key] = {
            number
            for span in spans
            for number in range(span.first, span.last + 1)
            if span.holds(records[number - 1])
        }
    for number, one in enumerate(records, 1):
        for key in graphs.keys_at(one):
            marks.setdefault(key, set()).add(number)
    return {key: sorted(numbers) for key, numbers in sorted(marks.items())}


class MarkedGraphs:
    """Which lines of the code that torch.compile generated for forwards belong to a site."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[str, int], Any] = {}

    def compile_forward(self, graph: Any, inputs: Sequence[Any]) -> Callable[..., Any]:
        """Run the graph as aot_eager does, and note the nodes that a site has annotated."""
        run = boxed_nop(graph, inputs)
        graph.real_recompile()
        # A node of the backward inherits the annotation of the forward op it is the gradient of.
        annotated = {
            node.name: node
            for node in graph.graph.nodes
            if node.meta.get("custom") and not node.meta.get("autograd_backward")
        }
        code = graph.forward.__code__
        lines, _ = inspect.findsource(code)
        for number, line in enumerate(lines, 1):
            found = _ASSIGNED.match(line)
            if found is not None and found[1] in annotated:
                self._nodes[code.co_filename, number] = annotated[found[1]]
        return run

    def keys_at(self, one: Record) -> Iterator[str]:
        """The sites of a record; AOTAutograd may run ops of its own in the line of a node."""
        generated = [frame for frame in one.frames() if frame in self._nodes]
        node = self._nodes[generated[-1]] if generated else None
        schema = getattr(node.target, "_schema", None) if node is not None else None
        if node is not None and schema is not None and schema.name == one.name:
            for key, only in node.meta["custom"].items():
                if only in ("", one.name):
                    yield key


def _wrap(way: str, trace: OpTrace, graphs: MarkedGraphs) -> Callable[[Any], Any] | None:
    """What compiles a network in this way; None where it is not compiled."""
    if way == AOT_EAGER:

        def backend(graph: Any, inputs: Any) -> Any:
            return aot_eager(graph, inputs, fw_compiler=graphs.compile_forward)

    elif way == RECORDING:
        backend = recording_backend(trace)
    elif way in (DECOMPOSED, CORE_ATEN):
        backend = aot_autograd(
            fw_compiler=graphs.compile_forward,
            bw_compiler=boxed_nop,
            decompositions=_decompositions(way),
            partition_fn=min_cut_rematerialization_partition,
        )
    else:
        return None
    return lambda network: torch.compile(network, backend=backend, fullgraph=True)


def _decompositions(way: str) -> Any:
    if way == CORE_ATEN:
        return core_aten_decompositions()
    from torch._inductor.decomposition import select_decomp_table

    return select_decomp_table()
