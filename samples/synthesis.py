"""Plays a program and prints what it executes as MindSpore's tracker does on Ascend.

One counter serves memory ids and time stamps, views keep the id of their block, and eager ops
carry the Python stack of the call, outermost frame first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path

_PRIMITIVE_CALL = (
    "File:/usr/local/lib/python3.10/site-packages/mindspore/ops/auto_generate/gen_ops_prim.py;"
    "Line:6144;Function:__call__|"
)
"""The innermost frame of an eager op lies in MindSpore, not in the user's code."""
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Tensor:
    """A tensor in a block of memory; strides and offset are those of a view."""

    block: int
    dtype: str
    shape: Shape
    strides: Shape | None = None
    offset: int = 0

    @property
    def printed(self) -> str:
        """As the second line of a record describes it."""
        text = f"{self.dtype}:[{', '.join(map(str, self.shape))}]"
        if self.strides is None:
            return text
        return f"{text}{{strdes=[{', '.join(map(str, self.strides))}],offset={self.offset}}}"

    @property
    def steps(self) -> Shape:
        """Strides, those of a dense tensor where it is no view."""
        if self.strides is not None:
            return self.strides
        return tuple(prod(self.shape[axis + 1 :]) for axis in range(len(self.shape)))


class Run:
    """One run of a program: what it prints, and where it is in the Python code."""

    def __init__(self, root: str, *, first_stamp: int, workspace_every: int) -> None:
        self._root = root
        self._stamp = first_stamp
        self._workspace_every = workspace_every
        self._heavy = 0
        self._frames: list[str] = []
        self._graph = ""
        self._op_counters: dict[str, int] = {}
        self._constants: dict[int, list[Tensor]] = {}
        self._records: list[str] = []

    def new(self, dtype: str, shape: Shape) -> Tensor:
        """A tensor in a block of its own."""
        self._stamp += 1
        return Tensor(self._stamp, dtype, shape)

    @contextmanager
    def call(self, file: str, line: int, function: str) -> Iterator[None]:
        """Be inside a function, at the line that calls on."""
        self._frames.append(f"File:{self._root}/{file};Line:{line};Function:{function}|")
        yield
        self._frames.pop()

    @contextmanager
    def graph(self, number: int, constants: int) -> Iterator[list[Tensor]]:
        """Run a compiled graph; its constants are put on the device before its first run."""
        self._op_counters = {}
        self._graph = "Default/"
        if number not in self._constants:
            nodes = [self.new("Int64", (4,)) for _ in range(constants)]
            self._constants[number] = nodes
            for place, node in enumerate(nodes):
                self._print(f"Default/data-{place}", [node], [], "")
        self._print(f"kernel_graph_{number}_HostDSActor", [], [], self._stack())
        yield self._constants[number]
        self._print("UpdateOutputDeviceAddress", [], [], self._stack())
        self._graph = ""

    def op(
        self,
        name: str,
        outputs: Sequence[Tensor],
        inputs: Sequence[Tensor],
        *,
        line: int = 0,
        stream: int = 0,
    ) -> None:
        """Execute an op: in a graph by its scoped name and without a stack, else with one."""
        if self._graph:
            counter = self._op_counters.get(name, 0)
            self._op_counters[name] = counter + 1
            self._print(f"{self._graph}{name}-op{counter}", outputs, inputs, "", stream)
        else:
            self._print(name, outputs, inputs, self._stack(line), stream)

    def make(
        self, name: str, dtype: str, shape: Shape, inputs: Sequence[Tensor], line: int = 0
    ) -> Tensor:
        """Execute an op with one output in a block of its own."""
        output = self.new(dtype, shape)
        self.op(name, [output], inputs, line=line)
        return output

    def view(
        self, name: str, of: Tensor, shape: Shape, steps: Shape, offset: int, line: int = 0
    ) -> Tensor:
        """Execute an op that only looks at a tensor in another way."""
        output = Tensor(of.block, of.dtype, shape, steps, offset)
        self.op(name, [output], [of], line=line)
        return output

    def reshape(self, tensor: Tensor, shape: Shape, line: int = 0) -> Tensor:
        """A view of a dense tensor in another shape."""
        dense = Tensor(tensor.block, tensor.dtype, shape)
        return self.view("Reshape", tensor, shape, dense.steps, 0, line)

    def heavy(
        self, name: str, dtype: str, shape: Shape, inputs: Sequence[Tensor], line: int
    ) -> Tensor:
        """An op that takes workspace memory on its way; not every launch prints that."""
        output = self.make(name, dtype, shape, inputs, line)
        self._heavy += 1
        if self._heavy % self._workspace_every == 0:
            self._stamp += 1
            self._print("AclWorkspace", [], [], "")
        return output

    def _stack(self, line: int = 0) -> str:
        frames = list(self._frames)
        if line and frames:
            file, _, rest = frames[-1].partition(";Line:")
            frames[-1] = f"{file};Line:{line};{rest.partition(';')[2]}"
            frames.append(_PRIMITIVE_CALL)
        return "".join(frames)

    def _print(
        self,
        name: str,
        outputs: Sequence[Tensor],
        inputs: Sequence[Tensor],
        stack: str,
        stream: int = 0,
    ) -> None:
        self._stamp += 1
        written, read = (
            ", ".join(f"%{tensor.block}" for tensor in operands) for operands in (outputs, inputs)
        )
        to, source = (
            ", ".join(tensor.printed for tensor in operands) for operands in (outputs, inputs)
        )
        self._records.append(
            f"({written}) = {name}({read}), task_info: {self._stamp}, "
            f"attrs {{stream_id={stream}}} \n    ({to}) <- ({source})\n    # {stack}\n"
        )

    @property
    def line(self) -> int:
        """The line of the record printed last."""
        return 1 + sum(record.count("\n") for record in self._records[:-1])

    def save(self, path: Path) -> None:
        """Write the trace."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes("".join(self._records).encode())
